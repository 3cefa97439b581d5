"""What pages, templates and `init` give to CI systems is what these take, by the schemas that editors check them with."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from torchdet_lint.setup import hooks, workflows

ROOT = Path(__file__).parents[2]
CI, REVIEW = ROOT / "docs" / "ci.md", ROOT / "docs" / "review.md"

needs_schemas = pytest.mark.skipif(
    find_spec("check_jsonschema") is None, reason="check-jsonschema, which has the schemas, is not installed"
)
needs_pre_commit = pytest.mark.skipif(find_spec("pre_commit") is None, reason="pre-commit is not installed")


def shown(page: Path, heading: str) -> str:
    """The first YAML under a heading."""
    section = page.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2]
    found = re.search(r"^```yaml\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def made(forge: str, tmp_path: Path) -> str:
    after = workflows.step(str(tmp_path), forge, "torchdet-lint==0.1.0").after
    assert after is not None
    return after.decode()


def run(*args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run((sys.executable, "-m", *args), cwd=cwd, capture_output=True, text=True, check=False)


@needs_schemas
@pytest.mark.parametrize(
    ("schema", "text"),
    [
        pytest.param("github-workflows", shown(CI, "GitHub Actions"), id="GitHub"),
        pytest.param("github-workflows", shown(REVIEW, "GitHub"), id="review on GitHub"),
        pytest.param("github-actions", (ROOT / "action.yml").read_text(), id="the action"),
        pytest.param("gitlab-ci", shown(CI, "GitLab"), id="GitLab"),
        pytest.param("gitlab-ci", (ROOT / "templates" / "torchdet-lint.gitlab-ci.yml").read_text(), id="the template"),
        pytest.param("azure-pipelines", shown(CI, "Azure Pipelines"), id="Azure"),
        pytest.param("circle-ci", shown(CI, "CircleCI"), id="CircleCI"),
    ],
)
def test_examples_are_what_the_systems_take(schema: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "file.yml").write_text(text, encoding="utf-8")
    ran = run("check_jsonschema", "--builtin-schema", f"vendor.{schema}", "file.yml", cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout


@needs_schemas
@pytest.mark.parametrize(("forge", "schema"), [("github", "github-workflows"), ("gitlab", "gitlab-ci")])
def test_workflows_of_init_are_what_the_systems_take(forge: str, schema: str, tmp_path: Path) -> None:
    (tmp_path / "file.yml").write_text(made(forge, tmp_path), encoding="utf-8")
    ran = run("check_jsonschema", "--builtin-schema", f"vendor.{schema}", "file.yml", cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout


@needs_pre_commit
def test_pre_commit_takes_what_it_is_given(tmp_path: Path) -> None:
    manifest = run("pre_commit", "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml"), cwd=tmp_path)
    assert manifest.returncode == 0, manifest.stdout
    (tmp_path / "page.yaml").write_text(shown(CI, "pre-commit and pre-commit.ci"))
    after = hooks.step(str(tmp_path), "torchdet-lint==0.1.0").after
    assert after is not None
    (tmp_path / "init.yaml").write_bytes(after)
    config = run("pre_commit", "validate-config", "page.yaml", "init.yaml", cwd=tmp_path)
    assert config.returncode == 0, config.stdout

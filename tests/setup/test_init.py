"""`init`: what it writes into a project, and what it leaves alone."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from torchdet_lint.cli import main
from torchdet_lint.config.files import parse

yaml = pytest.importorskip("yaml", reason="PyYAML reads what is written")


class Ran(NamedTuple):
    status: int
    out: str
    err: str


Init = Callable[..., Ran]


@pytest.fixture
def init(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Init:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("torchdet_lint.setup.configuration.installed", lambda name: None)

    def run(*args: str, **files: str | bytes) -> Ran:
        for name, content in files.items():
            write(tmp_path, name, content)
        status = main(["init", *args])
        return Ran(status, *capsys.readouterr())

    return run


def write(root: Path, name: str, content: str | bytes) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def project(root: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        write(root, name, content)


def settings(root: Path) -> dict[str, Any]:
    found = parse((root / "pyproject.toml").read_bytes().decode("utf-8-sig"), "pyproject.toml")
    return found["tool"]["torchdet-lint"]


WHOLE = {
    "pyproject.toml": "[project]\nname = 'x'\n",
    ".pre-commit-config.yaml": "repos:\n  - repo: meta\n    hooks:\n      - id: identity\n",
    ".github/keep": "",
    "train.py": "import torch\n",
}


def test_everything_is_written_once_and_understood(init: Init, tmp_path: Path) -> None:
    project(tmp_path, WHOLE)
    first = init("--yes")
    assert first.status == 0
    assert settings(tmp_path) == {"fail-on": "warning"}
    hooks = yaml.safe_load((tmp_path / ".pre-commit-config.yaml").read_text())
    assert [each["repo"] for each in hooks["repos"]] == ["meta", "local"]
    assert hooks["repos"][1]["hooks"][0]["id"] == "torchdet-lint"
    workflow = yaml.safe_load((tmp_path / ".github" / "workflows" / "torchdet-lint.yml").read_text())
    assert workflow["permissions"] == {"contents": "read"}
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    again = init("--yes")
    assert again.status == 0
    assert again.out == ""
    assert "nothing to write" in again.err
    assert again.err.count("already") == 3
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert main(["--no-cache"]) == 0


def test_it_only_shows_on_request_and_writes_only_when_told(
    init: Init, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project(tmp_path, WHOLE)
    shown = init("--diff")
    assert shown.status == 0
    assert "--- /dev/null\n+++ .github/workflows/torchdet-lint.yml\n" in shown.out
    assert "+[tool.torchdet-lint]\n" in shown.out
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    unasked = init()
    assert unasked.status == 2
    assert "nobody to ask" in unasked.err

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal("n\n"))
    assert "nothing was written" in init().err
    assert (tmp_path / "pyproject.toml").read_text() == WHOLE["pyproject.toml"]
    monkeypatch.setattr(sys, "stdin", Terminal("y\n"))
    assert "wrote pyproject.toml" in init().err
    assert settings(tmp_path) == {"fail-on": "warning"}


@pytest.mark.parametrize(
    ("part", "written"),
    [
        ("--config", {"pyproject.toml"}),
        ("--pre-commit", {".pre-commit-config.yaml"}),
        ("--workflow", {".github/workflows/torchdet-lint.yml"}),
    ],
)
def test_parts_can_be_chosen(part: str, written: set[str], init: Init, tmp_path: Path) -> None:
    project(tmp_path, WHOLE)
    assert {line.split()[-1] for line in init(part, "--yes").err.splitlines()} == written


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("tail", ["", "\n", "\n\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_what_is_there_stays_to_the_byte(end: str, tail: str, mark: bytes, init: Init, tmp_path: Path) -> None:
    text = (
        f"# mine{end}[tool.ruff]  # kept{end}line-length=100{end}[tool.'x.y']{end}'é' = 1{tail.replace(chr(10), end)}"
    )
    write(tmp_path, "pyproject.toml", mark + text.encode())
    assert init("--config", "--yes").status == 0
    after = (tmp_path / "pyproject.toml").read_bytes()
    assert after.startswith(mark + text.encode())
    assert after.count(b"\n") == after.count(b"\r\n") or end == "\n"
    assert b"\r" not in after or end == "\r\n"
    assert settings(tmp_path) == {"fail-on": "warning"}


@pytest.mark.parametrize(
    "before",
    [
        "repos:\n- repo: meta\n  hooks:\n  - id: identity\n",
        "# head\ndefault_stages: [pre-push]\nrepos:\n    # all\n    -   repo: meta\n        hooks:\n        -   id: identity  # last\n\n# about ci\nci:\n    autofix_prs: false\n",
        "repos:\r\n  - repo: meta\r\n    hooks:\r\n      - id: identity",
        "\ufeffrepos:\n- repo: meta\n  hooks:\n  - id: identity\n",
        "repos:  # ours\n  - repo: meta\n    hooks: [{id: identity}]\n  # the end\n",
        "",
    ],
)
def test_a_hook_goes_below_the_others(before: str, init: Init, tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", "")
    write(tmp_path, ".pre-commit-config.yaml", before)
    assert init("--pre-commit", "--yes").status == 0
    after = (tmp_path / ".pre-commit-config.yaml").read_bytes().decode()
    kept, found = before.split("\n"), yaml.safe_load(after)
    assert [line for line in after.split("\n") if line.rstrip("\r") in {each.rstrip("\r") for each in kept}][
        : len(kept) - 1
    ] == kept[:-1] or not before.endswith("\n")
    assert [each["repo"] for each in found["repos"]][-1] == "local"
    assert {key: value for key, value in found.items() if key != "repos"} == {
        key: value for key, value in (yaml.safe_load(before) or {}).items() if key != "repos"
    }
    assert ("\r\n" in after) == ("\r\n" in before)


@pytest.mark.parametrize("before", ["repos: []\n", "repos: [{repo: meta}]\n", "default_stages: []\n", b"\xff\n"])
def test_a_hook_that_has_no_place_is_told(before: str | bytes, init: Init, tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", "")
    write(tmp_path, ".pre-commit-config.yaml", before)
    ran = init("--pre-commit", "--yes")
    assert ran.status == 2
    assert ".pre-commit-config.yaml" in ran.err
    data = before if isinstance(before, bytes) else before.encode()
    assert (tmp_path / ".pre-commit-config.yaml").read_bytes() == data


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("[tool.torchdet-lint]\nfail-on = 'error'\n", "already"),
        ("tool.torchdet-lint.fail-on = 'error'\n", "already"),
        ("tool = { x = 1 }\n", "cannot be added to"),
        ("[broken\n", "cannot be added to"),
        (b"# \xff\n", "not UTF-8"),
    ],
)
def test_a_configuration_that_is_there_or_cannot_be(before: str | bytes, said: str, init: Init, tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", before)
    ran = init("--config", "--yes")
    assert said in ran.err
    assert ran.status == (0 if said == "already" else 2)
    assert (tmp_path / "pyproject.toml").read_bytes() == (before if isinstance(before, bytes) else before.encode())


@pytest.mark.parametrize(
    "in_the_way", ["pyproject.toml", ".pre-commit-config.yaml", ".github/workflows/torchdet-lint.yml"]
)
@pytest.mark.parametrize("is_link", [False, True])
def test_what_cannot_be_read_is_in_the_way_of_its_own_part_only(
    in_the_way: str, is_link: bool, init: Init, tmp_path: Path
) -> None:
    project(tmp_path, {name: text for name, text in WHOLE.items() if name != in_the_way})
    path = tmp_path / in_the_way
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to("nowhere") if is_link else path.mkdir()
    ran = init("--yes")
    assert ran.status == 2
    assert f"{in_the_way} cannot be read: " in ran.err
    assert ran.err.count("wrote") == 2
    assert path.is_symlink() == is_link


def test_folders_that_may_not_be_looked_into(init: Init, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project(tmp_path, {**WHOLE, "data/run.sh": "python train.py\n", ".github/workflows/old.yml/x": ""})
    look = os.listdir

    def refusing(path: str) -> list[str]:
        if os.path.basename(path) == "data":
            raise PermissionError(13, "Permission denied", path)
        return look(path)

    monkeypatch.setattr(os, "listdir", refusing)
    assert init("--yes").status == 0


def test_without_pyproject_it_has_a_file_of_its_own(init: Init, tmp_path: Path) -> None:
    write(tmp_path, "setup.py", "")
    assert init("--config", "--yes").status == 0
    assert (tmp_path / "torchdet-lint.toml").read_text().startswith("fail-on")
    assert "is there already" in init("--config", "--yes").err


def test_what_a_project_tells_about_itself(init: Init, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from torchdet_lint.catalog.versions import exactly

    monkeypatch.setattr("torchdet_lint.setup.configuration.installed", lambda name: exactly((2, 6, 1)))
    project(
        tmp_path,
        {
            "pyproject.toml": "",
            "train.py": "import torch\ntorch.manual_seed(0)\n",
            "jobs/one.py": "def main(): ...\n",
            "src/pkg/two.py": "def main(): ...\n",
            "lib.py": "",
            "Makefile": "a:\n\tpython -u \\\n\t  jobs/one.py --x\nb: ; python nowhere.py; python train.py\n# python lib.py\n",
            "scripts/run.sh": "torchrun --nproc-per-node 2 -m pkg.two\n",
            "third_party/x.py": "",
            ".gitmodules": '[submodule "a"]\n\tpath = deps/a b\n\turl = x\n',
        },
    )
    assert init("--config", "--yes").status == 0
    assert settings(tmp_path) == {
        "target-torch": "2.6",
        "entry-points": ["jobs/one.py", "src/pkg/two.py"],
        "extend-exclude": ["deps/a b", "third_party"],
        "fail-on": "warning",
    }


def test_a_project_that_names_its_torch_needs_no_target(
    init: Init, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from torchdet_lint.catalog.versions import exactly

    monkeypatch.setattr("torchdet_lint.setup.configuration.installed", lambda name: exactly((2, 6, 1)))
    write(tmp_path, "pyproject.toml", "[project]\nname = 'x'\ndependencies = ['torch>=2.1']\n")
    init("--config", "--yes")
    assert settings(tmp_path) == {"fail-on": "warning"}


def test_a_job_for_gitlab(init: Init, tmp_path: Path) -> None:
    before = "# ours\ntest:\n  script: [make test]"
    project(tmp_path, {"pyproject.toml": "", ".gitlab-ci.yml": before})
    assert init("--workflow", "--yes").status == 0
    after = (tmp_path / ".gitlab-ci.yml").read_text()
    assert after.startswith(before + "\n\n")
    assert set(yaml.safe_load(after)) == {"test", "torchdet-lint"}
    assert "already" in init("--workflow", "--yes").err


@pytest.mark.parametrize(
    "before", ["stages: [build, deploy]\n", "stages:\n  - build\n", "a: 1\n---\nb: 2\n", "{a: 1}\n"]
)
def test_a_job_that_has_no_place_is_told(before: str, init: Init, tmp_path: Path) -> None:
    project(tmp_path, {"pyproject.toml": "", ".gitlab-ci.yml": before})
    ran = init("--workflow", "--yes")
    assert ran.status == 2
    assert "by hand" in ran.err
    assert (tmp_path / ".gitlab-ci.yml").read_text() == before


def test_the_forge_and_its_branch_are_those_of_the_repository(init: Init, tmp_path: Path) -> None:
    project(
        tmp_path,
        {
            ".git/config": '[remote "origin"]\n\turl = git@github.com:me/x.git\n',
            ".git/refs/remotes/origin/HEAD": "ref: refs/remotes/origin/trunk\n",
        },
    )
    assert init("--workflow", "--package", "torchdet-lint[lsp]==9.9", "--yes").status == 0
    text = (tmp_path / ".github" / "workflows" / "torchdet-lint.yml").read_text()
    assert yaml.safe_load(text)[True]["push"]["branches"] == ["trunk"]
    assert 'install --quiet "torchdet-lint[lsp]==9.9"' in text
    assert "--forge" in init("--package", "x y").err or init("--package", "x y").status == 2


def test_hooks_and_workflows_belong_to_the_repository(init: Init, tmp_path: Path) -> None:
    project(tmp_path, {".git/HEAD": "", ".github/keep": "", "part/pyproject.toml": "", "part/train.py": ""})
    assert init("part", "--yes").status == 0
    written = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.y*ml")}
    assert written == {".pre-commit-config.yaml", ".github/workflows/torchdet-lint.yml"}
    assert "torchdet-lint" in (tmp_path / "part" / "pyproject.toml").read_text()


def test_where_the_project_is_kept_may_be_unknown(init: Init, tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", "")
    assert init("--workflow", "--yes").status == 2
    every = init("--yes")
    assert every.status == 0
    assert "no workflow" in every.err
    assert init("--workflow", "--forge", "gitlab", "--yes").status == 0
    assert yaml.safe_load((tmp_path / ".gitlab-ci.yml").read_text())["torchdet-lint"]["image"] == "python:3.12"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everything")
def test_a_folder_that_may_not_be_written_to(init: Init, tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", "")
    tmp_path.chmod(0o555)
    try:
        ran = init("--config", "--yes")
    finally:
        tmp_path.chmod(0o755)
    assert ran.status == 2
    assert "cannot be written" in ran.err

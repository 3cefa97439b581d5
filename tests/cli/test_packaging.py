"""What a user installs: the wheel brings the rules and the schema along, and its parts agree on the version."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import torchdet_lint
import torchdet_lint.cli.app
from torchdet_lint.config.files import parse

ROOT = Path(__file__).parents[2]
PYPROJECT = ROOT / "pyproject.toml"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The contents of a wheel that is built from the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(folder), str(ROOT)]
    built = subprocess.run(build, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(folder / "site")
    return folder / "site"


def test_the_wheel_works_without_the_checkout(installed: Path) -> None:
    ran = subprocess.run(
        [
            sys.executable,
            "-P" if sys.version_info >= (3, 11) else "-B",
            "-m",
            "torchdet_lint",
            "explain",
            "TDL001",
            "--isolated",
        ],
        env={**os.environ, "PYTHONPATH": str(installed)},
        cwd=installed,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("TDL001 unseeded-torch-rng\n")


def test_the_wheel_holds_every_rule_and_no_tests(installed: Path) -> None:
    rules = {path.relative_to(ROOT / "rules") for path in (ROOT / "rules").rglob("*.toml")}
    packaged = installed / "torchdet_lint" / "_rules"
    assert {path.relative_to(packaged) for path in packaged.rglob("*.toml")} == rules
    assert (installed / "torchdet_lint" / "py.typed").is_file()
    assert (installed / "torchdet_lint" / "report" / "schema-1.json").is_file()
    assert (installed / "torchdet_lint" / "report" / "html" / "style.css").is_file()
    assert (installed / "torchdet_lint" / "verify" / "page" / "style.css").is_file()
    assert {path.name for path in installed.iterdir()} == {
        "torchdet_lint",
        f"torchdet_lint-{torchdet_lint.__version__}.dist-info",
    }


def test_one_version() -> None:
    assert parse(PYPROJECT.read_text(), "pyproject.toml")["project"]["version"] == torchdet_lint.__version__


def test_the_hooks_call_commands_that_exist() -> None:
    entries = re.findall(r"^  entry: torchdet-lint (\S+)", (ROOT / ".pre-commit-hooks.yaml").read_text(), re.MULTILINE)
    assert len(entries) == 3
    assert set(entries) <= set(torchdet_lint.cli.app._COMMANDS)

from __future__ import annotations

from pathlib import Path

import pytest

from torchdet_lint.catalog import bounds as module
from torchdet_lint.catalog.bounds import bounds, installed, torch_interval
from torchdet_lint.catalog.errors import VersionError
from torchdet_lint.catalog.versions import NEWEST_TORCH, exactly, parse_interval, series

PYPROJECT = """
[project]
dependencies = ["torch>=1.9", "numpy"]
[project.optional-dependencies]
aug = ["Albumentations==1.4.18"]
[dependency-groups]
dev = ["gymnasium<1", {include-group = "x"}]
[tool.poetry.dependencies]
python = "^3.10"
timm = {version = "~0.9", optional = true}
dgl = "nonsense"
[tool.poetry.group.train.dependencies]
optuna = "^3.1"
"""


def test_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    assert bounds(tmp_path, tmp_path) == {
        "torch": parse_interval(">=1.9"),
        "albumentations": parse_interval("==1.4.18"),
        "gymnasium": parse_interval("<1"),
        "python": parse_interval(">=3.10,<4"),
        "timm": parse_interval(">=0.9,<0.10"),
        "optuna": parse_interval(">=3.1,<4"),
    }


def test_requirements(tmp_path: Path) -> None:
    (tmp_path / "requirements-train.txt").write_text(
        "--extra-index-url https://x\n-r base.txt\n# torch==1.0\n\ntorch==1.8.1\n"
    )
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements" / "base.txt").write_text("cupy>=12\n")
    assert bounds(tmp_path, tmp_path) == {"torch": parse_interval("==1.8.1"), "cupy": parse_interval(">=12")}


def test_setup_cfg(tmp_path: Path) -> None:
    (tmp_path / "setup.cfg").write_text(
        "[options]\ninstall_requires =\n    torch>=1.4,<1.9\n    numpy\n[options.extras_require]\naug = imgaug==0.4.0\n"
    )
    assert bounds(tmp_path, tmp_path) == {"torch": parse_interval(">=1.4,<1.9"), "imgaug": parse_interval("==0.4.0")}


def test_conda_environment(tmp_path: Path) -> None:
    (tmp_path / "environment.yml").write_text(
        "name: x\nchannels:\n  - pytorch\ndependencies:\n  - python=3.8\n  - pytorch::pytorch=1.8.0=py3.8_cuda11.1  # gpu\n"
        "  - pip:\n    - 'albumentations>=1.3'\n"
    )
    found = bounds(tmp_path, tmp_path)
    assert found["torch"] == parse_interval("=1.8.0")
    assert found["albumentations"] == parse_interval(">=1.3")


def test_the_nearest_folder_counts_for_each_library(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "requirements.txt").write_text("torch==1.8.1\ncupy==13\n")
    (tmp_path / "a" / "requirements.txt").write_text("torch==2.1\n")
    assert bounds(inner, tmp_path) == {"torch": parse_interval("==2.1"), "cupy": parse_interval("==13")}
    assert bounds(inner, tmp_path / "a") == {"torch": parse_interval("==2.1")}
    assert bounds(inner, inner) == {}


def test_nothing_above_is_read_when_the_end_is_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "y").mkdir()
    (tmp_path / "requirements.txt").write_text("torch==1.8.1\n")
    assert bounds(tmp_path / "x", tmp_path / "y") == {}


def test_files_of_one_folder_are_taken_together(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["torch>=1.9"]\n')
    (tmp_path / "requirements.txt").write_text("torch<=2.4\n")
    assert bounds(tmp_path, tmp_path)["torch"] == parse_interval(">=1.9,<=2.4")


def test_contradicting_files_allow_what_each_allows(tmp_path: Path) -> None:
    (tmp_path / "requirements-cu102.txt").write_text("torch==1.8.1\n")
    (tmp_path / "requirements-cu121.txt").write_text("torch==2.4\n")
    assert bounds(tmp_path, tmp_path)["torch"] == parse_interval(">=1.8.1,<=2.4")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("pyproject.toml", b"[project"),
        ("pyproject.toml", b"project = 3\ntool = []\n"),
        ("pyproject.toml", b'[project]\ndependencies = "torch==1.0"\n[tool]\npoetry = {group = [1]}\n'),
        ("requirements.txt", b"\xff\xfe\x00"),
        ("setup.cfg", b"torch==1.8\n"),
        ("environment.yml", b"- : - [\n  - \n"),
    ],
)
def test_malformed_files_are_ignored(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert bounds(tmp_path, tmp_path) == {}


def test_the_order_of_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    project = {"torch": parse_interval("==1.8.1")}
    monkeypatch.setattr(module, "installed", lambda name: exactly((2, 4)))
    assert torch_interval("2.1", project) == series("2.1")
    assert torch_interval(None, project) == parse_interval("==1.8.1")
    assert torch_interval(None, {}) == exactly((2, 4))
    monkeypatch.setattr(module, "installed", lambda name: None)
    assert torch_interval(None, {}) == series(NEWEST_TORCH)
    with pytest.raises(VersionError):
        torch_interval("newest", project)


def test_installed() -> None:
    assert installed("pytest") is not None
    assert installed("surely-not-installed") is None


def test_a_bound_that_nothing_fulfils_bounds_nothing(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("torch>=2.0,<1.0\nnumpy<2\n")
    assert bounds(tmp_path, tmp_path) == {"numpy": parse_interval("<2")}

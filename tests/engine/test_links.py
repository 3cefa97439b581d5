"""A file that links lead to is one file."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.engine.conftest import Lint, Tree, brief, options
from torchdet_lint import engine
from torchdet_lint.engine import fixing

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links take rights there")

LISTING = "import os\n\n\ndef classes(root):\n    return {name: index for index, name in enumerate(os.listdir(root))}\n"
TRAIN = "import torch\nmodel = torch.nn.Linear(2, 2)\nmodel(torch.ones(1, 2)).sum().backward()\n"


@pytest.fixture
def linked(tree: Tree) -> Path:
    """A project in which a module and a script have several names."""
    root = tree(
        {
            "pyproject.toml": "",
            "common/data.py": LISTING,
            "train.py": TRAIN,
            "one/__init__.py": "",
            "two/__init__.py": "",
        }
    )
    for folder in ("one", "two"):
        (root / folder / "data.py").symlink_to(root / "common" / "data.py")
    (root / "run.py").symlink_to("train.py")
    return root


def test_findings_and_files_are_told_once(linked: Path, lint: Lint) -> None:
    found = lint()
    assert brief(found) == ["common/data.py:5 TDL105", "train.py:2 TDL001"]
    assert found.files == ("common/data.py", "one/__init__.py", "train.py", "two/__init__.py")
    assert engine.files(options()).files == found.files
    assert found.programs == 1


def test_a_link_whose_file_is_not_asked_for_is_a_file(linked: Path, lint: Lint) -> None:
    assert brief(lint("one")) == ["one/data.py:5 TDL105"]
    assert brief(lint("run.py")) == ["run.py:2 TDL001"]
    assert engine.files(options("one")).files == ("one/__init__.py", "one/data.py")


def test_what_is_imported_by_the_name_of_a_link_is_found(linked: Path, lint: Lint) -> None:
    (linked / "train.py").write_text("from one import model\nmodel.build().sum().backward()\n")
    (linked / "common" / "model.py").write_text(
        "import torch\n\n\ndef build():\n    return torch.nn.Linear(2, 2)(torch.ones(1, 2))\n"
    )
    (linked / "one" / "model.py").symlink_to(linked / "common" / "model.py")
    (found,) = [each for each in lint().findings if each.code == "TDL001"]
    assert found.location.path == "train.py"
    assert "Linear" in found.message


def test_a_file_behind_links_is_fixed_once(linked: Path) -> None:
    fixed = engine.fix(options())
    assert [each.display for each in fixed.files] == ["common/data.py"]
    fixing.write(fixed)
    assert (linked / "one" / "data.py").is_symlink()
    assert "sorted(os.listdir(root))" in (linked / "two" / "data.py").read_text()
    assert brief(fixed.result) == ["train.py:2 TDL001"]


def test_a_fault_is_told_once(linked: Path, lint: Lint) -> None:
    (linked / "common" / "data.py").write_text("x = (\n")
    assert [each.location.path for each in lint().findings if each.code == "TDL999"] == ["common/data.py"]

"""What the top-level names of modules are bound to."""

from __future__ import annotations

import pytest

from tests.project.conftest import Make
from torchdet_lint.project.modules import Definition, External, Folder, ModuleRef, Symbol, base_names
from torchdet_lint.source import load


@pytest.mark.parametrize(
    ("text", "name", "symbol"),
    [
        ("import torch\n", "torch", External("torch")),
        ("import torch.nn\n", "torch", External("torch")),
        ("import torch.nn as nn\n", "nn", External("torch.nn")),
        ("import numpy as np\n", "np", External("numpy")),
        ("from torch import nn\n", "nn", External("torch.nn")),
        ("from torch.utils.data import DataLoader as Loader\n", "Loader", External("torch.utils.data.DataLoader")),
        ("def f(): pass\n", "f", Definition("m.py", "f", (0,))),
        ("class A: pass\n", "A", Definition("m.py", "A", (0,))),
        ("import os\nX = 1\n", "X", Definition("m.py", "X", (1,))),
        ("X = 1\nX = 2\n", "X", Definition("m.py", "X", (0, 1))),
        ("import other\n", "other", ModuleRef("other.py")),
        ("import other as o\n", "o", ModuleRef("other.py")),
        ("from other import f\n", "f", Definition("other.py", "f", (0,))),
        ("from other import f as g\n", "g", Definition("other.py", "f", (0,))),
        ("from other import missing\n", "missing", External("other.missing")),
        ("from space import inner\n", "inner", ModuleRef("space/inner.py")),
        ("import space\n", "space", Folder("m.py", "space", 0)),
        ("from pkg import exported\n", "exported", Definition("pkg/core.py", "exported", (0,))),
        ("from pkg import core\n", "core", ModuleRef("pkg/core.py")),
        ("from pkg.core import exported\n", "exported", Definition("pkg/core.py", "exported", (0,))),
        ("from pkg import *\n", "exported", Definition("pkg/core.py", "exported", (0,))),
        ("from pkg import *\n", "_private", None),
        ("from torch import *\n", "rand", None),
        ("import os\n", "print", None),
        ("import torch\n", "nothing", None),
    ],
)
def test_lookup(make: Make, text: str, name: str, symbol: Symbol | None) -> None:
    project = make(
        {
            "m.py": text,
            "other.py": "def f(): pass\n",
            "space/inner.py": "def g(): pass\n",
            "pkg/__init__.py": "from .core import *\nfrom .core import _private\n",
            "pkg/core.py": "def exported(): pass\ndef _private(): pass\n",
        }
    )
    assert project.lookup("m.py", name) == symbol
    assert project.lowered == 0  # none of this takes a parse


def test_a_definition_hides_an_import_of_the_same_name(make: Make) -> None:
    project = make({"m.py": "from other import f\ndef f(): pass\n", "other.py": "def f(): pass\n"})
    assert project.lookup("m.py", "f") == Definition("m.py", "f", (1,))


def test_import_cycles_end(make: Make) -> None:
    project = make(
        {
            "a.py": "from b import *\nfrom b import x\n",
            "b.py": "from a import *\nfrom a import x\nfrom c import y\n",
            "c.py": "from c import y\n",
        }
    )
    assert not isinstance(project.lookup("a.py", "x"), Definition)
    assert not isinstance(project.lookup("a.py", "y"), Definition)
    assert project.lookup("a.py", "z") is None


def test_names_found_through_a_cycle(make: Make) -> None:
    project = make(
        {"a.py": "from b import *\n", "b.py": "from a import *\nfrom c import *\n", "c.py": "def x(): pass\n"}
    )
    assert project.lookup("a.py", "x") == Definition("c.py", "x", (0,))


def test_a_package_that_exports_a_function_named_like_its_module(make: Make) -> None:
    project = make(
        {"pkg/__init__.py": "from .train import train\n", "pkg/train.py": "def train(): pass\n", "m.py": "import pkg\n"}
    )
    assert project.resolve_import("m.py", "pkg", 0, "train") == Definition("pkg/train.py", "train", (0,))
    assert project.resolve_import("m.py", "pkg.train", 0) == ModuleRef("pkg/train.py")


def test_members(make: Make) -> None:
    project = make(
        {"m.py": "import pkg, torch\n", "pkg/__init__.py": "VALUE = 1\n", "pkg/core.py": "", "space/a.py": "X = 1\n"}
    )
    pkg = project.resolve_import("m.py", "pkg", 0)
    assert project.member(pkg, "VALUE") == Definition("pkg/__init__.py", "VALUE", (0,))
    assert project.member(pkg, "core") == ModuleRef("pkg/core.py")
    assert project.member(pkg, "other") == External("pkg.other")
    assert project.member(External("torch"), "nn") == External("torch.nn")
    assert project.member(Folder("m.py", "space", 0), "a") == ModuleRef("space/a.py")
    assert project.member(Definition("pkg/__init__.py", "VALUE", (0,)), "x") is None


def test_relative_imports_beyond_the_project(make: Make) -> None:
    project = make({"m.py": "from ...far import x\n"})
    assert isinstance(project.lookup("m.py", "x"), External)


def test_units_are_lowered_once(make: Make) -> None:
    project = make({"m.py": "X = 1\nY = 2\n"})
    assert project.body("m.py", 0) is project.body("m.py", 0)
    assert project.lowered == 1


@pytest.mark.parametrize(
    ("head", "names"),
    [
        ("class A: pass", []),
        ("class A(): pass", []),
        ("class A(B): pass", ["B"]),
        ("@dataclass\nclass A(nn.Module, b . C, Generic[T, U], metaclass=ABCMeta): pass", ["Module", "C", "Generic"]),
        ("class A(\n    one.two.B,\n    C,\n): pass", ["B", "C"]),
        ("def f(x): pass", []),
    ],
)
def test_base_names(head: str, names: list[str]) -> None:
    source = load("a.py", head.encode())
    assert base_names(source, source.units[0]) == names

"""Which files are entry points."""

from __future__ import annotations

import json

import pytest

from tests.project.conftest import Make
from torchdet_lint.project.parts import parts
from torchdet_lint.project.programs import Program, find_programs, imported_files, is_test

GUARD = "def main(): pass\nif __name__ == '__main__':\n    main()\n"
WORK = "import torch\nfor i in range(3):\n    print(i)\n"


def kinds(make: Make, files: dict[str, str], *, tests: bool = False) -> dict[str, str]:
    return {program.path: program.kind for program in find_programs(make(files), tests=tests)}


@pytest.mark.parametrize(
    ("path", "text", "kind"),
    [
        ("train.py", GUARD, "main guard"),
        ("train.py", "def main(): pass\nif '__main__' == __name__:\n    main()\n", "main guard"),
        ("train.py", "import x\nif __name__ == '__main__' and x:\n    x()\n", "main guard"),
        ("pkg/__main__.py", "from pkg import main\nmain()\n", "package main"),
        ("pkg/__init__.py", GUARD, "main guard"),
        ("pkg/__init__.py", WORK, ""),
        ("train.py", WORK, "script"),
        ("train.py", "import torch\nwith open('x') as f:\n    f.read()\n", "script"),
        ("train.py", "import x\nx.run()\n", "script"),
        ("train.py", "import torch\nx = torch.rand(3)\n", "script"),
        ("train.py", "import torch\nwhile True:\n    pass\n", "script"),
        # what sets things up, defines and names is no work
        ("train.py", "", ""),
        ("train.py", "'''Text.'''\n", ""),
        ("train.py", "import torch\nX = 3\nNAMES = ['a']\n", ""),
        ("train.py", "import warnings\nwarnings.filterwarnings('ignore')\n", ""),
        ("train.py", "import os\nos.environ['A'] = 'b'\n", ""),
        ("train.py", "import sys\nsys.path.append('x')\n", ""),
        ("train.py", "import logging\nlog = logging.getLogger(__name__)\n", ""),
        ("train.py", "def f(): pass\nclass A: pass\n", ""),
        ("train.py", "print('loading')\ndef f(): pass\n", ""),
        ("train.py", "import model\nnet = model.Net()\nprint(net(3))\n", "script"),
        ("train.py", "REGISTRY = {}\nREGISTRY.update(a=1)\n", ""),
        ("stubs.pyi", "def f() -> None: ...\n", ""),
        # guards that only run tests
        ("checks.py", "import unittest\nif __name__ == '__main__':\n    unittest.main()\n", ""),
        ("checks.py", "import pytest\nif __name__ == '__main__':\n    pytest.main([__file__])\n", ""),
    ],
)
def test_kinds(make: Make, path: str, text: str, kind: str) -> None:
    assert kinds(make, {path: text}).get(path, "") == kind


@pytest.mark.parametrize(
    "path",
    [
        "tests/run.py",
        "test/run.py",
        "a/tests/run.py",
        "test_run.py",
        "a/run_test.py",
        "conftest.py",
        "a/conftest.py",
        "setup.py",
    ],
)
def test_tests_are_programs_on_request_only(make: Make, path: str) -> None:
    assert is_test(path)
    assert kinds(make, {path: GUARD}) == {}
    assert kinds(make, {path: GUARD}, tests=True) == {path: "main guard"}


@pytest.mark.parametrize("path", ["train.py", "attest.py", "latest/run.py", "testament.py", "contest.py"])
def test_what_only_looks_like_a_test(path: str) -> None:
    assert not is_test(path)


def test_a_script_that_is_imported_is_a_module(make: Make) -> None:
    files = {"train.py": "import setup_all\n" + WORK, "setup_all.py": WORK}
    assert kinds(make, files) == {"train.py": "script"}
    assert kinds(make, {**files, "setup_all.py": GUARD}) == {"train.py": "script", "setup_all.py": "main guard"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import a\n", {"a.py"}),
        ("import pkg.b\n", {"pkg/__init__.py", "pkg/b.py"}),
        ("from pkg import b\n", {"pkg/__init__.py", "pkg/b.py"}),
        ("def f():\n    import a\n", {"a.py"}),
        ("try:\n    import a\nexcept ImportError:\n    pass\n", {"a.py"}),
        ("from space import c\n", {"space/c.py"}),
        ("import torch\n", set()),
    ],
)
def test_imported_files(make: Make, text: str, found: set[str]) -> None:
    files = {"m.py": text, "a.py": "", "pkg/__init__.py": "", "pkg/b.py": "", "space/c.py": ""}
    assert imported_files(make(files)) == found


def test_notebooks(make: Make) -> None:
    def notebook(*cells: str) -> str:
        return json.dumps(
            {"cells": [{"cell_type": "code", "source": cell} for cell in cells], "metadata": {}, "nbformat": 4}
        )

    assert kinds(make, {"look.ipynb": notebook("x = 1"), "empty.ipynb": notebook()}) == {"look.ipynb": "notebook"}


def test_scripts_of_the_metadata(make: Make) -> None:
    project = make({"pkg/cli.py": "def run(): pass\n", "train.py": GUARD})
    found = find_programs(project, [("pkg/cli.py", "run"), ("train.py", "main"), ("gone.py", "run")])
    assert found == (Program("pkg/cli.py", "console script", "run"), Program("train.py", "main guard"))


def test_programs_are_sorted(make: Make) -> None:
    assert list(kinds(make, {"b.py": GUARD, "a.py": GUARD, "c/d.py": GUARD})) == ["a.py", "b.py", "c/d.py"]


BY_NAME = {
    "models/a.py": "X = 1\n",
    "models/b.py": WORK,
    "models/deep/c.py": "X = 1\n",
    "plain.py": "X = 1\n",
    "other.py": "X = 1\n",
}


@pytest.mark.parametrize(
    ("text", "imported"),
    [
        ("importlib.import_module('plain')", "plain.py"),
        ("importlib.import_module('models.a')", "models/a.py"),
        ("importlib.import_module('models.' + name)", "models/a.py models/b.py"),
        ("importlib.import_module(f'models.{name}')", "models/a.py models/b.py"),
        ("importlib.import_module('models.%s_net' % name)", "models/a.py models/b.py"),
        ("__import__('models.' + name, fromlist=['X'])", "models/a.py models/b.py"),
        ("importlib.import_module(args.model)", ""),
        ("p.add_argument('--model', default='plain')\nimportlib.import_module(args.model)", "plain.py"),
        ("p.add_argument('--model', default='plain')", ""),
        ("importlib.import_module(f'{x}.y')", ""),
        ("print('models.' + name)", ""),
    ],
)
def test_files_that_are_imported_by_a_text(make: Make, text: str, imported: str) -> None:
    project = make({**BY_NAME, "train.py": f"import importlib\n{text}\n"})
    assert sorted(imported_files(project)) == imported.split()
    together = next(part for part in parts(project) if "train.py" in part)
    assert sorted(together) == sorted([*imported.split(), "train.py"])


def test_a_package_beside_the_file_that_imports_by_a_text(make: Make) -> None:
    files = {
        "code/nets/a.py": "X = 1\n",
        "nets/b.py": "X = 1\n",
        "code/train.py": "import_module('nets.' + x)\n",
        "lib/nets/c.py": "",
    }
    assert imported_files(make(files)) == {"code/nets/a.py", "nets/b.py"}

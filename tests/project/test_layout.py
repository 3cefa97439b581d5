"""Which file an import means."""

from __future__ import annotations

import pytest

from tests.project.conftest import Make
from torchdet_lint.project.layout import Layout

FILES = (
    "train.py",
    "utils.py",
    "random.py",
    "torch/__init__.py",
    "pkg/__init__.py",
    "pkg/net.py",
    "pkg/utils.py",
    "pkg/sub/__init__.py",
    "pkg/sub/deep.py",
    "pkg/sub/random.py",
    "src/lib/__init__.py",
    "src/lib/core.py",
    "scripts/run.py",
    "scripts/helper.py",
    "scripts/logging.py",
    "space/tools/blocks.py",
    "third/vendored.py",
    "stubs.pyi",
)

CASES = [
    ("train.py", "utils", 0, "utils.py"),
    ("train.py", "pkg", 0, "pkg/__init__.py"),
    ("train.py", "pkg.net", 0, "pkg/net.py"),
    ("train.py", "pkg.sub.deep", 0, "pkg/sub/deep.py"),
    ("train.py", "pkg.missing", 0, None),
    ("train.py", "missing", 0, None),
    ("train.py", "stubs", 0, "stubs.pyi"),
    # src layouts
    ("train.py", "lib", 0, "src/lib/__init__.py"),
    ("scripts/run.py", "lib.core", 0, "src/lib/core.py"),
    ("src/lib/core.py", "lib", 0, "src/lib/__init__.py"),
    ("src/lib/core.py", "pkg.net", 0, "pkg/net.py"),
    # modules beside a script, and above it
    ("scripts/run.py", "helper", 0, "scripts/helper.py"),
    ("scripts/run.py", "utils", 0, "utils.py"),
    ("train.py", "helper", 0, None),
    # relative imports
    ("pkg/net.py", "utils", 1, "pkg/utils.py"),
    ("pkg/net.py", "", 1, "pkg/__init__.py"),
    ("pkg/__init__.py", "net", 1, "pkg/net.py"),
    ("pkg/sub/deep.py", "utils", 2, "pkg/utils.py"),
    ("pkg/sub/deep.py", "", 2, "pkg/__init__.py"),
    ("pkg/sub/deep.py", "sub.deep", 2, "pkg/sub/deep.py"),
    ("pkg/net.py", "missing", 1, None),
    # inside a package the top of the project comes first, not the package's own folder
    ("pkg/net.py", "utils", 0, "utils.py"),
    ("pkg/sub/deep.py", "pkg.net", 0, "pkg/net.py"),
    # a module beside a script hides a library; elsewhere the library is meant
    ("train.py", "random", 0, "random.py"),
    ("scripts/run.py", "logging", 0, "scripts/logging.py"),
    ("scripts/run.py", "random", 0, None),
    ("pkg/net.py", "random", 0, None),
    ("pkg/sub/deep.py", "random", 0, None),
    ("pkg/sub/deep.py", "random", 1, "pkg/sub/random.py"),
    ("scripts/run.py", "torch", 0, None),
    # folders without __init__.py
    ("train.py", "space.tools.blocks", 0, "space/tools/blocks.py"),
    ("train.py", "space.tools", 0, None),
]


@pytest.mark.parametrize(("importer", "dotted", "level", "found"), CASES)
def test_find(importer: str, dotted: str, level: int, found: str | None) -> None:
    layout = Layout(FILES)
    assert layout.find(importer, dotted, level) == found
    assert layout.find(importer, dotted, level) == found  # what is remembered is the same


def test_configured_folders_are_looked_in_last() -> None:
    assert Layout(FILES, ("third",)).find("train.py", "vendored") == "third/vendored.py"
    assert Layout(FILES, ("./third/",)).find("scripts/run.py", "vendored") == "third/vendored.py"
    assert Layout((*FILES, "third/utils.py"), ("third",)).find("train.py", "utils") == "utils.py"


def test_packages_and_folders() -> None:
    layout = Layout(FILES)
    assert layout.is_package("pkg")
    assert layout.is_package("pkg/sub")
    assert not layout.is_package("space")
    assert layout.has_folder("train.py", "space")
    assert layout.has_folder("train.py", "space.tools")
    assert layout.has_folder("pkg/net.py", "sub", 1)
    assert not layout.has_folder("train.py", "nowhere")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("train.py", "train"),
        ("pkg/__init__.py", "pkg"),
        ("pkg/sub/deep.py", "pkg.sub.deep"),
        ("src/lib/core.py", "lib.core"),
        ("scripts/run.py", "run"),
        ("space/tools/blocks.py", "blocks"),
    ],
)
def test_names(path: str, name: str) -> None:
    assert Layout(FILES).name_of(path) == name


@pytest.mark.parametrize(
    "line",
    [
        'sys.path.append("third")',
        "sys.path.insert(0, 'third')",
        "sys.path.append(f'third')",
    ],
)
def test_folders_that_a_program_adds(make: Make, line: str) -> None:
    project = make({"train.py": f"import sys\n{line}\nimport vendored\n", "third/vendored.py": "X = 1\n"})
    assert project.layout.find("train.py", "vendored") == "third/vendored.py"


def test_added_folders_are_also_meant_from_the_file(make: Make) -> None:
    files = {
        "jobs/train.py": 'import sys\nsys.path.append("../third")\nimport vendored\n',
        "third/vendored.py": "X = 1\n",
    }
    assert make(files).layout.find("jobs/train.py", "vendored") == "third/vendored.py"


def test_added_folders_that_are_not_known(make: Make) -> None:
    files = {
        "train.py": 'import sys\nsys.path.append(path)\nsys.path.append("/third")\n',
        "third/vendored.py": "X = 1\n",
    }
    assert make(files).layout.find("train.py", "vendored") is None


def test_nobody_imports_himself() -> None:
    layout = Layout(("model/__init__.py", "utils/model.py", "utils/tools.py", "alone.py"))
    assert layout.find("utils/model.py", "model") == "model/__init__.py"
    assert layout.find("utils/tools.py", "model") == "utils/model.py"
    assert layout.find("alone.py", "alone") is None


@pytest.mark.parametrize("name", ["triton", "timm", "deepspeed"])
def test_a_part_of_a_package_that_is_called_like_a_library(name: str) -> None:
    files = ("mine/__init__.py", "mine/ops/__init__.py", f"mine/ops/{name}/__init__.py", f"mine/ops/{name}/kernels.py")
    layout = Layout(files)
    assert layout.find(f"mine/ops/{name}/kernels.py", name) is None
    assert not layout.has_folder(f"mine/ops/{name}/kernels.py", name)
    assert layout.find(f"mine/ops/{name}/kernels.py", f"mine.ops.{name}") == f"mine/ops/{name}/__init__.py"


@pytest.mark.parametrize("name", ["triton", "timm"])
def test_the_project_may_be_the_library(name: str) -> None:
    layout = Layout((f"{name}/__init__.py", f"{name}/models/__init__.py", f"{name}/models/net.py", "train.py"))
    assert layout.find(f"{name}/models/net.py", f"{name}.models") == f"{name}/models/__init__.py"
    assert layout.find("train.py", name) == f"{name}/__init__.py"


def test_another_project_that_lies_in_this_one() -> None:
    layout = Layout(("fair/fair/__init__.py", "fair/fair/tasks/base.py", "fair/setup.py", "train.py", "jobs/run.py"))
    assert layout.find("train.py", "fair") == "fair/fair/__init__.py"
    assert layout.find("jobs/run.py", "fair.tasks.base") == "fair/fair/tasks/base.py"
    assert layout.find("fair/fair/tasks/base.py", "fair.tasks.base.x") is None
    assert layout.find("train.py", "fair.setup") == "fair/setup.py"
    assert Layout(("fair/tasks.py", "train.py")).find("train.py", "fair.tasks") == "fair/tasks.py"

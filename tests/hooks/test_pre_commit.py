"""The hooks, run by pre-commit itself from a copy of this repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GIT = shutil.which("git")

LISTING = "import os\n\n\ndef classes(root):\n    return {name: index for index, name in enumerate(os.listdir(root))}\n"
TRAIN = "import torch\nfrom seeds import seed\nseed()\nmodel = torch.nn.Linear(2, 2)\nmodel(torch.ones(1, 2)).sum().backward()\n"
SEEDS = "import torch\n\n\ndef seed():\n    torch.manual_seed(0)\n"

pytestmark = [
    pytest.mark.network,
    pytest.mark.timeout(600),  # environments are installed
    pytest.mark.skipif(GIT is None, reason="there is no git"),
    pytest.mark.skipif(find_spec("pre_commit") is None, reason="pre-commit is not installed"),
]

Run = Callable[..., subprocess.CompletedProcess[str]]


def git(folder: Path, *args: str) -> str:
    assert GIT is not None
    alone = (
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@example.org",
        "-c",
        "commit.gpgsign=false",
        "-c",
        "core.hooksPath=/dev/null",
    )
    return subprocess.run((GIT, *alone, *args), cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def tool(tmp_path: Path) -> Path:
    """This repository as it is now, committed."""
    try:
        listed = git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    except subprocess.CalledProcessError:
        pytest.skip("this is no checkout: nothing says which files belong to it")
    copy = tmp_path / "tool"
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file() and not name.startswith(("tests/", "benchmarks/")):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    git(copy, "init", "-q")
    git(copy, "add", "-A")
    git(copy, "commit", "-qm", "now")
    return copy


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A scratch repository whose only fault is the order of a listing."""
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q")
    for name, text in {
        "pyproject.toml": "",
        "data.py": LISTING,
        "train.py": TRAIN,
        "seeds.py": SEEDS,
        "a b.py": "x = 1\n",
    }.items():
        (folder / name).write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    return folder


@pytest.fixture
def pre_commit(project: Path, tmp_path: Path) -> Run:
    environment = {
        **os.environ,
        "PRE_COMMIT_HOME": str(tmp_path / "home"),
        "PRE_COMMIT_COLOR": "never",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    environment.pop("PYTHONPATH", None)

    def run(*args: str) -> subprocess.CompletedProcess[str]:
        command = (sys.executable, "-m", "pre_commit", *args)
        ran = subprocess.run(command, cwd=project, env=environment, check=False, capture_output=True, text=True)
        if "pip" in ran.stdout and any(
            sign in ran.stdout for sign in ("No matching distribution", "Connection", "name resolution")
        ):
            pytest.skip("pip reaches no index to install the hooks from")
        return ran

    return run


def test_all_three_are_tried_from_the_repository(tool: Path, pre_commit: Run, project: Path) -> None:
    ran = pre_commit("try-repo", str(tool), "--all-files")
    assert ran.returncode == 1
    listed = [line.partition("..")[0] for line in ran.stdout.splitlines() if line.endswith(("Failed", "Passed"))]
    assert listed == ["torchdet-lint", "torchdet-lint (safe fixes)", "torchdet-lint (whole project)"]
    assert ran.stdout.count("TDL105") >= 1
    assert "sorted(os.listdir(root))" in (project / "data.py").read_text()
    assert "Traceback" not in ran.stdout + ran.stderr


def test_what_a_commit_passes(tool: Path, pre_commit: Run, project: Path, tmp_path: Path) -> None:
    commit = git(tool, "rev-parse", "HEAD").strip()
    hooks = "".join(f"      - id: {name}\n" for name in ("torchdet-lint", "torchdet-lint-fix", "torchdet-lint-project"))
    (project / ".pre-commit-config.yaml").write_text(
        f"repos:\n  - repo: {tool}\n    rev: {commit}\n    hooks:\n{hooks}"
    )
    git(project, "add", "-A")

    def files(*names: str, hook: str = "torchdet-lint") -> subprocess.CompletedProcess[str]:
        return pre_commit("run", hook, *(("--files", *names) if names else ()))

    # One at a time, and all together: each file has its own findings, whichever are passed with it.
    assert [files(name).returncode for name in ("data.py", "train.py", "seeds.py", "a b.py")] == [1, 0, 0, 0]
    together = files("data.py", "train.py", "seeds.py", "a b.py")
    assert together.stdout.count("TDL105") == 1

    # Outside of the repository: it is another project, or none, and is checked as such.
    outside = tmp_path / "outside.py"
    outside.write_text(LISTING)
    ran = files("../outside.py")
    assert "Traceback" not in ran.stdout + ran.stderr
    assert ran.returncode in (0, 1)

    # A file that is renamed is passed by its new name.
    git(project, "mv", "data.py", "listing.py")
    ran = files()
    assert "listing.py:5" in ran.stdout
    assert "data.py" not in ran.stdout.replace("listing.py", "")

    # The fix changes what is passed, and fails once.
    fixed = files("listing.py", hook="torchdet-lint-fix")
    assert fixed.returncode == 1
    assert "files were modified by this hook" in fixed.stdout
    git(project, "add", "-A")
    assert files("listing.py", hook="torchdet-lint-fix").returncode == 0

    # A commit that only deletes passes no file, and the hook of the whole project still sees what that does.
    git(project, "commit", "-qm", "second")
    assert files(hook="torchdet-lint-project").returncode == 0
    git(project, "rm", "-q", "seeds.py")
    assert "no files to check" in files().stdout
    gone = files(hook="torchdet-lint-project")
    assert gone.returncode == 1, gone.stdout
    assert "train.py:4" in gone.stdout

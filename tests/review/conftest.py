from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.review.servers import GitHub, GitLab, serving
from torchdet_lint.cli import main

LOADER = "from torch.utils.data import DataLoader\n\n\ndef load(data):\n    return DataLoader(data, batch_size=4, shuffle=True)\n"
"""A file with one finding, TDL101 in line 5."""

CLEAN = "import torch\n\n\ndef scale(x):\n    return x * 2\n"
BENCHMARK = "import torch\n\ntorch.backends.cudnn.benchmark = True\n"
"""A file with one finding, TDL201 in line 3."""

_CI = ("GITHUB_", "GITLAB_", "GH_", "CI_", "TORCHDET_LINT_", "GIT_")


class Ran(NamedTuple):
    status: int
    out: str
    err: str


class Repo:
    """A git repository that knows nothing of whoever runs the tests."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        if not (path / ".git").exists():
            self.git("init", "-q", "-b", "main", "--template=", ".")
            with (path / ".git" / "config").open("a") as file:
                file.write("[user]\n\tname = Somebody\n\temail = somebody@example.org\n")

    def git(self, *args: str, data: str | None = None) -> str:
        environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        done = subprocess.run(
            ("git", *args), cwd=self.path, env=environment, input=data, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def write(self, files: dict[str, str | bytes | None]) -> None:
        """Writes files; None deletes one."""
        for name, content in files.items():
            path = self.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if content is None:
                path.unlink()
            else:
                path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self, files: dict[str, str | bytes | None]) -> str:
        self.write(files)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "a change")
        return self.git("rev-parse", "HEAD")


@pytest.fixture(autouse=True)
def no_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the CI system nor the configuration of whoever runs the tests is seen."""
    for name in list(os.environ):
        if name.startswith(_CI):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the repository of every test starts as."""
    made = Repo(tmp_path_factory.mktemp("model"))
    made.commit({"util.py": CLEAN})
    return made.path


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: Path) -> Repo:
    """A repository, which is the working directory, with one file on the branch `main`."""
    shutil.copytree(model, tmp_path / "project")
    made = Repo(tmp_path / "project")
    monkeypatch.chdir(made.path)
    return made


@pytest.fixture
def review(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    def run(*args: str) -> Ran:
        status = main(("review", "-j", "1", *args))
        return Ran(status, *capsys.readouterr())

    return run


@pytest.fixture
def github() -> Iterator[GitHub]:
    with serving(GitHub()) as server:
        yield server


@pytest.fixture
def gitlab() -> Iterator[GitLab]:
    with serving(GitLab()) as server:
        yield server

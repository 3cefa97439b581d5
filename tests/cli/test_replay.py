"""The same command twice: the second says the same at once, unless anything that matters has changed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import torchdet_lint

TRAIN = "import torch\n\nmodel = torch.nn.Linear(2, 3)\n"


class Command:
    """Runs the tool in a folder in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "PYTHONPATH": str(Path(torchdet_lint.__file__).parent.parent)}

    def __call__(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "torchdet_lint", *arguments],
            cwd=self.folder,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def replayed(self, *arguments: str, **environment: str) -> bool:
        """Whether the command line was not even parsed; and the outcome must be that of a run without a cache."""
        found = self(*arguments, **environment)
        fresh = self(*arguments, "--no-cache", **environment)
        assert (found.returncode, found.stdout) == (fresh.returncode, fresh.stdout)
        return not any(line.split("|")[-1].strip() == "click" for line in found.stderr.splitlines())


@pytest.fixture
def command(tmp_path: Path) -> Command:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "train.py").write_text(TRAIN)
    for path in (tmp_path / "pyproject.toml", tmp_path / "train.py"):
        os.utime(path, (time.time() - 60, time.time() - 60))
    return Command(tmp_path)


def test_the_second_run_repeats_the_first(command: Command) -> None:
    assert not command.replayed()
    assert command.replayed()
    assert not command.replayed("--output-format", "json")
    assert command.replayed("--output-format", "json")
    assert not command.replayed("--output-format", "html")
    assert command.replayed("--output-format", "html")
    assert not command.replayed("check", "train.py")
    assert command.replayed("check", "train.py")


def test_whatever_a_run_depends_on_is_looked_at(command: Command) -> None:
    folder = command.folder
    command()
    assert command.replayed()
    (folder / "train.py").write_text("import torch\ntorch.manual_seed(0)\nmodel = torch.nn.Linear(2, 3)\n")
    assert not command.replayed()
    assert command.replayed()
    (folder / "pyproject.toml").write_text("[tool.torchdet-lint]\nselect = ['TDL9']\n")
    assert not command.replayed()
    (folder / "torchdet-lint.toml").write_text("select = ['TDL0']\n")
    assert not command.replayed()
    (folder / "new.py").write_text(TRAIN)
    assert not command.replayed()
    (folder / ".gitignore").write_text("new.py\n")
    assert not command.replayed()
    (folder / "requirements.txt").write_text("torch==1.8\n")
    assert not command.replayed()
    assert command.replayed()
    assert not command.replayed(NO_COLOR="1")


def test_what_does_more_than_print_is_run_again(command: Command, tmp_path: Path) -> None:
    for _ in range(2):
        assert not command.replayed("--output", f"json={tmp_path / 'out.json'}")
        (tmp_path / "out.json").unlink()
    for _ in range(2):
        assert "click" in command("--verbose").stderr
    assert not command.replayed("-")


def test_a_run_in_trouble_is_run_again(command: Command) -> None:
    (command.folder / "pyproject.toml").write_text("[tool.torchdet-lint]\nselekt = []\n")
    for _ in range(2):
        assert not command.replayed()


def test_the_folder_can_be_chosen(command: Command, tmp_path: Path) -> None:
    command("--cache-dir", "kept")
    assert (command.folder / "kept").is_dir()
    assert not (command.folder / ".torchdet_lint_cache").exists()
    assert command.replayed("--cache-dir", "kept")
    command(TORCHDET_LINT_CACHE_DIR="other")
    assert (command.folder / "other").is_dir()
    assert command.replayed(TORCHDET_LINT_CACHE_DIR="other")
    (command.folder / "pyproject.toml").write_text("[tool.torchdet-lint]\ncache-dir = 'third'\n")
    command()
    assert (command.folder / "third" / "runs").is_dir()
    # The arguments and the configuration must be read to know the folder; the engine need not run.
    assert not command.replayed()
    assert "torchdet_lint.engine.pipeline" not in command().stderr


@pytest.mark.parametrize(("place", "why"), [(".", "holds other things"), ("train.py", "is no folder")])
def test_a_cache_is_not_put_where_something_else_is(command: Command, place: str, why: str) -> None:
    """It would hide from git, and from the check, what lies there."""
    for how in ({"TORCHDET_LINT_CACHE_DIR": place}, {}):
        ran = command(*(() if how else ("--cache-dir", place)), **how)
        assert ran.returncode == 2
        assert ran.stderr.count("cannot be in") == 1
        assert f": it {why}; name a folder" in ran.stderr
        assert sorted(os.listdir(command.folder)) == ["pyproject.toml", "train.py"]


def test_an_empty_folder_and_what_is_left_of_a_cache_are_taken(command: Command) -> None:
    (command.folder / "kept" / "shelves").mkdir(parents=True)
    command("--cache-dir", "kept")
    assert command.replayed("--cache-dir", "kept")


def test_clean_deletes_the_cache_and_nothing_else(command: Command) -> None:
    command()
    assert "deleted" in command("clean").stderr
    assert sorted(os.listdir(command.folder)) == ["pyproject.toml", "train.py"]
    again = command("clean")
    assert again.returncode == 0
    assert again.stderr.endswith(f"nothing to delete: there is no cache at {command.folder}/.torchdet_lint_cache\n")
    (command.folder / "mine").mkdir()
    (command.folder / "mine" / "work.txt").write_text("x")
    assert "is no cache of torchdet-lint" in command("clean", "--cache-dir", "mine").stderr
    assert (command.folder / "mine" / "work.txt").exists()


def test_clean_empties_a_linked_cache_and_leaves_the_link(
    command: Command, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The link is the user's; without the folder that it leads to, no later run could keep anything."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (command.folder / ".torchdet_lint_cache").symlink_to(elsewhere)
    command()
    assert (elsewhere / "runs").is_dir()
    assert command("clean").returncode == 0
    assert os.listdir(elsewhere) == []
    assert (command.folder / ".torchdet_lint_cache").is_symlink()
    command()
    assert command.replayed()


def test_without_a_cache_nothing_is_written(command: Command) -> None:
    command("--no-cache")
    command("-n")
    assert sorted(os.listdir(command.folder)) == ["pyproject.toml", "train.py"]


def test_old_runs_are_forgotten(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    from torchdet_lint.cli import main, replay

    monkeypatch.chdir(command.folder)
    monkeypatch.setattr(replay, "KEPT", 2)
    for rule in ("TDL001", "TDL002", "TDL003", "TDL004"):
        main(["--select", rule, "--quiet"])
    assert len(os.listdir(command.folder / ".torchdet_lint_cache" / "runs")) == 2

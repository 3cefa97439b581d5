"""Other linters, each in an environment of its own, and how they are called."""

from __future__ import annotations

import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import Contender


class Rival(NamedTuple):
    """A linter: what pip calls it, and its command without the program's folder and the paths."""

    name: str
    requirement: str
    command: tuple[str, ...]
    fine: frozenset[int] = frozenset((0,))


RIVALS = (
    Rival(
        "ruff",
        "ruff",
        ("ruff", "check", "--isolated", "--no-respect-gitignore", "--exit-zero", "--quiet", "--no-cache"),
    ),
    Rival("torchfix", "torchfix", ("torchfix", "--select", "ALL")),
    Rival("fixit", "fixit", ("fixit", "--quiet", "lint"), frozenset((0, 1))),
    Rival("flake8", "flake8", ("flake8", "--isolated", "--exit-zero")),
    Rival("pylint", "pylint", ("pylint", "--rcfile=/dev/null", "--recursive=y", "--exit-zero", "--score=n")),
)
RUFF_SELECT = ("--select", "NPY,B")


class Installed(NamedTuple):
    """A rival that can be run: its programs' folder, and its version."""

    rival: Rival
    programs: Path
    version: str

    def contender(self, paths: Sequence[Path], cache: Path | None = None) -> Contender:
        """The command for these paths; with a `cache`, for ruff, what it has kept there is used."""
        program, *rest = self.rival.command
        select = RUFF_SELECT if self.rival.name == "ruff" else ()
        if cache is not None:
            rest = [*(each for each in rest if each != "--no-cache"), "--cache-dir", str(cache)]
        return Contender(
            self.rival.name, (str(self.programs / program), *rest, *select, *map(str, paths)), fine=self.rival.fine
        )


def install(rival: Rival, home: Path) -> Installed | str:
    """The rival, installed below `home` if it was not; or in one line why it cannot be had."""
    folder = home / "rivals" / rival.name
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    try:
        if not (programs / rival.command[0]).exists():
            print(f"  install {rival.name}", file=sys.stderr)
            venv.create(folder, with_pip=True, clear=True)
            _pip(programs, "install", "--quiet", rival.requirement)
        return Installed(rival, programs, _version(programs, rival.requirement))
    except (subprocess.SubprocessError, OSError) as error:
        said = getattr(error, "stderr", "") or str(error)
        return f"could not be installed: {said.strip().splitlines()[-1][:120]}"


def _version(programs: Path, requirement: str) -> str:
    shown = _pip(programs, "show", requirement)
    return next(line.removeprefix("Version: ") for line in shown.splitlines() if line.startswith("Version: "))


def _pip(programs: Path, *args: str) -> str:
    command = (str(programs / "python"), "-m", "pip", "--disable-pip-version-check", *args)
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout

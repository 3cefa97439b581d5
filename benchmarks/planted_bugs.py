"""Runs programs with a planted fault each, and says how often `verify` names the right factor and the exact line.

`python -m benchmarks.planted_bugs [NAME…]`; `--write` puts the table into `docs/verify-planted.md`. A program's first line names
the factor (`none`: the program is clean), and the line that should be named ends in `# culprit`. Each takes about ten runs.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from torchdet_lint.verify.experiment import ProgramFailed, perform
from torchdet_lint.verify.factors import GROUPS
from torchdet_lint.verify.running import Sample, execute
from torchdet_lint.verify.verdict import judge

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "planted"
PAGE = HERE.parent / "docs" / "verify-planted.md"


class Outcome(NamedTuple):
    """What was planted, and what was named: factors and a line for each. `runs`: how many it took."""

    name: str
    factor: str
    line: int
    named: tuple[tuple[str, int], ...]
    runs: int

    @property
    def right(self) -> bool:
        """Whether the factor is named, and no other."""
        named = {factor for factor, _ in self.named}
        return named == {self.factor} if self.factor != "none" else not named

    @property
    def exact(self) -> bool:
        """Whether the line is the one that was planted."""
        return self.right and (self.factor == "none" or (self.factor, self.line) in self.named)


def planted(path: Path) -> tuple[str, str, int]:
    """The factor, the launcher and the line of a program."""
    lines = path.read_text(encoding="utf-8").splitlines()
    factor = lines[0].removeprefix("# factor: ")
    command = lines[1].removeprefix("# command: ") if lines[1].startswith("# command: ") else ""
    return factor, command, next((number for number, line in enumerate(lines, 1) if line.endswith("# culprit")), 0)


def tried(path: Path, python: str, chosen: frozenset[str] = frozenset(GROUPS["all"])) -> Outcome:
    """Verifies one program in a folder of its own, with these factors."""
    factor, launcher, line = planted(path)
    command = (python, "-m", "torch.distributed.run", "--nproc-per-node", "2") if launcher == "torchrun" else (python,)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as base:
        folder = Path(base, "project")
        folder.mkdir()
        (folder / "train.py").write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
        sample = Sample((*command, "train.py"), str(folder), os.path.realpath(base), steps=3)
        try:
            found = judge([], perform(partial(execute, sample), chosen, frozenset(), lambda *_: None))
        except ProgramFailed as failed:
            sys.exit(f"{path.name} fails by itself:\n{failed.run.outcome.stderr[-3000:]}")
    # A number of threads that changes a sum is told beside other factors, and is one only where it was planted.
    told = [one for one in found.unexplained if one.factor != "threads" or factor == "threads"]
    named = tuple((one.factor, int(one.place.rsplit(":", 2)[1]) if one.place else 0) for one in told)
    return Outcome(path.stem, factor, line, named, len(found.experiment.runs))


def table(outcomes: Sequence[Outcome]) -> list[str]:
    """The page's lines."""
    bugs = [one for one in outcomes if one.factor != "none"]
    clean = [one for one in outcomes if one.factor == "none"]
    right, exact = sum(one.right for one in bugs), sum(one.exact for one in bugs)
    alarms = sum(not one.right for one in clean)
    lines = [
        "# Planted faults",
        "",
        "Written by `python -m benchmarks.planted_bugs --write`. Each program of `benchmarks/planted/` has one fault; `verify`",
        "is run without any findings, so that it must find factor and line by itself.",
        "",
        f"**{right} of {len(bugs)} factors right, {exact} at the exact line, {alarms} alarms on {len(clean)} clean programs.**",
        "",
        "| program | planted | at line | named | factor | line | runs |",
        "|---|---|---:|---|---|---|---:|",
    ]
    for one in outcomes:
        named = ", ".join(f"{factor or 'unknown'}:{line}" for factor, line in one.named) or "nothing"
        marks = "right" if one.right else "**wrong**", "exact" if one.exact else "near" if one.right else ""
        lines.append(
            f"| {one.name} | {one.factor} | {one.line or ''} | {named} | {marks[0]} | {marks[1]} | {one.runs} |"
        )
    return lines


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.planted_bugs", description=__doc__)
    parser.add_argument("--python", default=sys.executable, help="an interpreter that has torch")
    parser.add_argument("--write", action="store_true", help=f"write docs/{PAGE.name}")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these programs")
    given = parser.parse_args(argv)
    outcomes = []
    for path in sorted(PROGRAMS.glob("*.py")):
        if not given.names or path.stem in given.names:
            outcomes.append(tried(path, given.python))
            print(outcomes[-1], file=sys.stderr, flush=True)
    said = "\n".join(table(outcomes)) + "\n"
    print(said)
    if given.write:
        PAGE.write_text(said, encoding="utf-8")
    return int(not all(one.right for one in outcomes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

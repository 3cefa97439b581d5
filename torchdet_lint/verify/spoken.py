"""What is said of one finding, and the lines that a finding is about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from torchdet_lint.finding import Finding, Location
from torchdet_lint.verify.compare import Divergence
from torchdet_lint.verify.record import Event

MEANING = {
    "confirmed": "two plain runs differ, and what the rule suspects makes the difference",
    "confirmed-hidden": "two plain runs agree, but what the rule suspects changes the result when it changes",
    "refuted-on-this-torch": "the line ran, and what the rule claims did not happen",
    "no-effect-seen": "the line ran, and the change reached no result; this is no proof",
    "not-reached": "the sample never ran the line",
    "needs-cuda": "only an accelerator can show it",
    "unprobed": "this sample does not test it",
    "confounded": "something else differs at the same place; fix that first",
}
"""Verdicts, in the order of reports, and what they mean."""


@dataclass(frozen=True)
class Verdict:
    """What the runs say about one finding. `checks` are the runs that were decisive; `reason` is one line for people."""

    finding: Finding
    verdict: str
    reason: str
    factor: str = ""
    source: Event | None = None
    divergence: Divergence | None = None
    checks: tuple[str, ...] = ()
    cuda_check: str = ""


def lines_of(finding: Finding) -> Iterator[tuple[str, int]]:
    """The lines that a finding is about, with those of the way there."""
    for at in (finding.location, *(related.location for related in finding.related)):
        yield from span(at)


def span(at: Location) -> Iterator[tuple[str, int]]:
    for line in range(at.line, at.line + min(at.end_line - at.line, 200) + 1):
        yield path_of(at), line


def path_of(at: Location) -> str:
    """The path as events name it: a notebook's cells have paths of their own (`train.ipynb:cell 3`)."""
    return at.path if at.cell is None else f"{at.path}{_CELL}{at.cell}"


def file_of(path: str) -> str:
    """The file that a path of an event is in."""
    return path.partition(_CELL)[0]


def cell_of(path: str) -> int:
    """The number of the notebook's cell that a path of an event names, 0 for other files."""
    number = path.partition(_CELL)[2]
    return int(number) if number.isdecimal() else 0


def ordered_line(path: str, line: int) -> tuple[str, int]:
    """The file of a line, and a number that orders the lines of all cells of a notebook."""
    return file_of(path), cell_of(path) * _LINES + line


_CELL = ":cell "
_LINES = 100_000
"""More than a cell has."""


def line_at(place: str) -> tuple[str, int]:
    path, line, _ = place.rsplit(":", 2)
    return path, int(line)

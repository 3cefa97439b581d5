"""Findings: what a rule says about a place, as frozen values that every report can read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

SEVERITIES = ("note", "warning", "error")
"""From least to most severe; an index in this tuple is the rank."""

CONFIDENCES = ("low", "medium", "high")
EFFECTS = ("run", "cuda", "machine", "stream", "frozen")


class Location(NamedTuple):
    """A place in a file, in lines and columns counted from 1; columns are code points, the end is exclusive.

    In a notebook `line` and `end_line` count within code cell `cell` (cells of every kind are counted, from 1), and
    `file_line` is the line of the raw `.ipynb` file. In other files both are None.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    cell: int | None = None
    file_line: int | None = None


class Related(NamedTuple):
    """A place that helps to understand a finding, with a short label."""

    location: Location
    label: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a rule says about one place.

    `program` is the path of the entry file for program rules, and None for site rules. `fingerprint` names the finding
    across edits elsewhere in the file; it holds no line number (see `torchdet_lint.engine.fingerprint`).
    """

    code: str
    name: str
    severity: str
    confidence: str
    effect: str
    message: str
    location: Location
    program: str | None = None
    related: tuple[Related, ...] = ()
    help: str = ""
    url: str = ""
    fingerprint: str = ""

    @property
    def sort_key(self) -> tuple[str, int, int, int, str, str]:
        """Reports are ordered by path, place, code; two findings of one place by message."""
        at = self.location
        return (at.path, at.cell or 0, at.line, at.column, self.code, self.message)

"""Findings: what a rule says about a place, as frozen values that every report can read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

SEVERITIES = ("note", "warning", "error")
"""From least to most severe; an index in this tuple is the rank."""

CONFIDENCES = ("low", "medium", "high")
EFFECTS = ("run", "cuda", "machine", "stream", "frozen")
SAFETIES = ("safe", "unsafe", "display")
"""How far a fix may go: *safe* cannot change what a correct run computes, *unsafe* changes results, order or speed or can
raise, and *display* is only shown."""


VERDICTS = (
    "confirmed", "confirmed-hidden", "refuted-on-this-torch", "no-effect-seen", "not-reached", "needs-cuda", "confounded",
    "unprobed",
)  # fmt: skip
"""What running something says about a finding, as reports order it."""

CONFIRMING = VERDICTS[:2]
"""Those that were seen at work; the second only once something was changed that two plain runs have in common."""


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


class Edit(NamedTuple):
    """A replacement of `location` in the text as it was analysed; `start` and `end` are the same place in code point
    offsets (of the joined code cells in a notebook), end exclusive.
    """

    location: Location
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """What would make a finding go away: `title` completes "fix: …", `safety` is one of `SAFETIES`.

    `edits` do not overlap, and all of them belong together. `imports` are the insertions of import statements that they
    need; several fixes may need the same one, which is then made once.
    """

    title: str
    safety: str
    edits: tuple[Edit, ...]
    imports: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the companion has seen of a finding, in a probe or in a run of the user's program.

    `verdict` is one of `VERDICTS`. `text` says in one line what was run and seen, or why nothing was. `factor` names what the
    two sides differed in, `check` the check that a machine with CUDA would run; either may be empty.

    `confirmed`: seen at work. `confirmed-hidden`: seen only after something was changed that two plain runs have in common.
    `refuted-on-this-torch`: what the finding claims was tried, and is not so in this version. `no-effect-seen`: tried, and
    nothing was seen, which proves nothing. `not-reached`: the program was run, and not this line. `needs-cuda`: takes an
    accelerator. `confounded`: something else differs at the same place. `unprobed`: not tried.
    """

    verdict: str
    text: str
    factor: str = ""
    check: str = ""

    @property
    def confirms(self) -> bool:
        """Whether the finding was seen at work."""
        return self.verdict in CONFIRMING


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a rule says about one place.

    `program` is the path of the entry file for program rules, and None for site rules. `fingerprint` names the finding
    across edits elsewhere in the file; it holds no line number (see `torchdet_lint.engine.fingerprint`). `variant` is the
    message of the rule file that was chosen, `fix` what would make the finding go away, where that is known. `evidence` is what
    the companion has to say about it, where it was asked; no rule gives any.
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
    variant: str = ""
    fix: Fix | None = None
    evidence: Evidence | None = None

    @property
    def sort_key(self) -> tuple[str, int, int, int, str, str]:
        """Reports are ordered by path, place, code; two findings of one place by message."""
        at = self.location
        return (at.path, at.cell or 0, at.line, at.column, self.code, self.message)

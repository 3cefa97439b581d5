"""What a report is made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from torchdet_lint.card import ProgramCard
from torchdet_lint.engine.options import Work, no_excerpt
from torchdet_lint.finding import SEVERITIES, Finding, Location

if TYPE_CHECKING:
    from torchdet_lint.catalog.rules import Rule

__all__ = ["Report", "count"]


@dataclass(frozen=True, slots=True)
class Report:
    """The findings of a run, in order, and what is said about the run as a whole.

    `rules` holds at least the rules of the findings, by code. `excerpt` gives the source lines of a place (see
    `torchdet_lint.engine.options.Result`). `elapsed` is in seconds; it and `work` are None where they are not to be shown.
    `fixed` findings are no longer among the others; `known` counts those that a baseline holds. `cards` describe the programs for
    the formats that show them, `files` are the paths that were checked. `excused` is that of
    `torchdet_lint.engine.options.Result`.
    """

    findings: tuple[Finding, ...]
    files_checked: int
    rules: Mapping[str, Rule] = field(default_factory=dict)
    excerpt: Callable[[Location], tuple[str, ...]] = no_excerpt
    problems: tuple[str, ...] = ()
    suppressed: int = 0
    programs: int = 0
    version: str = ""
    elapsed: float | None = None
    work: Work | None = None
    fixed: tuple[Finding, ...] = ()
    known: int = 0
    cards: tuple[ProgramCard, ...] = ()
    files: tuple[str, ...] = ()
    excused: Mapping[str, str] | None = None

    def by_severity(self) -> dict[str, int]:
        """The number of findings of each severity, most severe first, zeros included."""
        counts = Counter(finding.severity for finding in self.findings)
        return {severity: counts[severity] for severity in reversed(SEVERITIES)}

    def fixable(self, safety: str) -> int:
        """How many findings have a fix of this safety."""
        return sum(finding.fix is not None and finding.fix.safety == safety for finding in self.findings)


def count(number: int, singular: str) -> str:
    """`"1 file"`, `"2 files"`."""
    return f"{number} {singular}" if number == 1 else f"{number} {singular}s"

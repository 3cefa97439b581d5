"""A finding that is to be fixed, with what a fix is made from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from torchdet_lint import ir
from torchdet_lint.analysis.trace import Event
from torchdet_lint.checks.facts import LIBRARY, Facts, ProgramFacts
from torchdet_lint.checks.seed_options import REPEATED
from torchdet_lint.finding import Edit, Finding, Fix
from torchdet_lint.fixes.code import Code
from torchdet_lint.fixes.imports import Named, named


@dataclass
class Target:
    """`start` and `end` are the span of the finding in the text; `codes` gives the code of other files by path."""

    finding: Finding
    facts: Facts
    code: Code
    start: int
    end: int
    events: tuple[Event, ...]

    @property
    def variant(self) -> str:
        return self.finding.variant

    @property
    def api(self) -> str:
        return self.events[0].api if self.events else ""

    @property
    def program(self) -> ProgramFacts | None:
        return self.facts.program(self.finding.program) if self.finding.program is not None else None

    @cached_property
    def call(self) -> tuple[ir.Call, int] | None:
        """The call that the finding is about, with the base of its spans."""
        return self.code.call(self.start, self.end)

    @property
    def text(self) -> str:
        return self.code.text[self.start : self.end]

    def named(self, dotted: str, at: int | None = None) -> Named | None:
        return named(self.code, dotted, self.start if at is None else at)

    def is_repeated(self) -> bool:
        """Whether a program runs the place again and again, or it may well be: a new start there would repeat itself."""
        scopes = {event.site.scope.rpartition(".")[2] for event in self.events}
        if not scopes.isdisjoint(REPEATED):
            return True
        visits = [visit for event in self.events for visit in self.facts.visits.get(event, ())]
        return any(visit.around.loop or visit.around.worker for visit in visits if visit.program != LIBRARY)


def fix(title: str, safety: str, edits: Iterable[Edit | None], names: Iterable[Named | None] = ()) -> Fix | None:
    """A fix of edits and of the imports that the names in them take; None when a part of it could not be made."""
    parts, spelled = list(edits), list(names)
    whole = [each for each in parts if each is not None]
    known = [each for each in spelled if each is not None]
    if not whole or len(whole) < len(parts) or len(known) < len(spelled):
        return None
    imports = dict.fromkeys(edit for each in known for edit in each.imports)
    return Fix(title, safety, tuple(sorted(whole, key=lambda edit: (edit.start, edit.end))), tuple(imports))

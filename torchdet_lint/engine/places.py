"""Places: from those of the engine, where files are named from the root, to those that users see, and to source text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from torchdet_lint.card import FamilyCard, LoaderCard, ModeCard, ProgramCard
from torchdet_lint.finding import Finding, Fix, Location, Related
from torchdet_lint.source import SourceFile

T = TypeVar("T", Location, Related, FamilyCard, LoaderCard, ModeCard)
"""A named tuple of places and texts."""


def offset(source: SourceFile, place: Location) -> int:
    """The offset in the source's text of the start of a place."""
    return _offset(source, place, place.line, place.column)


def span(source: SourceFile, place: Location) -> tuple[int, int]:
    """The span of the source's text that a place covers."""
    return offset(source, place), _offset(source, place, place.end_line, place.end_column)


def excerpt(source: SourceFile, place: Location) -> tuple[str, ...]:
    """The lines of a place without their line ends."""
    return tuple(source.line_text(line, place.cell) for line in range(place.line, place.end_line + 1))


def _offset(source: SourceFile, place: Location, line: int, column: int) -> int:
    if place.cell is not None and source.notebook is not None:
        line = source.notebook.text_line(place.cell, line) or 1
    starts = source.line_starts
    return min(starts[min(line, len(starts)) - 1] + column - 1, len(source.text))


class Displayed:
    """Puts in the paths that users see; `displays` has them by key."""

    def __init__(self, displays: Mapping[str, str]) -> None:
        self._displays = displays

    def path(self, key: str) -> str:
        return self._displays.get(key, key)

    def finding(self, finding: Finding) -> Finding:
        return replace(
            finding,
            location=self.part(finding.location),
            related=tuple(map(self.part, finding.related)),
            program=None if finding.program is None else self.path(finding.program),
            fix=None if finding.fix is None else self.fix(finding.fix),
        )

    def fix(self, fix: Fix) -> Fix:
        edits, imports = (
            tuple(each._replace(location=self.part(each.location)) for each in part)
            for part in (fix.edits, fix.imports)
        )
        return replace(fix, edits=edits, imports=imports)

    def card(self, card: ProgramCard) -> ProgramCard:
        return replace(
            card,
            path=self.path(card.path),
            families=tuple(map(self.part, card.families)),
            loaders=tuple(map(self.part, card.loaders)),
            modes=tuple(map(self.part, card.modes)),
            order=tuple(map(self.part, card.order)),
        )

    def part(self, part: T) -> T:
        """A location, or whatever holds locations, with every path in it replaced."""
        if isinstance(part, Location):
            return part._replace(path=self.path(part.path))
        return type(part)(*[self._value(value) for value in part])

    def _value(self, value: Any) -> Any:
        if isinstance(value, Location):
            return self.part(value)
        if isinstance(value, tuple) and value and isinstance(value[0], Related):
            return tuple(self.part(each) for each in value)
        return value

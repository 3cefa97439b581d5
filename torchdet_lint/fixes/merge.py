"""Several fixes of one round: which of them go together."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable
from typing import NamedTuple

from torchdet_lint.finding import Edit, Finding, Fix


class Proposal(NamedTuple):
    """A finding with the fix that is to be made; several findings may share one."""

    finding: Finding
    fix: Fix


class Merged(NamedTuple):
    """The fixes that were taken, and what has to be done for them, by file."""

    taken: tuple[Proposal, ...]
    edits: dict[str, tuple[Edit, ...]]


def merge(proposals: Iterable[Proposal]) -> Merged:
    """The fixes that do not touch each other: the first in the order of places wins, the others wait for the next round.

    A fix that is the same as one that was taken is made with it, once. Imports are made once each.
    """
    taken: list[Proposal] = []
    made: set[Fix] = set()
    edits, imports = _Places(), _Places()
    for each in proposals:
        fix = each.fix
        if fix in made:
            taken.append(each)
        elif not any(edits.touch(edit) or imports.touch(edit) for edit in fix.edits) and not any(
            edits.touch(edit) for edit in fix.imports
        ):
            taken.append(each)
            made.add(fix)
            edits.add(fix.edits)
            imports.add(edit for edit in fix.imports if edit not in imports.all)
    return Merged(tuple(taken), _by_file([*_joined(imports.all), *edits.all]))


class _Places:
    """Edits that were taken, in the order of their places in each file."""

    def __init__(self) -> None:
        self.all: dict[Edit, None] = {}
        self._spans: dict[str, list[tuple[int, int]]] = {}

    def add(self, edits: Iterable[Edit]) -> None:
        for edit in edits:
            self.all[edit] = None
            insort(self._spans.setdefault(edit.location.path, []), (edit.start, edit.end))

    def touch(self, edit: Edit) -> bool:
        """Whether an edit overlaps one of these, or is about the same place."""
        spans = self._spans.get(edit.location.path, [])
        at = bisect_left(spans, (edit.start, edit.start))
        near = spans[max(at - 1, 0) : bisect_left(spans, (edit.end + 1, -1))]
        return any(_touch(start, end, edit) for start, end in near)


def _touch(start: int, end: int, edit: Edit) -> bool:
    if start == end or edit.start == edit.end:
        return start <= edit.end and edit.start <= end
    return start < edit.end and edit.start < end


def _joined(imports: Iterable[Edit]) -> list[Edit]:
    """Insertions of imports; of those at one place only one sets its block off with a blank line."""
    listed = sorted(imports, key=lambda edit: (edit.location.path, edit.start, *_order(edit.text)))
    for index in range(1, len(listed)):
        before, edit = listed[index - 1], listed[index]
        if (before.location.path, before.start) == (edit.location.path, edit.start):
            if _blank(before.text, 0) and _blank(edit.text, 0):
                listed[index] = edit._replace(text=edit.text[len(_blank(edit.text, 0)) :])
            elif _blank(before.text, -1) and _blank(edit.text, -1):
                listed[index - 1] = before._replace(text=before.text[: -len(_blank(before.text, -1))])
    return listed


def _order(text: str) -> tuple[bool, bool, str]:
    """Blocks that exist first, then those that begin; alphabetical in each."""
    return (bool(_blank(text, 0)), not _blank(text, -1), text.strip())


def _blank(text: str, side: int) -> str:
    """The line end of the blank line at the head (0) or foot (-1) of an insertion, "" where there is none."""
    for newline in ("\r\n", "\n", "\r"):
        if (text.startswith if side == 0 else text.endswith)(newline * 2):
            return newline
    return ""


def _by_file(edits: Iterable[Edit]) -> dict[str, tuple[Edit, ...]]:
    found: dict[str, list[Edit]] = {}
    for edit in edits:
        found.setdefault(edit.location.path, []).append(edit)
    return {path: tuple(sorted(each, key=lambda edit: (edit.start, edit.end))) for path, each in found.items()}

"""Several fixes of one round: which of them go together."""

from __future__ import annotations

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
    edits: list[Edit] = []
    imports: dict[Edit, None] = {}
    for each in proposals:
        if any(each.fix == other.fix for other in taken):
            taken.append(each)
        elif not any(_touch(one, other) for one in each.fix.edits for other in (*edits, *imports)) and not any(
            _touch(one, other) for one in each.fix.imports for other in edits
        ):
            taken.append(each)
            edits += each.fix.edits
            imports.update(dict.fromkeys(each.fix.imports))
    return Merged(tuple(taken), _by_file([*_joined(imports), *edits]))


def _touch(one: Edit, other: Edit) -> bool:
    """Whether two edits overlap, or are about the same place."""
    if one.location.path != other.location.path:
        return False
    if one.start == one.end or other.start == other.end:
        return one.start <= other.end and other.start <= one.end
    return one.start < other.end and other.start < one.end


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

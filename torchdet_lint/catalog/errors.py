"""What goes wrong with the catalogue and with what users write about it, and how a near name is suggested."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile


class CatalogError(ValueError):
    """A rule or family file that cannot be used; the message is one line: where, what, what to do."""


class SelectionError(ValueError):
    """A selector that names no rule, family or code; the message is one line with the nearest name."""


class VersionError(ValueError):
    """A version or version condition that cannot be read; the message is one line."""


def suggest(name: str, known: Iterable[str]) -> str:
    """` (did you mean "x"?)` for the known name nearest to `name`, or an empty string when none is near."""
    from difflib import SequenceMatcher, get_close_matches  # slow to import, and needed only for errors

    def likeness(each: str) -> tuple[float, int]:
        """Of codes that are equally like it, the one that begins with what somebody remembers."""
        return SequenceMatcher(None, each, name).ratio(), _begins_alike(each, name)

    near = get_close_matches(name, list(known), n=9, cutoff=0.6)
    return f' (did you mean "{max(near, key=likeness)}"?)' if near else ""


def _begins_alike(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))

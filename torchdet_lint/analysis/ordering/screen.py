"""Which top-level statements can make a set, a listing or an order of completion: a look at their text, before any parse."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from torchdet_lint.source import SourceFile, Unit

Words = Mapping[str, frozenset[str]]
"""Last names of callables of libraries that list files or return sets, with the names of these libraries."""

NO_WORDS: Words = MappingProxyType({})


@dataclass(frozen=True, eq=False, slots=True)
class Outside:
    """What is known of libraries besides their listings. `sets` gives the name to show for a callable that returns a set, by its
    canonical dotted name; `words` are those by which their listings and sets are found in a text.
    """

    sets: Callable[[str], str | None]
    words: Words


NOTHING_OUTSIDE = Outside(lambda _: None, NO_WORDS)

LISTING_WORDS = frozenset("listdir scandir walk fwalk glob iglob rglob iterdir".split())
FINISHING_WORDS = frozenset(
    "as_completed imap_unordered map_unordered uimap starmap_unordered get_next_unordered generator_unordered in_order".split()
)
ALIASED_WORDS = LISTING_WORDS | FINISHING_WORDS
"""What is looked for under the names that imports give it, too."""
_STARTING_WORDS = frozenset(
    "Thread Process submit apply_async map_async add_done_callback ThreadPool ThreadPoolExecutor".split()
)
_LISTS = re.compile(rf"\b(?:{'|'.join(sorted(LISTING_WORDS))})\s*\(")
_SETS = re.compile(r"(?<![.\w\"'`-])(?:frozen)?set\b(?!\s*=(?!=)|[\"'`]|[ \t]+[a-z])")
_TYPES = frozenset({"Set", "FrozenSet", "AbstractSet", "MutableSet"})
_KEYS = re.compile(r"\.keys\(\)\s*[-&|^]|[-&|^]\s*[\w.]+\.keys\(\)")
_BRACE = re.compile(r"\{(?!\s*(?:\}|\*\*|(?:[rRbB]?\"[^\"\n]*\"|[rRbB]?'[^'\n]*'|[-\w.]+)\s*:))")
"""A brace, unless it is plain to see that it opens a dictionary."""
_WALKED = re.compile(r"(?:[(,\[=|&^*-]|\breturn|\bfrom)\s*$")
_LOOP = re.compile(r"\bfor\b.*\bin\s*$")
_LONGEST = 2000
"""Characters before a brace that are looked at: lines of megabytes, with a brace at every step, exist."""


def makes_order(source: SourceFile, unit: Unit, outside: Words = NO_WORDS) -> bool:
    """Whether the statement can make a listing or a set whose elements something may walk through, or start parallel work.

    A set display is not counted where it is only looked up (`x in {"a", "b"}`).
    """
    words, text = unit.words, source.text
    if not words:
        return False
    if not LISTING_WORDS.isdisjoint(words) and _LISTS.search(text, unit.start, unit.end):
        return True
    if not _TYPES.isdisjoint(words) or not FINISHING_WORDS.isdisjoint(words):
        return True
    if ("ray" in words and "wait" in words) or not _STARTING_WORDS.isdisjoint(words):
        return True
    if _calls_outside(source, unit, outside):
        return True
    if ("set" in words or "frozenset" in words) and _SETS.search(text, unit.start, unit.end):
        return True
    if "keys" in words and _KEYS.search(text, unit.start, unit.end):
        return True
    return any(_is_walked(text, match.start()) for match in _BRACE.finditer(text, unit.start, unit.end))


def _calls_outside(source: SourceFile, unit: Unit, outside: Words) -> bool:
    """Whether the statement seems to call something that a library lists or returns a set by."""
    return any(
        any(library in source.text for library in outside[word])
        and re.search(rf"\b{word}\s*\(", source.text[unit.start : unit.end])
        for word in outside.keys() & unit.words
    )


def _is_walked(text: str, brace: int) -> bool:
    """Whether a set display that opens here may get further than a look-up."""
    earliest = max(0, brace - _LONGEST)
    start = text.rfind("\n", earliest, brace) + 1
    before = text[start or earliest : brace]
    if not before.strip():  # the brace stands on a line of its own
        before = text[max(0, brace - 80) : brace]
        return _WALKED.search(before) is not None or _LOOP.search(before) is not None
    if _WALKED.search(before) is None and _LOOP.search(before) is None:
        return False
    whole_line = start > 0 or earliest == 0
    return not whole_line or not _in_string(before)


def _in_string(before: str) -> bool:
    """Whether what follows on the line stands in a string or a comment that begins on it, as braces of f-strings do."""
    quote, escaped = "", False
    for char in before:
        if escaped:
            escaped = False
        elif quote:
            escaped = char == "\\"
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char == "#":
            return True
    return bool(quote)

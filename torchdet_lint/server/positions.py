"""Places of the protocol: lines from 0, and columns in the units that client and server have agreed on (UTF-16 unless said).

Lines end as in Python, after `\\n`, `\\r\\n` or `\\r`, which is what the protocol says too
(https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/#textDocuments).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from lsprotocol.types import Position, PositionEncodingKind, Range

from torchdet_lint.finding import Location
from torchdet_lint.source.lines import line_starts

Excerpt = Callable[[Location], tuple[str, ...]]
"""Gives the lines of a place, without line ends; () where they are not at hand."""


def units(text: str, encoding: str) -> int:
    """The length of a text in the units of an encoding."""
    if encoding == PositionEncodingKind.Utf32 or text.isascii():
        return len(text)
    if encoding == PositionEncodingKind.Utf8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(character > "\uffff" for character in text)


def offset_at(text: str, position: Position, encoding: str) -> int:
    """The offset in code points of a position, which is taken to be at the end of its line, or of the text, where it is behind.
    One inside of a character is taken to be before it.
    """
    starts = line_starts(text)
    if position.line >= len(starts):
        return len(text)
    start = starts[position.line]
    end = starts[position.line + 1] if position.line + 1 < len(starts) else len(text)
    line = text[start:end].rstrip("\r\n")
    if encoding == PositionEncodingKind.Utf32 or line.isascii():
        return start + min(position.character, len(line))
    at, left = 0, position.character
    while at < len(line) and (left := left - units(line[at], encoding)) >= 0:
        at += 1
    return start + at


def position_at(text: str, offset: int, encoding: str) -> Position:
    """The position of an offset in code points."""
    starts = line_starts(text)
    line = bisect_right(starts, offset) - 1
    return Position(line, units(text[starts[line] : offset], encoding))


def range_of(place: Location, excerpt: Excerpt, encoding: str) -> Range:
    """The range of a place in its file or cell."""
    lines = excerpt(place)
    first, last = (lines[0], lines[-1]) if lines else ("", "")
    return Range(
        Position(place.line - 1, _character(first, place.column, encoding)),
        Position(place.end_line - 1, _character(last, place.end_column, encoding)),
    )


def _character(line: str, column: int, encoding: str) -> int:
    """A column, from 1, as a client counts it; what is behind the end of a line that is not at hand counts as it is."""
    before = line[: column - 1]
    return units(before, encoding) + (column - 1 - len(before))


def overlap(one: Range, other: Range) -> bool:
    """Whether two ranges share a place, be it only an end."""
    return _at(one.start) <= _at(other.end) and _at(other.start) <= _at(one.end)


def _at(position: Position) -> tuple[int, int]:
    return position.line, position.character

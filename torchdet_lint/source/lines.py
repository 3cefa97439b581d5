"""Lines: where physical lines start, and which of them make up one logical line.

A line ends as in Python: after `\\n`, `\\r\\n` or `\\r`. Form feeds, vertical tabs and Unicode separators end no line.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

_LINE_END = re.compile(r"\r\n?|\n")
_BRACKETS = re.compile(r"[()\[\]{}]")


def line_starts(text: str) -> tuple[int, ...]:
    """The offset of the start of every line; a text that ends with a line end has an empty last line."""
    if "\r" in text:
        return (0, *[found.end() for found in _LINE_END.finditer(text)])
    return (0, *accumulate(len(line) + 1 for line in text.split("\n")[:-1]))


def count_line_ends(text: str, start: int, end: int) -> int:
    """How many lines end in the span, which does not cut a `\\r\\n` in two."""
    newlines, returns = text.count("\n", start, end), text.count("\r", start, end)
    return newlines + returns - text.count("\r\n", start, end) if returns else newlines


def position(starts: tuple[int, ...], offset: int) -> tuple[int, int]:
    """Line and column of an offset, both from 1, the column in code points."""
    line = bisect_right(starts, offset)
    return line, offset - starts[line - 1] + 1


def logical_lines(mask: str, start: int = 0) -> Iterator[tuple[int, int]]:
    """The spans of the logical lines of a mask that hold code, each from its first to after its last physical line.

    Closing brackets that nothing opened are ignored, so every mask has logical lines; a bracket that is never closed
    makes the rest one line.
    """
    depth, joined, first, at = 0, False, -1, start
    for line in mask.split("\n"):
        end = at + len(line)
        if first < 0 and line and not line.isspace():
            first = at
        if first >= 0:
            for bracket in _BRACKETS.findall(line):
                depth = depth + 1 if bracket in "([{" else max(depth - 1, 0)
            joined = line.endswith("\\")
            if depth == 0 and not joined:
                yield first, end
                first = -1
        at = end + 1
    if first >= 0:
        yield first, at - 1

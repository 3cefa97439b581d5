"""A piece of source with a span underlined, at most 80 columns wide."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from torchdet_lint.finding import Location
from torchdet_lint.report.style import Style

WIDTH = 80
"""Text reports keep to this width wherever the source permits, so that they can be pasted anywhere."""

TAB = 4
MOST_LINES = 5
"""Longer spans are shown by their first lines and their last one."""


def excerpt(
    lines: Sequence[str], at: Location, margin: int, mark: str, label: str, look: str, style: Style
) -> Iterator[str]:
    """The lines of `at` behind a margin of `margin` digits, the first one underlined with `mark`, then `label`."""
    bar = style.paint("margin", "|")
    for shown in shown_lines(lines, at, WIDTH - margin - 3):
        if shown is None:
            yield f"{'':{margin}} {style.paint('margin', '...')}\n"
            continue
        number, text, start, end = shown
        yield f"{style.paint('margin', f'{number:>{margin}}')} {bar} {text}".rstrip() + "\n"
        if number == at.line:
            marks = f"{' ' * _width(text[:start])}{style.paint(look, mark * max(1, _width(text[start:end])))}"
            yield f"{'':{margin}} {bar} {marks}{style.paint(look, ' ' + label) if label else ''}\n"


class Shown(NamedTuple):
    """A line of an excerpt: its number, its text as it is shown, and the part of that which the place covers, from 0."""

    number: int
    text: str
    start: int
    end: int


def shown_lines(lines: Sequence[str], at: Location, room: int) -> Iterator[Shown | None]:
    """The lines of a place that are shown, cut to `room` columns; None stands for lines that are left out."""
    for index, line in enumerate(lines):
        if index and len(lines) > MOST_LINES and MOST_LINES - 2 <= index < len(lines) - 1:
            if index == MOST_LINES - 2:
                yield None
            continue
        yield Shown(at.line + index, *_window(*_cells(line, *_span(line, index, at)), room))


def _span(text: str, index: int, at: Location) -> tuple[int, int]:
    """The part of line `index` that the place covers, from 0; that of a first line of several ends with its code."""
    start = at.column - 1 if index == 0 else len(text) - len(text.lstrip())
    end = at.end_column - 1 if at.line + index == at.end_line else len(text.rstrip())
    return min(start, len(text)), max(start, min(end, len(text)))


def _cells(text: str, start: int, end: int) -> tuple[str, int, int]:
    """The text with tabs expanded and invisible characters made visible, and where the span then is."""
    out: list[str] = []
    starts = []
    for char in text:
        starts.append(len(out))
        if char == "\t":
            out += " " * (TAB - len(out) % TAB)
        else:
            out.append(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}")
    starts.append(len(out))
    return "".join(out), starts[min(start, len(text))], starts[min(end, len(text))]


def _window(text: str, start: int, end: int, room: int) -> tuple[str, int, int]:
    """The text cut to `room` columns around the start of the span; cuts are marked with dots."""
    if _width(text) <= room:
        return text, start, end
    first = 0 if _width(text[: min(end, start + room // 2)]) <= room - 3 else max(0, start - room // 4)
    head = "..." if first else ""
    last = len(text)
    while _width(text[first:last]) > room - len(head) - (3 if last < len(text) else 0):
        last -= 1
    cut = head + text[first:last] + ("..." if last < len(text) else "")
    shift = len(head) - first
    return cut, start + shift, min(end, last) + shift


def _width(text: str) -> int:
    """Columns of a terminal: East Asian wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(_columns(char) for char in text)


def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1

"""Source lines with the place in question marked."""

from __future__ import annotations

from collections.abc import Sequence

from torchdet_lint.finding import Location
from torchdet_lint.report.excerpt import shown_lines
from torchdet_lint.report.html.markup import Content, Markup, join, tag

ROOM = 240
"""Columns that are shown of a line; a line of megabytes helps nobody."""


def source(lines: Sequence[str], at: Location, look: str) -> Markup | None:
    """The lines of a place, numbered; None where they are not at hand. `look` is a severity."""
    if not lines:
        return None
    shown: list[Content] = []
    for line in shown_lines(lines, at, ROOM):
        if line is None:
            shown.append(tag("span", "\N{HORIZONTAL ELLIPSIS}", class_="line"))
            continue
        start, end = line.start, max(line.end, line.start + 1)
        marked = tag("mark", line.text[start:end] or " ")
        text = join((line.text[:start], marked, line.text[end:].rstrip()))
        shown.append(tag("span", text, class_="line", data_n=line.number))
    return tag("pre", shown, class_=f"source {look}")

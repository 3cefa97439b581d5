"""A tiny ANSI layer: which streams get colour, and the few looks that reports use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

WHEN = ("auto", "always", "never")

_CODES = {
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "good": "1;32",
    "bad": "1;31",
    "open": "1;33",
    "strong": "1",
    "faint": "2",
    "margin": "1;34",
    "help": "1;32",
}


class Style(NamedTuple):
    """How text is marked up; without colour every look is the text itself."""

    colour: bool = False

    def paint(self, look: str, text: str) -> str:
        """`text` in a look of the table above: a severity, "strong", "faint", …"""
        return f"\x1b[{_CODES[look]}m{text}\x1b[0m" if self.colour and text else text


PLAIN = Style()


def wants_colour(when: str, is_terminal: bool, environ: Mapping[str, str]) -> bool:
    """Whether a stream gets colour.

    `when` is "always", "never", or "auto": not where `NO_COLOR` is set (https://no-color.org) or `TERM` is "dumb", else
    where `FORCE_COLOR` is set (https://force-color.org) or the stream is a terminal. An empty variable counts as not set.
    """
    if when != "auto":
        return when == "always"
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return True
    return is_terminal and environ.get("TERM") != "dumb"

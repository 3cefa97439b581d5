"""What can go wrong when a unit is lowered."""

from __future__ import annotations


class LoweringError(Exception):
    """A unit that cannot be lowered; `message` is one line, `line` and `column` count from 1 in the unit's text."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message, line, column)
        self.message = message
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.message}"


class Misaligned(Exception):
    """The walk and the text do not agree about the next token."""


class TooDeep(Exception):
    """The walk went further down than `nesting.MAX_DEPTH`."""


def place(text: str, offset: int) -> tuple[int, int]:
    """Line and column of a code point offset, both from 1; `\\n`, `\\r\\n` and `\\r` end a line."""
    before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    return before.count("\n") + 1, len(before) - before.rfind("\n")

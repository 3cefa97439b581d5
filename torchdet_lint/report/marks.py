"""Text for Markdown, in which nothing but code spans is marked up."""

from __future__ import annotations

from torchdet_lint.report.summary import printable

_MENTION = "@\N{ZERO WIDTH SPACE}"
"""An at sign that names nobody: a report must not write to people who happen to be called like a decorator."""


def inline(text: str, in_table: bool = False) -> str:
    """Text on one line; pieces between back quotes are code spans."""
    pieces = printable(text).split("`")
    if len(pieces) % 2 == 0:  # a back quote without its other half
        pieces = [printable(text).replace("`", "'")]
    return "".join(_escaped(piece) if index % 2 == 0 else code(piece, in_table) for index, piece in enumerate(pieces))


def code(text: str, in_table: bool = False) -> str:
    """A code span; GitHub's tables end a cell at a bar even in there."""
    span = printable(text).replace("`", "'")
    return "`" + (span.replace("|", "\\|") if in_table else span) + "`"


def fence(text: str) -> str:
    """What to put around a block of code: longer than any run of back quotes in it."""
    longest = max((len(run) for run in _runs(text)), default=0)
    return "`" * max(3, longest + 1)


def _runs(text: str) -> list[str]:
    return "".join(char if char == "`" else " " for char in text).split()


def _escaped(text: str) -> str:
    for char in "\\*_[]<>|#~":
        text = text.replace(char, f"\\{char}")
    return text.replace("@", _MENTION)

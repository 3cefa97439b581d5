"""The place in the text that the walk has come to.

Handlers visit a tree in source order and `take` each token that their node is made of. So spans come out of the text
itself, with no metadata provider and no look at libcst's whitespace nodes, and every token is checked on the way.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from torchdet_lint.lowering.errors import Misaligned, TooDeep
from torchdet_lint.lowering.nesting import MAX_DEPTH

if TYPE_CHECKING:
    from torchdet_lint.ir import Span

Handlers = dict[type, Callable[[Any, "Cursor"], Any]]

_BLANKS = frozenset(" \t\f\r\n,;\\#\ufeff")
_gap = re.compile(r"(?:[ \t\f\r\n,;\ufeff]+|\\(?:\r\n?|\n)|#[^\r\n]*)*").match
_comma = re.compile(r"(?:[ \t\f\r\n]+|\\(?:\r\n?|\n)|#[^\r\n]*)*,").match


class Cursor:
    """`pos` is the start of the next token, `end` the end of the one taken last.

    Between tokens are blanks and comments, and also commas and semicolons: these separate in every place, so no
    handler needs to look for them.
    """

    __slots__ = ("depth", "end", "handlers", "pos", "text", "yields")

    def __init__(self, text: str, handlers: Handlers) -> None:
        self.text = text + "\n\0"  # so that there is always a next code point, also behind a comment
        self.handlers = handlers
        self.pos = self._after_gap(0)
        self.end = 0
        self.depth = 0
        self.yields = False
        """Whether a `yield` was seen in the current function's own body."""

    def take(self, token: str) -> Span:
        """Consume `token` and the gap behind it; its span. Raises `Misaligned` where the text reads otherwise."""
        text = self.text
        start = self.pos
        if not text.startswith(token, start):
            raise Misaligned(token)
        self.end = end = start + len(token)
        if text[end] not in _BLANKS:
            self.pos = end
        elif text[end] == " " and text[end + 1] not in _BLANKS:
            self.pos = end + 1
        else:
            self.pos = self._after_gap(end)
        return (start, end)

    def take_exactly(self, token: str) -> Span:
        """As `take`, but blanks behind the token count: for what stands inside of a string."""
        start = self.pos
        if not self.text.startswith(token, start):
            raise Misaligned(token)
        self.pos = self.end = end = start + len(token)
        return (start, end)

    def take_trailing_comma(self) -> None:
        """Put `end` behind the comma that follows the token taken last."""
        found = _comma(self.text, self.end)
        if found is None:
            raise Misaligned(",")
        self.end = found.end()

    def descend(self) -> None:
        """Go one level down; the way up is `depth -= 1`. Raises `TooDeep`."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TooDeep

    def finish(self) -> None:
        """Raise `Misaligned` unless all of the text is consumed."""
        if self.pos != len(self.text) - 1:
            raise Misaligned("the end")

    def _after_gap(self, offset: int) -> int:
        found = _gap(self.text, offset)
        return found.end() if found else offset


class BlindCursor(Cursor):
    """A cursor that reads nothing: the walk goes on where the text and the tree do not agree, without spans."""

    __slots__ = ()

    def take(self, token: str) -> Span:
        return (0, 0)

    take_exactly = take

    def take_trailing_comma(self) -> None:
        pass

    def finish(self) -> None:
        pass

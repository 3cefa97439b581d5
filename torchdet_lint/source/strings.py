"""Where a string literal ends.

Plain strings are one rule; f-strings (and t-strings) follow the grammar of Python 3.12, which allows any expression
between the braces, quotes of the same kind included. That grammar accepts everything that older versions accept.
"""

from __future__ import annotations

import re
from typing import NamedTuple

UNCERTAIN = -1
"""Returned in place of an end: the literal is not closed, or not in a way that this module understands."""

# Bounded repeats: an unbounded group would make `re` keep a record for each escape of a very long string.
_TO_QUOTE = {
    quote: re.compile(rf"[^{quote}\\\r\n]*(?:\\(?:\r\n|[\s\S])[^{quote}\\\r\n]*){{0,500}}") for quote in ("'", '"')
}

_IN_TEXT = re.compile(r"""\\N\{|\\\r\n|\\[^{]|\{\{|\}\}|[{}'"\r\n]""")
_IN_EXPRESSION = re.compile(r"""[()\[\]{}'"#:]""")
_IN_FORMAT = re.compile(r"""\\[^{}]|[{}'"\r\n]""")
_LINE_END = re.compile(r"[\r\n]|\Z")


def opening(text: str, quote: int) -> tuple[bool, bool]:
    """Whether the string whose first quote stands at `quote` is formatted (f or t), and whether it is raw."""
    start = quote
    while start > 0 and quote - start < 3 and text[start - 1].isalpha():
        start -= 1
    prefix = text[start:quote].lower()
    if (start > 0 and (text[start - 1].isalnum() or text[start - 1] == "_")) or prefix not in _PREFIXES:
        return False, False  # a keyword that touches the string, as in `x if"a"else"b"`
    return "f" in prefix or "t" in prefix, "r" in prefix


_PREFIXES = frozenset(("f", "t", "fr", "rf", "tr", "rt", "r", "b", "u", "br", "rb"))


def plain_end(text: str, quote: int) -> int:
    """The offset after a string that is not formatted; `quote` is that of its first quote."""
    mark = text[quote]
    if text.startswith(mark * 3, quote):
        return _triple_end(text, quote + 3, mark * 3)
    to_quote, at = _TO_QUOTE[mark], quote + 1
    while True:
        found = to_quote.match(text, at)
        at = found.end() if found else at
        after = text[at : at + 1]
        if after == mark:
            return at + 1
        if after != "\\" or at + 1 >= len(text):
            return UNCERTAIN


def _triple_end(text: str, start: int, delimiter: str) -> int:
    at = text.find(delimiter, start)
    while at >= 0:
        escape = at
        while escape > start and text[escape - 1] == "\\":
            escape -= 1
        if (at - escape) % 2 == 0:
            return at + 3
        at = text.find(delimiter, at + 1)
    return UNCERTAIN


class _Literal(NamedTuple):
    """The text of a formatted string, up to its closing delimiter."""

    delimiter: str
    raw: bool


class _Braces(NamedTuple):
    """What stands between braces; `depth` counts brackets inside, `spec` is true after the colon."""

    depth: int
    spec: bool


def formatted_end(text: str, quote: int, raw: bool, inside: list[str]) -> int:
    """The offset after the formatted string whose first quote stands at `quote`.

    The code between its braces, strings in it included, is appended to `inside`, piece by piece.
    """
    first = _literal(text, quote, raw)
    stack: list[_Literal | _Braces] = [first]
    at = quote + len(first.delimiter)
    while stack and at >= 0:
        top = stack[-1]
        if isinstance(top, _Literal):
            at = _step_text(text, at, top, stack)
        elif top.spec:
            at = _step_format(text, at, stack)
        else:
            at = _step_expression(text, at, top, stack, inside)
    return at


def _literal(text: str, quote: int, raw: bool) -> _Literal:
    mark = text[quote]
    return _Literal(mark * 3 if text.startswith(mark * 3, quote) else mark, raw)


def _step_text(text: str, at: int, top: _Literal, stack: list[_Literal | _Braces]) -> int:
    found = _IN_TEXT.search(text, at)
    if found is None:
        return UNCERTAIN
    token = found.group()
    if token == "\\N{":
        if not top.raw:
            return text.find("}", found.end()) + 1 or UNCERTAIN
        stack.append(_Braces(0, False))
    elif token == "{":
        stack.append(_Braces(0, False))
    elif token in "\r\n" and len(top.delimiter) == 1:
        return UNCERTAIN
    elif text.startswith(top.delimiter, found.start()):
        stack.pop()
        return found.start() + len(top.delimiter)
    return found.end()


def _step_expression(text: str, at: int, top: _Braces, stack: list[_Literal | _Braces], inside: list[str]) -> int:
    found = _IN_EXPRESSION.search(text, at)
    if found is None:
        return UNCERTAIN
    token = found.group()
    inside.append(text[at : found.start()])
    if token in "'\"":
        formatted, raw = opening(text, found.start())
        if not formatted:
            end = plain_end(text, found.start())
            inside.append(text[found.start() : end])
            return end
        inner = _literal(text, found.start(), raw)
        stack.append(inner)
        return found.start() + len(inner.delimiter)
    if token == "#":
        line_end = _LINE_END.search(text, found.end())
        return line_end.end() if line_end else UNCERTAIN
    if token in "([{":
        stack[-1] = _Braces(top.depth + 1, False)
    elif token == ":":
        stack[-1] = _Braces(top.depth, top.depth == 0)
    elif top.depth:
        stack[-1] = _Braces(top.depth - 1, False)
    elif token == "}":
        stack.pop()
    else:
        return UNCERTAIN
    return found.end()


def _step_format(text: str, at: int, stack: list[_Literal | _Braces]) -> int:
    found = _IN_FORMAT.search(text, at)
    if found is None:
        return UNCERTAIN
    token = found.group()
    if token == "{":
        stack.append(_Braces(0, False))
    elif token == "}":
        stack.pop()
    elif token in "'\"\r\n":
        owner = stack[-2]
        # A nested specification stands in braces, not in a literal; its quotes cannot be told apart here.
        if not isinstance(owner, _Literal) or (len(owner.delimiter) == 1 and token in owner.delimiter + "\r\n"):
            return UNCERTAIN
        if text.startswith(owner.delimiter, found.start()):
            return UNCERTAIN
    return found.end()

"""Limits of nesting, and the check that keeps code beyond them away from the parser.

libcst's time is quadratic in the depth of its trees, and some thousands of levels overflow its native stack, which
kills the process. So the text is looked through first, with rough but safe measures; the walk then counts exactly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdet_lint.lowering.errors import LoweringError, place

MAX_DEPTH = 150
"""Levels of expressions and blocks inside of each other. It leaves room for recursion over the result (`ir.encode`
takes two frames for each tuple, and a call in a call is three tuples) within Python's default recursion limit."""

MAX_BRACKETS = 100
"""Open brackets around one place; CPython's own limit is 200."""

MAX_CHAIN = 600
"""Operators that may stand inside of each other in one logical line, counted roughly: see `_check_chain`."""

MAX_BRANCHES = 600
"""`elif` branches of one `if`, counted roughly."""

MESSAGE = "nested too deeply to be analysed"

_MARKS = re.compile(
    r'("""[^"\\]*(?:(?:\\[\s\S]|"(?!""))[^"\\]*)*"""'
    r"|'''[^'\\]*(?:(?:\\[\s\S]|'(?!''))[^'\\]*)*'''"
    r'|"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"'
    r"|'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*'"
    r"|#[^\n]*|\\\r?\n|[()\[\]{}\n])"
)
_LINKS = re.compile(r"\b(?:lambda|not|and|or|if|await|yield|in|is)\b|\*\*|//|<<|>>|[-+*/%@&|^~<>.,;()\[\]{}]")
_OPEN = frozenset("([{")
_CLOSE = frozenset(")]}")


def check(text: str) -> None:
    """Raise `LoweringError` where `text` goes too deep for the parser. Linear in the length of the text."""
    if len(text) <= MAX_CHAIN and text.count("(") + text.count("[") + text.count("{") <= MAX_BRACKETS:
        return
    parts: list[str] = _MARKS.split(text)  # code and marks in turn
    branches: dict[str, int] | None = {} if text.count("elif") > MAX_BRANCHES else None
    for first, last, size in _logical_lines(text, parts):
        if size > MAX_CHAIN:
            _check_chain(text, parts, first, last)
        if branches is not None:
            _count_branch(text, parts, first, branches)


def _logical_lines(text: str, parts: list[str]) -> Iterator[tuple[int, int, int]]:
    """First part, last part (exclusive) and number of code points of each logical line."""
    depth = first = size = 0
    for index in range(1, len(parts), 2):
        mark = parts[index]
        size += len(parts[index - 1])
        if mark == "\n":
            if depth == 0:
                yield first, index, size
                first = index + 1
                size = 0
        elif mark in _OPEN:
            depth += 1
            size += 1
            if depth > MAX_BRACKETS:
                raise _error(text, parts, index)
        elif mark in _CLOSE:
            depth -= depth > 0
        elif len(mark) > MAX_BRACKETS and parts[index - 1][-2:].lower().strip("r") in ("f", "t"):
            try:
                check(mark[1:-1])  # the code inside of an f-string
            except LoweringError:
                raise _error(text, parts, index) from None
    yield first, len(parts), size + len(parts[-1])


def _check_chain(text: str, parts: list[str], first: int, last: int) -> None:
    """Raise where operators of one logical line may stand inside of each other more than `MAX_CHAIN` deep.

    Counted are operators and opening brackets (one behind a name is a call) since the last comma within each bracket
    that is open at the place; and all lambdas, whose parameters hold commas.
    """
    counts = [0]
    total = lambdas = 0
    for index in range(first, last):
        part = parts[index]
        if index % 2 and part not in _OPEN and part not in _CLOSE:
            continue
        for link in _LINKS.findall(part):
            if link in _CLOSE:
                if len(counts) > 1:
                    total -= counts.pop()
            elif link in ",;":
                total -= counts[-1]
                counts[-1] = 0
            else:
                lambdas += link == "lambda"
                counts[-1] += 1
                total += 1
                if link in _OPEN:
                    counts.append(0)
                if total > MAX_CHAIN or lambdas > MAX_CHAIN:
                    raise _error(text, parts, index)


def _count_branch(text: str, parts: list[str], first: int, branches: dict[str, int]) -> None:
    """Raise where a logical line is one `elif` too many among those since the last `if` of its indentation."""
    code = parts[first].lstrip("\r\n")
    indent = code[: len(code) - len(code.lstrip())]
    if code.startswith("elif", len(indent)):
        branches[indent] = branches.get(indent, 0) + 1
        if branches[indent] > MAX_BRANCHES:
            raise _error(text, parts, first)
    elif code.startswith("if", len(indent)):
        branches[indent] = 0


def _error(text: str, parts: list[str], index: int) -> LoweringError:
    return LoweringError(MESSAGE, *place(text, sum(map(len, parts[:index]))))

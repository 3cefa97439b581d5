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

MAX_PATTERN = 16
"""Open brackets around one place of a `case` line, braces counting twice: libcst's time for these is not quadratic but
doubles with each bracket and quadruples with each brace."""

MESSAGE = "nested too deeply to be analysed"

_MARKS = re.compile(
    r'("""[^"\\]*(?:(?:\\[\s\S]|"(?!""))[^"\\]*)*"""'
    r"|'''[^'\\]*(?:(?:\\[\s\S]|'(?!''))[^'\\]*)*'''"
    r'|"[^"\\\r\n]*(?:\\[\s\S][^"\\\r\n]*)*"'
    r"|'[^'\\\r\n]*(?:\\[\s\S][^'\\\r\n]*)*'"
    r"|#[^\r\n]*|\\(?:\r\n?|\n)|[()\[\]{}\r\n])"
)
_LINKS = re.compile(r"\b(?:lambda|not|and|or|if|await|yield|in|is)\b|\*\*|//|<<|>>|[-+*/%@&|^~<>.,;()\[\]{}]")
_OPEN = frozenset("([{")
_CLOSE = frozenset(")]}")


def check(text: str, in_string: bool = False) -> None:
    """Raise `LoweringError` where `text` goes too deep for the parser. Linear in the length of the text.

    With `in_string` it is what stands between the quotes of an f-string, and only what is in braces counts as code.
    """
    has_patterns = "case" in text
    opened = text.count("(") + text.count("[") + text.count("{")
    if len(text) <= MAX_CHAIN and opened <= (MAX_PATTERN // 2 if has_patterns else MAX_BRACKETS):
        return
    parts: list[str] = _MARKS.split(text)  # code and marks in turn
    branches: dict[str, int] | None = {} if text.count("elif") > MAX_BRANCHES else None
    for first, last, size in _logical_lines(text, parts):
        if size > MAX_CHAIN:
            _check_chain(text, parts, range(first, last), in_string)
        if has_patterns and parts[first].lstrip().startswith("case"):
            _check_pattern(text, parts, range(first, last))
        if branches is not None:
            _count_branch(text, parts, first, branches)


def _logical_lines(text: str, parts: list[str]) -> Iterator[tuple[int, int, int]]:
    """First part, last part (exclusive) and number of code points of each logical line."""
    depth = first = size = 0
    for index in range(1, len(parts), 2):
        mark = parts[index]
        size += len(parts[index - 1])
        if mark in "\r\n":
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
        elif len(mark) > MAX_BRACKETS and _is_format_prefix(parts[index - 1]):
            try:
                check(mark[1:-1], in_string=True)
            except LoweringError:
                raise _error(text, parts, index) from None
    yield first, len(parts), size + len(parts[-1])


def _is_format_prefix(code: str) -> bool:
    """Whether a string behind this code is an f-string or t-string (or follows a word that ends alike)."""
    return code[-2:].lower().rstrip("r").endswith(("f", "t"))


def _check_chain(text: str, parts: list[str], indices: range, in_string: bool) -> None:
    """Raise where operators of one logical line may stand inside of each other more than `MAX_CHAIN` deep.

    Counted are operators and opening brackets (one behind a name is a call) since the last comma within each bracket
    that is open at the place; and all lambdas, whose parameters hold commas.
    """
    counts = [0]
    total = lambdas = 0
    for index in indices:
        part = parts[index]
        if index % 2 and part not in _OPEN and part not in _CLOSE:
            continue
        for link in _LINKS.findall(part):
            if link in _CLOSE:
                if len(counts) > 1:
                    total -= counts.pop()
            elif in_string and len(counts) == 1:
                if link == "{":
                    counts = [0, 0]
                    total = 0
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


def _check_pattern(text: str, parts: list[str], indices: range) -> None:
    """Raise where the brackets of a logical line, a `case` presumably, are more than `MAX_PATTERN` deep."""
    depth = 0
    for index in indices:
        part = parts[index]
        if part in _OPEN:
            depth += 1 + (part == "{")
            if depth > MAX_PATTERN:
                raise _error(text, parts, index)
        elif part in _CLOSE:
            depth -= 1 + (part == "}")


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

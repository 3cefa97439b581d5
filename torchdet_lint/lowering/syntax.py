"""Syntax errors: one clear line and the true place.

libcst's tokeniser errors have no place, and its parser errors list the tokens that it would have liked. CPython says
both better, so where it refuses the text too, its words are taken.
"""

from __future__ import annotations

import ast
import re
import warnings

import libcst as cst

from torchdet_lint.lowering.errors import LoweringError

_PLACE = re.compile(r"error at (\d+):(\d+): *")
_VAGUE = "invalid syntax"
"""What CPython says when it has no idea. Where libcst reads on, this Python is too old for the syntax there, and the
error is the one that libcst comes to (whose place may be the start of the next token)."""


def syntax_error(text: str, error: cst.ParserSyntaxError) -> LoweringError:
    """The `LoweringError` for a text that libcst refuses."""
    message = error.message.partition("\n")[0]
    found = _PLACE.search(message)
    known = _by_python(text)
    if known is not None:
        newer = known.message.endswith(_VAGUE) and found is not None and int(found[1]) > known.line + 1
        if not newer:
            return known
    line, column = (int(found[1]), int(found[2])) if found else (error.raw_line, error.raw_column + 1)
    if known is None and found is not None:
        return LoweringError("syntax that libcst's parser does not know", line, max(column, 1))
    message = "unexpected token" if found else message.removeprefix("tokenizer error: ")
    return LoweringError(f"syntax error: {message}", line, max(column, 1))


def _by_python(text: str) -> LoweringError | None:
    """What CPython says of the text; None where it accepts it or cannot tell the place."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        if error.lineno and error.msg:
            return LoweringError(f"syntax error: {error.msg}", error.lineno, max(error.offset or 1, 1))
    except (ValueError, MemoryError, RecursionError):
        pass
    return None

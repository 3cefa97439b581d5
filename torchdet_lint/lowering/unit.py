"""One unit: parse, walk, and what to do when either does not work."""

from __future__ import annotations

import gc

import libcst as cst

from torchdet_lint import ir
from torchdet_lint.lowering import accelerate, displays, nesting, strings
from torchdet_lint.lowering.cursor import Cursor
from torchdet_lint.lowering.errors import LoweringError, Misaligned, TooDeep, place
from torchdet_lint.lowering.registry import HANDLERS
from torchdet_lint.lowering.statements import statements
from torchdet_lint.lowering.syntax import syntax_error

__all__ = ["counts", "displays", "lower_unit", "strings"]  # importing the modules of handlers is what makes the table

counts = {"units": 0, "fallbacks": 0}
"""Units lowered since the process began, and those of them that needed the positions of libcst's metadata."""


def lower_unit(text: str) -> tuple[ir.Stmt, ...]:
    """See `torchdet_lint.lowering.lower`."""
    nesting.check(text)
    collecting = gc.isenabled()
    gc.disable()  # a tree has no cycles, and is gone before collection is on again
    try:
        return _lower(_parse(text), text)
    finally:
        if collecting:
            gc.enable()


def _parse(text: str) -> cst.Module:
    accelerate.begin_parse()
    try:
        return cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        raise syntax_error(text, error) from None
    except UnicodeEncodeError as error:
        raise LoweringError("syntax error: half of a surrogate pair", *place(text, error.start)) from None
    except RecursionError:
        raise LoweringError(nesting.MESSAGE, 1, 1) from None
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # what a failed assertion in libcst's native code becomes
            raise
        raise LoweringError("libcst's parser gave up on this code", 1, 1) from None
    finally:
        accelerate.end_parse()


def _lower(tree: cst.Module, text: str) -> tuple[ir.Stmt, ...]:
    cursor = Cursor(text, HANDLERS)
    counts["units"] += 1
    try:
        return _walk(tree, text, cursor)
    except (TooDeep, RecursionError):
        raise LoweringError(nesting.MESSAGE, *place(text, cursor.pos)) from None
    except KeyError as error:
        kind = getattr(error.args[0], "__name__", error.args[0])
        raise LoweringError(f"{kind} is syntax that cannot be analysed yet", *place(text, cursor.pos)) from None


def _walk(tree: cst.Module, text: str, cursor: Cursor) -> tuple[ir.Stmt, ...]:
    try:
        body = statements(tree.body, cursor)
        cursor.finish()
        return body
    except Misaligned:
        counts["fallbacks"] += 1
        from torchdet_lint.lowering.positions import Spans, lower_by_positions

        return lower_by_positions(tree, Spans(tree, text), HANDLERS)

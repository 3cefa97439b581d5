"""Strings: plain, formatted, and implicitly joined."""

from __future__ import annotations

from typing import Any

import libcst as cst

from torchdet_lint import ir
from torchdet_lint.lowering import literals
from torchdet_lint.lowering.cursor import Cursor
from torchdet_lint.lowering.expressions import expression
from torchdet_lint.lowering.registry import lowers

_TEXT = (cst.FormattedStringText, getattr(cst, "TemplatedStringText", cst.FormattedStringText))


@lowers("SimpleString")
def simple(node: cst.SimpleString, at: Cursor) -> ir.Const:
    return ir.Const(literals.string(node.value), at.take(node.value))


@lowers("FormattedString", "TemplatedString")
def formatted(node: Any, at: Cursor) -> ir.Format:
    start = at.pos
    at.take_exactly(node.start)
    raw = "r" in node.start.lower()
    parts = []
    for part in node.parts:
        lowered = at.handlers[type(part)](part, at)
        if not raw and isinstance(part, _TEXT):
            lowered = lowered._replace(value=_unescaped(lowered.value))
        parts.append(lowered)
    at.take(node.end)
    return ir.Format(tuple(parts), (start, at.end))


def _unescaped(body: str) -> str:
    try:
        return literals.text(body, raw=False)
    except (ValueError, OverflowError, SyntaxError):
        return body


@lowers("FormattedStringText", "TemplatedStringText")
def formatted_text(node: Any, at: Cursor) -> ir.Const:
    span = at.take_exactly(node.value)
    return ir.Const(node.value.replace("{{", "{").replace("}}", "}"), span)


@lowers("FormattedStringExpression", "TemplatedStringExpression")
def formatted_field(node: Any, at: Cursor) -> Any:
    """`{value=!r:spec}`: the value alone; what the specification holds is only consumed."""
    at.take("{")
    value = expression(node.expression, at)
    if node.equal is not None:
        at.take("=")
    if node.conversion is not None:
        at.take("!")
        at.take(node.conversion)
    if node.format_spec is not None:
        at.take_exactly(":")
        for part in node.format_spec:
            at.handlers[type(part)](part, at)
    at.take_exactly("}")
    return value


@lowers("ConcatenatedString")
def joined(node: cst.ConcatenatedString, at: Cursor) -> ir.Const | ir.Format:
    """One constant, or the parts of all in a row when one of them is formatted."""
    start = at.pos
    pieces: list[Any] = []
    rest: cst.BaseExpression = node
    while isinstance(rest, cst.ConcatenatedString):
        pieces.append(at.handlers[type(rest.left)](rest.left, at))
        rest = rest.right
    pieces.append(at.handlers[type(rest)](rest, at))
    span = (start, at.end)
    if not all(isinstance(piece, ir.Const) for piece in pieces):
        parts = [piece.parts if isinstance(piece, ir.Format) else (piece,) for piece in pieces]
        return ir.Format(tuple([part for some in parts for part in some]), span)
    if all(isinstance(piece.value, bytes) for piece in pieces):
        return ir.Const(b"".join([piece.value for piece in pieces]), span)
    return ir.Const("".join([str(piece.value) for piece in pieces]), span)

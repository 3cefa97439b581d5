"""Expressions, but for displays, comprehensions and strings."""

from __future__ import annotations

from sys import intern
from typing import Any, cast

import libcst as cst

from torchdet_lint import ir
from torchdet_lint.lowering import literals
from torchdet_lint.lowering.cursor import Cursor
from torchdet_lint.lowering.errors import TooDeep
from torchdet_lint.lowering.nesting import MAX_DEPTH
from torchdet_lint.lowering.registry import lowers

SINGLETONS: dict[str, Any] = {"None": None, "True": True, "False": False}

BINARY: dict[type, str] = {
    cst.Add: "+", cst.Subtract: "-", cst.Multiply: "*", cst.Divide: "/", cst.FloorDivide: "//", cst.Modulo: "%",
    cst.Power: "**", cst.MatrixMultiply: "@", cst.BitAnd: "&", cst.BitOr: "|", cst.BitXor: "^", cst.LeftShift: "<<",
    cst.RightShift: ">>",
}  # fmt: skip
UNARY: dict[type, str] = {cst.Not: "not", cst.Minus: "-", cst.Plus: "+", cst.BitInvert: "~"}
LOGIC: dict[type, str] = {cst.And: "and", cst.Or: "or"}
COMPARE: dict[type, tuple[str, ...]] = {
    cst.Equal: ("==",), cst.LessThan: ("<",), cst.GreaterThan: (">",), cst.LessThanEqual: ("<=",),
    cst.GreaterThanEqual: (">=",), cst.NotEqual: ("!=",), cst.In: ("in",), cst.NotIn: ("not", "in"), cst.Is: ("is",),
    cst.IsNot: ("is", "not"),
}  # fmt: skip


def expression(node: cst.BaseExpression, at: Cursor) -> Any:
    """Any expression, with its own parentheses; they do not belong to its span.

    Raises `Misaligned`, `TooDeep`, and KeyError for a node type that nothing lowers.
    """
    at.depth = depth = at.depth + 1  # `at.descend()`, written out: every node comes by here
    if depth > MAX_DEPTH:
        raise TooDeep
    if not node.lpar:
        lowered = at.handlers[type(node)](node, at)
    else:
        for _ in node.lpar:
            at.take("(")
        lowered = at.handlers[type(node)](node, at)
        for _ in node.rpar:
            at.take(")")
    at.depth = depth - 1
    return lowered


@lowers("Name")
def name(node: cst.Name, at: Cursor) -> ir.Name | ir.Const:
    value = node.value
    span = at.take(value)
    if value in SINGLETONS:
        return ir.Const(SINGLETONS[value], span)
    return ir.Name(intern(value), span)  # the same few thousand names stand everywhere


@lowers("Integer", "Float", "Imaginary")
def number(node: cst.Integer | cst.Float | cst.Imaginary, at: Cursor) -> ir.Const:
    return ir.Const(literals.number(node.value), at.take(node.value))


@lowers("Ellipsis")
def ellipsis(node: cst.Ellipsis, at: Cursor) -> ir.Const:
    return ir.Const(..., at.take("..."))


@lowers("Attribute")
def attribute(node: cst.Attribute, at: Cursor) -> ir.Attr:
    start = at.pos
    value = expression(node.value, at)
    at.take(".")
    name = node.attr.value
    at.take(name)
    return ir.Attr(value, intern(name), (start, at.end))


@lowers("Call")
def call(node: cst.Call, at: Cursor) -> ir.Call:
    start = at.pos
    func = expression(node.func, at)
    at.take("(")
    args = tuple([argument(arg, at) for arg in node.args])
    at.take(")")
    return ir.Call(func, args, (start, at.end))


def argument(node: cst.Arg, at: Cursor) -> ir.Arg:
    """One argument of a call or of a class statement."""
    keyword = node.keyword
    if keyword is not None:
        at.take(keyword.value)
        at.take("=")
        return ir.Arg("=", intern(keyword.value), expression(node.value, at))
    if node.star:
        at.take(node.star)
    return ir.Arg(node.star, "", expression(node.value, at))


@lowers("Subscript")
def subscript(node: cst.Subscript, at: Cursor) -> ir.Item:
    start = at.pos
    value = expression(node.value, at)
    at.take("[")
    first = at.pos
    keys = tuple([at.handlers[type(element.slice)](element.slice, at) for element in node.slice])
    key = ir.Sequence("tuple", keys, (first, at.end)) if is_tuple_key(node) else keys[0]
    at.take("]")
    return ir.Item(value, key, (start, at.end))


def is_tuple_key(node: cst.Subscript) -> bool:
    """Whether what stands in the brackets makes a tuple: `a[b, c]`, `a[b,]` and `a[*b]` do."""
    only = node.slice[0]
    return len(node.slice) > 1 or isinstance(only.comma, cst.Comma) or getattr(only.slice, "star", None) is not None


@lowers("Index")
def index(node: cst.Index, at: Cursor) -> Any:
    if node.star is None:
        return expression(node.value, at)
    start = at.pos
    at.take(node.star)
    return ir.Starred(expression(node.value, at), (start, at.end))


@lowers("Slice")
def slice_(node: cst.Slice, at: Cursor) -> ir.Slice:
    start = at.pos
    lower = upper = step = None
    if node.lower is not None:
        lower = expression(node.lower, at)
    at.take(":")
    if node.upper is not None:
        upper = expression(node.upper, at)
    if isinstance(node.second_colon, cst.Colon):
        at.take(":")
    if node.step is not None:
        step = expression(node.step, at)
    return ir.Slice(lower, upper, step, (start, at.end))


@lowers("BinaryOperation")
def binary(node: cst.BinaryOperation, at: Cursor) -> ir.Binary:
    start = at.pos
    left = expression(node.left, at)
    op = BINARY[type(node.operator)]
    at.take(op)
    return ir.Binary(op, left, expression(node.right, at), (start, at.end))


@lowers("UnaryOperation")
def unary(node: cst.UnaryOperation, at: Cursor) -> ir.Unary:
    start = at.pos
    op = UNARY[type(node.operator)]
    at.take(op)
    return ir.Unary(op, expression(node.expression, at), (start, at.end))


@lowers("BooleanOperation")
def logic(node: cst.BooleanOperation, at: Cursor) -> ir.Logic:
    start = at.pos
    kind = type(node.operator)
    op = LOGIC[kind]
    operands = _operands(node, kind)
    values = [expression(operands[0], at)]
    for operand in operands[1:]:
        at.take(op)
        values.append(expression(operand, at))
    return ir.Logic(op, tuple(values), (start, at.end))


def _operands(node: cst.BooleanOperation, kind: type) -> list[cst.BaseExpression]:
    """The operands of a chain of one operator in source order, whichever way libcst nested it."""
    operands: list[cst.BaseExpression] = []
    pending: list[cst.BaseExpression] = [node.right, node.left]
    while pending:
        operand = pending.pop()
        if isinstance(operand, cst.BooleanOperation) and not operand.lpar and type(operand.operator) is kind:
            pending += (operand.right, operand.left)
        else:
            operands.append(operand)
    return operands


@lowers("Comparison")
def comparison(node: cst.Comparison, at: Cursor) -> ir.Compare:
    start = at.pos
    left = expression(node.left, at)
    ops = []
    values = []
    for target in node.comparisons:
        words = COMPARE[type(target.operator)]
        for word in words:
            at.take(word)
        ops.append(" ".join(words))
        values.append(expression(target.comparator, at))
    return ir.Compare(left, tuple(ops), tuple(values), (start, at.end))


@lowers("IfExp")
def choice(node: cst.IfExp, at: Cursor) -> ir.Choice:
    start = at.pos
    then = expression(node.body, at)
    at.take("if")
    test = expression(node.test, at)
    at.take("else")
    return ir.Choice(test, then, expression(node.orelse, at), (start, at.end))


@lowers("NamedExpr")
def walrus(node: cst.NamedExpr, at: Cursor) -> ir.Walrus:
    start = at.pos
    target = cast(ir.Name, expression(node.target, at))
    at.take(":=")
    return ir.Walrus(target, expression(node.value, at), (start, at.end))


@lowers("Await")
def await_(node: cst.Await, at: Cursor) -> ir.Await:
    start = at.pos
    at.take("await")
    return ir.Await(expression(node.expression, at), (start, at.end))


@lowers("Yield")
def yield_(node: cst.Yield, at: Cursor) -> ir.Yield:
    start = at.pos
    at.yields = True
    at.take("yield")
    source = node.value
    if isinstance(source, cst.From):
        at.take("from")
        return ir.Yield(expression(source.item, at), True, (start, at.end))
    value = None if source is None else expression(source, at)
    return ir.Yield(value, False, (start, at.end))


@lowers("Lambda")
def lambda_(node: cst.Lambda, at: Cursor) -> ir.Lambda:
    start = at.pos
    at.take("lambda")
    params = parameters(node.params, at)
    at.take(":")
    yields = at.yields
    body = expression(node.body, at)
    at.yields = yields
    return ir.Lambda(params, body, (start, at.end))


def parameters(node: cst.Parameters, at: Cursor) -> tuple[ir.Param, ...]:
    """The parameters of a function or lambda, without the parentheses."""
    params = [_param(param, "positional", at) for param in node.posonly_params]
    if isinstance(node.posonly_ind, cst.ParamSlash):
        at.take("/")
    params += [_param(param, "normal", at) for param in node.params]
    if isinstance(node.star_arg, cst.Param):
        params.append(_param(node.star_arg, "*", at))
    elif isinstance(node.star_arg, cst.ParamStar):
        at.take("*")
    params += [_param(param, "keyword", at) for param in node.kwonly_params]
    if node.star_kwarg is not None:
        params.append(_param(node.star_kwarg, "**", at))
    return tuple(params)


def _param(node: cst.Param, kind: str, at: Cursor) -> ir.Param:
    return cast(ir.Param, at.handlers[cst.Param](node, at))._replace(kind=kind)


@lowers("Param")
def param(node: cst.Param, at: Cursor) -> ir.Param:
    if isinstance(node.star, str) and node.star:
        at.take(node.star)
    span = at.take(node.name.value)
    annotation = default = None
    if node.annotation is not None:
        at.take(":")
        annotation = expression(node.annotation.annotation, at)
    if node.default is not None:
        at.take("=")
        default = expression(node.default, at)
    return ir.Param(intern(node.name.value), "normal", default, annotation, span)

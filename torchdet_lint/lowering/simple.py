"""Statements without a body."""

from __future__ import annotations

from typing import Any

import libcst as cst

from torchdet_lint import ir
from torchdet_lint.lowering.cursor import Cursor
from torchdet_lint.lowering.expressions import expression
from torchdet_lint.lowering.registry import lowers

AUGMENT: dict[type, str] = {
    cst.AddAssign: "+", cst.SubtractAssign: "-", cst.MultiplyAssign: "*", cst.DivideAssign: "/",
    cst.FloorDivideAssign: "//", cst.ModuloAssign: "%", cst.PowerAssign: "**", cst.MatrixMultiplyAssign: "@",
    cst.BitAndAssign: "&", cst.BitOrAssign: "|", cst.BitXorAssign: "^", cst.LeftShiftAssign: "<<",
    cst.RightShiftAssign: ">>",
}  # fmt: skip


@lowers("Expr")
def do(node: cst.Expr, at: Cursor) -> ir.Do | None:
    start = at.pos
    value = expression(node.value, at)
    return None if isinstance(value, ir.Const) else ir.Do(value, (start, at.end))


@lowers("Pass")
def pass_(node: cst.Pass, at: Cursor) -> None:
    at.take("pass")


@lowers("Break")
def break_(node: cst.Break, at: Cursor) -> ir.Jump:
    return ir.Jump("break", at.take("break"))


@lowers("Continue")
def continue_(node: cst.Continue, at: Cursor) -> ir.Jump:
    return ir.Jump("continue", at.take("continue"))


@lowers("Assign")
def assign(node: cst.Assign, at: Cursor) -> ir.Assign:
    start = at.pos
    targets = []
    for target in node.targets:
        targets.append(expression(target.target, at))
        at.take("=")
    return ir.Assign(tuple(targets), expression(node.value, at), None, (start, at.end))


@lowers("AnnAssign")
def annotated(node: cst.AnnAssign, at: Cursor) -> ir.Assign:
    start = at.pos
    target = expression(node.target, at)
    at.take(":")
    annotation = expression(node.annotation.annotation, at)
    value = None
    if node.value is not None:
        at.take("=")
        value = expression(node.value, at)
    return ir.Assign((target,), value, annotation, (start, at.end))


@lowers("AugAssign")
def augment(node: cst.AugAssign, at: Cursor) -> ir.Augment:
    start = at.pos
    target = expression(node.target, at)
    op = AUGMENT[type(node.operator)]
    at.take(op + "=")
    return ir.Augment(target, op, expression(node.value, at), (start, at.end))


@lowers("Return")
def return_(node: cst.Return, at: Cursor) -> ir.Return:
    start = at.pos
    at.take("return")
    value = None if node.value is None else expression(node.value, at)
    return ir.Return(value, (start, at.end))


@lowers("Raise")
def raise_(node: cst.Raise, at: Cursor) -> ir.Raise:
    """`raise value from cause`; the cause is left out."""
    start = at.pos
    at.take("raise")
    value = None if node.exc is None else expression(node.exc, at)
    if node.cause is not None:
        at.take("from")
        expression(node.cause.item, at)
    return ir.Raise(value, (start, at.end))


@lowers("Del")
def delete(node: cst.Del, at: Cursor) -> ir.Delete:
    start = at.pos
    at.take("del")
    target = expression(node.target, at)
    several = isinstance(target, ir.Sequence) and target.kind == "tuple"
    return ir.Delete(target.items if several else (target,), (start, at.end))


@lowers("Assert")
def assert_(node: cst.Assert, at: Cursor) -> ir.Assert:
    start = at.pos
    at.take("assert")
    test = expression(node.test, at)
    message = None if node.msg is None else expression(node.msg, at)
    return ir.Assert(test, message, (start, at.end))


@lowers("Global", "Nonlocal")
def scope(node: cst.Global | cst.Nonlocal, at: Cursor) -> ir.Scope:
    start = at.pos
    kind = "global" if isinstance(node, cst.Global) else "nonlocal"
    at.take(kind)
    for item in node.names:
        at.take(item.name.value)
    return ir.Scope(kind, tuple([item.name.value for item in node.names]), (start, at.end))


@lowers("Import", "LazyImport")
def import_(node: Any, at: Cursor) -> ir.Import:
    start = at.pos
    if not isinstance(node, cst.Import):
        at.take("lazy")
    at.take("import")
    return ir.Import(tuple([_alias(alias, at) for alias in node.names]), (start, at.end))


@lowers("ImportFrom", "LazyImportFrom")
def import_from(node: Any, at: Cursor) -> ir.ImportFrom:
    start = at.pos
    if not isinstance(node, cst.ImportFrom):
        at.take("lazy")
    at.take("from")
    for _ in node.relative:
        at.take(".")
    module = "" if node.module is None else _dotted(node.module, at)
    at.take("import")
    if isinstance(node.names, cst.ImportStar):
        at.take("*")
        return ir.ImportFrom(module, len(node.relative), (("*", "*"),), (start, at.end))
    if node.lpar is not None:
        at.take("(")
    names = tuple([(name, bound or name) for name, bound in (_alias(alias, at) for alias in node.names)])
    if node.rpar is not None:
        at.take(")")
    return ir.ImportFrom(module, len(node.relative), names, (start, at.end))


def _alias(node: cst.ImportAlias, at: Cursor) -> tuple[str, str]:
    """The (dotted) name, and the name given to it or ""."""
    name = _dotted(node.name, at)
    if node.asname is None or not isinstance(node.asname.name, cst.Name):
        return (name, "")
    at.take("as")
    at.take(node.asname.name.value)
    return (name, node.asname.name.value)


def _dotted(node: cst.BaseExpression, at: Cursor) -> str:
    names: list[str] = []
    while isinstance(node, cst.Attribute):
        names.append(node.attr.value)
        node = node.value
    names.append(cst.ensure_type(node, cst.Name).value)
    names.reverse()
    at.take(names[0])
    for name in names[1:]:
        at.take(".")
        at.take(name)
    return ".".join(names)


@lowers("TypeAlias")
def type_alias(node: cst.TypeAlias, at: Cursor) -> None:
    """`type name = …` says nothing about a run."""
    at.take("type")
    at.take(node.name.value)
    type_parameters(node.type_parameters, at)
    at.take("=")
    expression(node.value, at)


def type_parameters(node: cst.TypeParameters | None, at: Cursor) -> None:
    """Consume `[T: bound = default, *Ts, **P]`."""
    if node is None:
        return
    at.take("[")
    for param in node.params:
        kind = param.param
        if isinstance(kind, cst.TypeVarTuple):
            at.take("*")
        elif isinstance(kind, cst.ParamSpec):
            at.take("**")
        at.take(kind.name.value)
        if isinstance(kind, cst.TypeVar) and kind.bound is not None:
            at.take(":")
            expression(kind.bound, at)
        if param.default is not None:
            at.take("=")
            if param.star:
                at.take(param.star)
            expression(param.default, at)
    at.take("]")

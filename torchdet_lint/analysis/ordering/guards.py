"""Tests that leave a collection with one element at most."""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.analysis.ordering.frame import Frame
from torchdet_lint.analysis.ordering.values import Place

_NOTHING: frozenset[Place] = frozenset()
_FLIPPED = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


def single(frame: Frame, test: ir.Expr) -> tuple[frozenset[Place], frozenset[Place]]:
    """The objects with at most one element where the test holds, and where it does not."""
    if isinstance(test, ir.Unary) and test.op == "not":
        then, other = single(frame, test.value)
        return other, then
    if isinstance(test, ir.Logic):
        pairs = [single(frame, value) for value in test.values]
        if test.op == "and":
            return _NOTHING.union(*(then for then, _ in pairs)), _NOTHING
        return _NOTHING, _NOTHING.union(*(other for _, other in pairs))
    if isinstance(test, ir.Compare) and len(test.ops) == 1:
        return _compared(frame, test.left, test.ops[0], test.values[0])
    return _NOTHING, _NOTHING


_ASSERTED = {"equal": "==", "equals": "==", "less": "<", "less_equal": "<=", "lessequal": "<="}


def asserted(frame: Frame, call: ir.Call) -> frozenset[Place]:
    """The objects with at most one element after `self.assertEqual(len(x), 1)`, `assertTrue(len(x) == 1)` and the like."""
    name = call.func.name if isinstance(call.func, ir.Attr) else call.func.id if isinstance(call.func, ir.Name) else ""
    if not name.startswith("assert"):
        return _NOTHING
    said = name[len("assert") :].lower().removeprefix("_")
    args = [arg.value for arg in call.args if not arg.star]
    if len(args) == 1 or (len(args) == 2 and said in ("", "true", "false")):
        then, other = single(frame, args[0])
        return other if said == "false" else then
    if len(args) < 2:
        return _NOTHING
    if said == "len":
        one = isinstance(args[1], ir.Const) and args[1].value == 1
        return _object(frame, args[0]) if one else _NOTHING
    return _compared(frame, args[0], _ASSERTED[said], args[1])[0] if said in _ASSERTED else _NOTHING


def _compared(frame: Frame, left: ir.Expr, op: str, right: ir.Expr) -> tuple[frozenset[Place], frozenset[Place]]:
    if isinstance(left, ir.Const):
        left, right, op = right, left, _FLIPPED.get(op, "")
    if not isinstance(right, ir.Const) or not isinstance(right.value, int):
        return _NOTHING, _NOTHING
    counted = _counted(frame, left)
    if (op, right.value) in (("==", 1), ("<", 2), ("<=", 1)):
        return counted, _NOTHING
    if (op, right.value) in (("!=", 1), (">", 1), (">=", 2)):
        return _NOTHING, counted
    return _NOTHING, _NOTHING


def _counted(frame: Frame, expr: ir.Expr) -> frozenset[Place]:
    """The object whose length the expression is: `len(x)`, or a name that holds it."""
    if isinstance(expr, ir.Call) and len(expr.args) == 1 and frame.dotted(expr.func) == "builtins.len":
        return _object(frame, expr.args[0].value)
    if isinstance(expr, ir.Name):
        held = frame.env.get(expr.id)
        if held is not None and held.form == "scalar" and held.obj is not None:
            return frozenset({held.obj})
    return _NOTHING


def _object(frame: Frame, expr: ir.Expr) -> frozenset[Place]:
    with frame.hushed():
        obj = frame.peek(expr).obj
    return _NOTHING if obj is None else frozenset({obj})

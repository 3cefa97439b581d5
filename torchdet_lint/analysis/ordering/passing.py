"""Calls of the project's own functions and classes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from torchdet_lint import ir
from torchdet_lint.analysis.ordering.frame import Frame
from torchdet_lint.analysis.ordering.iteration import walk_through
from torchdet_lint.analysis.ordering.values import PLAIN, UNKNOWN, Origin, Value, merge, substitute


@dataclass(frozen=True, slots=True)
class Target:
    """A function or class of the project that is called; `bound` when a first parameter is already given. `owner` is the
    class whose method it is, and `home` that class's file and unit where the method is inherited.
    """

    path: str
    unit: int
    definition: ir.Function | ir.Class
    owner: ir.Class | None = None
    bound: bool = False
    home: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class ArgumentUse:
    """What a function does with a collection in arbitrary order: how the order matters ("" when not), what it returns."""

    consumer: str = ""
    confidence: str = "medium"
    sorts: bool = False
    result: Value = PLAIN


def idle_call(frame: Frame, expr: ir.Call) -> Value:
    """A call of a function that has no order itself: it is looked at only when it is given one."""
    values = [frame.eval(arg.value) for arg in expr.args]
    if any(value.form == "set" or frame.visible(value) for value in values):
        target = frame.ordering.resolve(frame, expr.func)
        if target is not None:
            return project_call(frame, expr, target, values)
    return Value(obj=frame.place(expr.span))


def project_call(frame: Frame, expr: ir.Call, target: Target, values: list[Value] | None = None) -> Value:
    """Hands the arguments over, and takes the result with its orders."""
    function = _function(target)
    positional = _positional(function, target)
    result = frame.ordering.result(target, frame)
    frame.log.seen |= deep_origins(result)
    for position, arg in enumerate(expr.args):
        value = frame.eval(arg.value) if values is None else values[position]
        name = (
            arg.name if arg.star == "=" else positional[position] if not arg.star and position < len(positional) else ""
        )
        if value.form == "set":
            frame.grow(value, UNKNOWN)
        orders = frame.visible(value)
        as_set = value.form == "set"
        if as_set and frame.kind(value) not in ("int", "none"):
            orders = walk_through(frame, value, arg.value.span, arg.value.span)
        if not orders or not name:
            continue
        use = frame.ordering.argument(target, name, "set" if as_set else value.form, frame.kind(value))
        if use.consumer:
            frame.use(orders, use.consumer, use.confidence)
        if use.sorts:
            frame.settle(value)
        if not use.sorts:
            result = merge(result, substitute(use.result, orders))
    return replace(result, obj=frame.place(expr.span))


def deep_origins(value: Value) -> set[Origin]:
    found = set(value.origins)
    if value.item is not None:
        found |= deep_origins(value.item)
    for part in value.parts:
        found |= deep_origins(part)
    return found


def _function(target: Target) -> ir.Function | None:
    if isinstance(target.definition, ir.Function):
        return target.definition
    for statement in target.definition.body:
        if isinstance(statement, ir.Function) and statement.name == "__init__":
            return statement
    return None


def _positional(function: ir.Function | None, target: Target) -> list[str]:
    if function is None:
        return []
    names = [param.name for param in function.params if param.kind in ("positional", "normal")]
    return names[1:] if target.bound or isinstance(target.definition, ir.Class) else names

"""Sets: how they are made, and what happens to them without anything being walked through."""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.analysis.ordering import tables
from torchdet_lint.analysis.ordering.frame import Frame
from torchdet_lint.analysis.ordering.values import (
    INT,
    NUMBER,
    PLAIN,
    STR,
    UNKNOWN,
    Origin,
    Value,
    join_all,
    join_types,
)


def new_set(frame: Frame, span: ir.Span, kind: str, api: str) -> Value:
    """A set made at `span`; an empty `api` says that it has one element."""
    origin = Origin("set", frame.place(span), api or "a set display", kind)
    made = frame.make("set", span, kind, {origin})
    if not api:
        frame.settle(made)
    return made


def element_type(frame: Frame, value: Value) -> str:
    """The type of what comes out when the value is walked through."""
    if value.form in ("seq", "set", "map", "keys", "tensor"):
        item = frame.item(value)
        if item is not None and item.parts and value.form == "seq":
            return join_all(part.type for part in item.parts)
        return frame.kind(value)
    if value.form in ("text", "file") or (value.form == "scalar" and value.type == STR):
        return STR
    return UNKNOWN


def combined(frame: Frame, op: str, left: Value, right: Value, span: ir.Span) -> Value:
    """`a | b`, `a & b`, `a - b`, `a ^ b` of which one is known to be a set."""
    first, second = element_type(frame, left), element_type(frame, right)
    if op == "&":
        kind = INT if INT in (first, second) else second if first == UNKNOWN else first
    elif op == "-":
        kind = first
    else:
        kind = join_types(first, second)
    name = {"|": "a union of sets", "&": "an intersection of sets", "-": "a difference of sets"}
    return new_set(frame, span, kind, name.get(op, "a difference of sets"))


def set_method(frame: Frame, expr: ir.Call, name: str, receiver: Value) -> Value | None:
    """A method of a known set; None when it is none of a set's own."""
    values = [frame.eval(arg.value) for arg in expr.args]
    if name in tables.SET_CHANGES:
        _change(frame, name, receiver, values)
        return PLAIN
    if name in tables.UNORDERED_RESULTS or name == "copy":
        op = {"union": "|", "intersection": "&", "difference": "-"}.get(name, "^")
        made = receiver
        for value in values:
            made = combined(frame, op, made, value, expr.span)
        if values and expr.args[0].star == "*":
            made = new_set(frame, expr.span, UNKNOWN, "a union of sets")
        return made
    if name == "pop" and not values:
        kind = frame.kind(receiver)
        if frame.popping(expr.func):
            return PLAIN
        if kind not in ("int", "none"):
            frame.use(
                (
                    Origin("set", frame.place(expr.span), origin.api, kind, origin.place, None, origin.param)
                    for origin in frame.orders(receiver)
                ),
                "gives an arbitrary element to `pop`",
            )
        return PLAIN
    return NUMBER if name.startswith(("is", "__contains__")) else None


def _change(frame: Frame, name: str, receiver: Value, values: list[Value]) -> None:
    if name == "add" and values:
        frame.grow(receiver, values[0].type if values[0].form != "plain" else UNKNOWN)
    elif name == "update":
        for value in values:
            frame.grow(receiver, element_type(frame, value))
    if name in ("add", "update") and receiver.obj is not None:
        frame.store.settled.discard(receiver.obj)

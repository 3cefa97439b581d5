"""Method calls on tensors, on containers of tensors, and on objects of which nothing is known."""

from __future__ import annotations

from typing import TypeAlias

from torchdet_lint import ir
from torchdet_lint.analysis.memory.frame import Frame, commit, escape, read, taint, uses_in, write
from torchdet_lint.analysis.memory.tables import (
    COMPUTES,
    DONORS,
    IMMEDIATE,
    IN_PLACE_READS,
    METADATA,
    PART_VIEWS,
    PIECES,
    TAKES_TENSOR,
    WHOLE_VIEWS,
)
from torchdet_lint.analysis.memory.targets import rebind
from torchdet_lint.analysis.memory.transfers import in_flight
from torchdet_lint.analysis.memory.values import NOTHING, State, Value, all_of, elements, reach

Arguments: TypeAlias = "list[tuple[ir.Arg, Value]]"


def tensor_method(frame: Frame, state: State, expr: ir.Call, func: ir.Attr, owner: Value, args: Arguments) -> Value:
    """`tensor.name(...)`"""
    name = func.name
    if name in METADATA or name in DONORS:
        return NOTHING
    if in_flight(state, owner) and (name in AWAY or name == "numpy"):
        return _to_array(frame, state, expr, owner) if name == "numpy" else NOTHING
    if name in PIECES:
        return Value(each=owner.part())
    if name in PART_VIEWS:
        return owner.part()
    if name in WHOLE_VIEWS:
        return Value(refs=owner.refs, maybe=owner.maybe)
    given = all_of([value for _, value in args if reach(value)]) or NOTHING
    if name == "copy_" and in_flight(state, given):
        return _lost(frame, state, owner, given)  # the device may well take it up in the same stream
    if any(arg.name == "beta" for arg, _ in args):
        return _lost(frame, state, owner, given)
    if name in IN_PLACE_READS:
        both = Value(refs=(*owner.refs, *reach(given)), maybe=owner.maybe or given.maybe)
        taint(state, owner, uses_in(state, read(frame, state, both, expr.span, _phrase(name))))
        return owner
    if name == "scatter_" and _one_number(expr):
        return owner  # a number at some places, which a caller who wants it everywhere fills in: the others stay as they are
    if name == "fill" or (name.endswith("_") and not name.endswith("__")):
        source = read(frame, state, given, expr.span, _phrase(name))
        write(frame, state, owner.refs, uses_in(state, source))
        return owner
    if name in COMPUTES or name in IMMEDIATE:
        both = Value(refs=(*owner.refs, *reach(given)), maybe=owner.maybe or given.maybe)
        result = read(frame, state, both, expr.span, f"is read by `{name}`")
        if name in IMMEDIATE and name != "item":
            commit(frame, uses_in(state, result))
        return result
    return _lost(frame, state, owner, given)


def _one_number(expr: ir.Call) -> bool:
    """Whether `scatter_` is given a literal number to write, `scatter_(1, index, 1.0)`."""
    positional = [arg.value for arg in expr.args if arg.star == ""]
    given = [arg.value for arg in expr.args if arg.name == "value"] or positional[2:3]
    return any(isinstance(value, ir.Const) and isinstance(value.value, int | float) for value in given)


AWAY = frozenset("to cuda xpu mps npu hpu".split())
"""Methods that take a tensor back to a device, whose stream keeps the copies in order."""


def _to_array(frame: Frame, state: State, expr: ir.Call, owner: Value) -> Value:
    """`numpy()`, whose users know nothing of streams."""
    commit(frame, uses_in(state, read(frame, state, owner, expr.span, "becomes an array by `numpy`")))
    return owner


def _phrase(name: str) -> str:
    return f"is read by `{name}`"


def _lost(frame: Frame, state: State, owner: Value, given: Value) -> Value:
    escape(frame, state, owner)
    escape(frame, state, given)
    return NOTHING


GROWING = frozenset("append extend insert add update setdefault appendleft".split())


def container_method(frame: Frame, state: State, func: ir.Attr, owner: Value, args: Arguments) -> Value:
    """`list.append(t)`, `dict.items()`, …"""
    held = elements(owner)
    if func.name in GROWING:
        given = [value for _, value in args]
        grown = [elements(value) if func.name in ("extend", "update") else value for value in given]
        inner = [held] if owner.entries or owner.each is not None else []
        value = all_of([*inner, *(value for value in grown if value is not NOTHING)])
        if value is not None:
            rebind(frame, state, func.value, Value(each=value))
        return NOTHING
    if func.name == "items":
        return Value(each=Value(entries=((0, NOTHING), (1, held))))
    if func.name in ("values", "copy"):
        return Value(owner.refs, owner.entries, owner.each)
    if func.name in ("get", "pop", "popleft", "popitem"):
        return held
    return NOTHING


def unknown_method(frame: Frame, state: State, expr: ir.Call, func: ir.Attr, args: Arguments) -> Value:
    """A method of an object out of sight; a few names belong to tensors only."""
    given = tuple(ref for _, value in args for ref in reach(value))
    if not given or func.name in DONORS:
        return NOTHING
    maybe = any(value.maybe for _, value in args)
    if func.name in TAKES_TENSOR and not any(in_flight(state, value) for _, value in args):
        result = read(frame, state, Value(refs=given, maybe=maybe), expr.span, _phrase(func.name))
        if func.name.endswith("_"):
            commit(frame, uses_in(state, result))
        return result
    escape(frame, state, Value(refs=given))
    return NOTHING

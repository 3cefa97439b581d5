"""What a call does to the unwritten memory among its arguments."""

from __future__ import annotations

from typing import TypeAlias

from torchdet_lint import ir
from torchdet_lint.analysis.memory.allocation import allocation, assigned_values
from torchdet_lint.analysis.memory.external import external
from torchdet_lint.analysis.memory.frame import Frame, allocate, escape, place_pinned, read, write
from torchdet_lint.analysis.memory.inline import call_function, call_method_of_self, call_module, is_super, spelled
from torchdet_lint.analysis.memory.methods import container_method, tensor_method, unknown_method
from torchdet_lint.analysis.memory.modules import MODULE_METHODS, constructed, wrapped
from torchdet_lint.analysis.memory.networks import emptied, raw_method, run_raw
from torchdet_lint.analysis.memory.tables import MODEL_NAMES
from torchdet_lint.analysis.memory.transfers import copied, pins, resized, to_host, waited
from torchdet_lint.analysis.memory.values import NOTHING, Raw, State, Value, reach

Arguments: TypeAlias = "list[tuple[ir.Arg, Value]]"


def call(frame: Frame, state: State, expr: ir.Call) -> Value:
    made = allocation(expr, frame.names)
    args = [(arg, frame.evaluate(state, arg.value)) for arg in expr.args]
    if made is not None:
        return NOTHING if frame.meta else allocate(frame, state, expr.span, *made, pinned=pins(expr, frame.names))
    dotted = frame.names.dotted(expr.func)
    if dotted is not None:
        waited(state, dotted.rpartition(".")[2])
        return external(frame, state, expr, dotted, args)
    definition = frame.names.definition(expr.func)
    if definition is not None:
        module = constructed(frame.analysis, expr, frame.names)
        if module is not None:
            give_away(frame, state, args)
            return frame.emptying or Value(module=module)
        return call_function(frame, state, expr, args)
    if isinstance(expr.func, ir.Attr):
        return _method(frame, state, expr, expr.func, args)
    return _callee(frame, state, expr, frame.evaluate(state, expr.func), args) or unknown_call(frame, state, expr, args)


def _method(frame: Frame, state: State, expr: ir.Call, func: ir.Attr, args: Arguments) -> Value:
    if is_super(frame, func) or (isinstance(func.value, ir.Name) and func.value.id == frame.self_name):
        found = call_method_of_self(frame, state, expr, func, args)
        return found if found is not None else unknown_call(frame, state, expr, args)
    owner = frame.evaluate(state, func.value)
    waited(state, func.name, owner)
    moved = copied(frame, state, expr, func, owner, args)
    if moved is not None:
        return moved
    if owner.refs:
        return tensor_method(frame, state, expr, func, owner, args)
    moved = resized(frame, state, expr, func) or to_host(frame, state, expr, func)
    if moved is not None:
        return moved
    if func.name == "pin_memory":
        return place_pinned(frame, state, expr.span)
    if func.name == "to_empty":
        return emptied(frame, state, expr, func)
    if isinstance(owner.module, Raw):
        return raw_method(frame, state, expr, func, owner, args)
    if owner.module is not None:
        if func.name in MODULE_METHODS:
            return owner
        if func.name == "forward":
            return call_module(frame, state, expr, owner.module, args)
    if owner.entries is not None or owner.each is not None:
        return container_method(frame, state, func, owner, args)
    if func.name in MODEL_NAMES:
        return unknown_call(frame, state, expr, args)
    return unknown_method(frame, state, expr, func, args)


def _callee(frame: Frame, state: State, expr: ir.Call, callee: Value, args: Arguments) -> Value | None:
    """A call of a value that holds a network; None for any other."""
    if isinstance(callee.module, Raw):
        return run_raw(frame, state, expr, callee, spelled(expr.func), args)
    return call_module(frame, state, expr, callee.module, args) if callee.module is not None else None


def unknown_call(frame: Frame, state: State, expr: ir.Call, args: Arguments) -> Value:
    """A callable out of sight. One that is named like a network reads its first argument, if its result is dropped."""
    name = ir.last_name(expr.func)
    waited(state, name)
    if isinstance(expr.func, ir.Item) or not name:
        give_away(frame, state, args)
        return NOTHING
    if name in MODEL_NAMES and args and args[0][1].refs:
        result = read(frame, state, args[0][1], expr.span, f"is passed to `{name}(...)`", guess=True)
        give_away(frame, state, args[1:])
        return result
    if name.endswith("_") and not name.endswith("__") and args and args[0][1].refs:
        write(frame, state, args[0][1].refs)
        return args[0][1]
    give_away(frame, state, args)
    return NOTHING


def give_away(frame: Frame, state: State, args: Arguments) -> None:
    for _, value in args:
        if reach(value):
            escape(frame, state, value)


def module_named(frame: Frame, state: State, name: ir.Name) -> Value:
    """A name of an enclosing scope or of the module that holds a network or a loss."""
    values = assigned_values(name.id, frame.names)
    if len(values) != 1 or not isinstance(values[0], ir.Call):
        return NOTHING
    module = constructed(frame.analysis, values[0], frame.names) or wrapped(frame.analysis, values[0], frame.names)
    return Value(module=module) if module is not None else NOTHING

"""Calls of torch, NumPy, builtins and other libraries, by their dotted names."""

from __future__ import annotations

from typing import TypeAlias

from torchdet_lint import ir
from torchdet_lint.analysis.memory.coverage import key_of
from torchdet_lint.analysis.memory.frame import Frame, commit, escape, place_pinned, read, uses_in, write
from torchdet_lint.analysis.memory.modules import WRAPPERS, constructed, wrapped
from torchdet_lint.analysis.memory.networks import skipped
from torchdet_lint.analysis.memory.tables import (
    BUILTIN_READS,
    COLLECTIVE_INPUTS,
    COMPUTES,
    DONORS,
    METADATA,
    PART_VIEWS,
    PASS_THROUGH,
    PIECES,
    REDUCED_IN_PLACE,
    WHOLE_VIEWS,
)
from torchdet_lint.analysis.memory.targets import bind_field
from torchdet_lint.analysis.memory.transfers import in_flight, pins
from torchdet_lint.analysis.memory.values import NOTHING, Raw, Ref, State, Value, all_of, elements, reach

Arguments: TypeAlias = "list[tuple[ir.Arg, Value]]"

HOSTED = frozenset("numpy matplotlib PIL cv2 scipy sklearn pandas json pickle imageio soundfile wandb".split())
"""Libraries that read what they are given on the host."""

COMPUTING_MODULES = ("torch.nn.functional.", "torch.linalg.", "torch.fft.", "torch.special.")
PARAMETERS = frozenset({"Parameter", "ParameterList", "ParameterDict", "Buffer"})


def external(frame: Frame, state: State, expr: ir.Call, dotted: str, args: Arguments) -> Value:
    """The effects and the value of a call of something outside of the project."""
    home, _, last = dotted.rpartition(".")
    top = dotted.split(".", 1)[0]
    if top == "torch" and (found := _torch(frame, state, expr, dotted, args)) is not None:
        return found
    out = next((value for arg, value in args if arg.name == "out" and reach(value)), None)
    if out is not None:
        return _into(frame, state, expr, last, out, args)
    if top in HOSTED or dotted == "torch.save":
        _hosted(frame, state, expr, last, args)
    if not any(reach(value) for _, value in args) and not _about_self(frame, args):
        return _without_memory(frame, expr, args, last, top)
    if home == "torch.distributed":
        return _collective(frame, state, expr, last, args)
    if last.endswith("_") and not last.endswith("__"):
        return _initialise(frame, state, args)
    if last in PARAMETERS and top == "torch":
        return _parameter(frame, args)
    if top == "builtins":
        return _builtin(frame, state, expr, last, args)
    if last in DONORS or last in METADATA:
        return Value(each=all_of([value for _, value in args])) if last == "broadcast_tensors" else NOTHING
    if top in ("torch", "numpy", "copy", "itertools", "tqdm") and last in (
        WHOLE_VIEWS | PART_VIEWS | PIECES | PASS_THROUGH
    ):
        return _view(last, args)
    if dotted.startswith(COMPUTING_MODULES) or (home in ("torch", "numpy") and last in COMPUTES):
        return _compute(frame, state, expr, last, args, top)
    return _hand_over(frame, state, args)


def _torch(frame: Frame, state: State, expr: ir.Call, dotted: str, args: Arguments) -> Value | None:
    """Calls of torch about networks without weights and about pinned memory; None for all others."""
    if dotted == "torch.nn.utils.skip_init":
        return skipped(frame, state, expr)
    if dotted.startswith("torch.optim."):
        return NOTHING  # parameters are looked at when they are updated
    if dotted.rpartition(".")[2] in WRAPPERS and args and isinstance(args[0][1].module, Raw):
        return args[0][1]
    return place_pinned(frame, state, expr.span) if pins(expr, frame.names) else None


def _hosted(frame: Frame, state: State, expr: ir.Call, last: str, args: Arguments) -> None:
    """A library that works on the host looks at tensors that are still being filled."""
    for _, value in args:
        if in_flight(state, value):
            commit(frame, uses_in(state, read(frame, state, value, expr.span, f"is read by `{last}`")))


def _about_self(frame: Frame, args: Arguments) -> bool:
    return any(isinstance(arg.value, ir.Name) and arg.value.id == frame.self_name for arg, _ in args)


def _without_memory(frame: Frame, expr: ir.Call, args: Arguments, last: str, top: str) -> Value:
    """No argument holds memory; the call may still build a network."""
    module = constructed(frame.analysis, expr, frame.names) or wrapped(frame.analysis, expr, frame.names)
    inner = args[0][1].module if args else None
    if module is not None and frame.emptying is not None:
        return frame.emptying
    if module is not None:
        return Value(module=inner if inner is not None and not isinstance(inner, str) else module)
    return _view(last, args) if top in ("builtins", "copy") and last in PASS_THROUGH and args else NOTHING


def _into(frame: Frame, state: State, expr: ir.Call, last: str, out: Value, args: Arguments) -> Value:
    """`f(a, out=b)`. What is handed around together (`for a, b in chunks(x, y)`) may look like one buffer: no name, no read."""
    target = next(arg.value for arg, _ in args if arg.name == "out")
    written = {ref.buffer for ref in reach(out)}
    inputs = Value(
        each=all_of(
            [
                value
                for arg, value in args
                if arg.name != "out"
                and (written.isdisjoint(ref.buffer for ref in reach(value)) or key_of(arg.value) == key_of(target))
            ]
        )
    )
    result = read(frame, state, inputs, expr.span, f"is read by `{last}`")
    write(frame, state, reach(out), uses_in(state, result))
    return out


def _initialise(frame: Frame, state: State, args: Arguments) -> Value:
    """`torch.nn.init.normal_(t)` and its like in any library."""
    first = args[0][1]
    write(frame, state, reach(first))
    for _, value in args[1:]:
        escape(frame, state, value)
    return first


def _parameter(frame: Frame, args: Arguments) -> Value:
    first = args[0][1]
    frame.analysis.parameters.update(ref.buffer for ref in reach(first) if ref.buffer.place is not None)
    return first


def _collective(frame: Frame, state: State, expr: ir.Call, last: str, args: Arguments) -> Value:
    """Other processes get what is sent; what is reduced in place matters when somebody looks at it (a dummy makes all wait)."""
    sent = COLLECTIVE_INPUTS.get(last, -1)
    for index, (_, value) in enumerate(args):
        if index == sent and not any(ref.buffer.grown for ref in reach(value)):  # those are padded to one size
            uses = uses_in(state, read(frame, state, value, expr.span, f"is sent by `{last}`"))
            if last in REDUCED_IN_PLACE:
                write(frame, state, reach(value), uses)
                continue
            commit(frame, uses)
        escape(frame, state, value)
    return NOTHING


def _view(last: str, args: Arguments) -> Value:
    first = args[0][1]
    if last in PASS_THROUGH and last not in ("deepcopy", "copy"):
        return _iterated(last, args)
    if last in PIECES:
        return Value(each=first.part())
    if last in PART_VIEWS:
        return first.part()
    return Value(first.refs, first.entries, first.each, maybe=first.maybe)


def _iterated(last: str, args: Arguments) -> Value:
    values = [value for arg, value in args if arg.star == ""]
    if last == "enumerate":
        return Value(each=Value(entries=((0, NOTHING), (1, elements(values[0]))))) if values else NOTHING
    if last == "zip":
        return Value(each=Value(entries=tuple(enumerate(elements(value) for value in values))))
    if last == "dict":
        return Value(each=all_of([value if arg.star == "=" else elements(value) for arg, value in args]))
    if last in ("tuple", "list"):
        return values[0] if values and not values[0].refs else Value(each=elements(values[0]) if values else None)
    return Value(each=all_of([elements(value) for value in values]))


def _builtin(frame: Frame, state: State, expr: ir.Call, last: str, args: Arguments) -> Value:
    if last in ("getattr", "setattr", "delattr") and _about_self(frame, args):
        return _by_name(frame, state, last, args)
    if last in DONORS:
        if last == "print":
            _printed(frame, state, expr, args)
            commit(frame, [use for _, value in args for use in uses_in(state, value)])
        return NOTHING
    if last in PASS_THROUGH and last != "sorted":
        return _view(last, args)
    if last in BUILTIN_READS:
        return read(frame, state, Value(each=all_of([value for _, value in args])), expr.span, f"is read by `{last}`")
    if last == "getattr" and len(args) > 1 and getattr(args[1][0].value, "value", None) in METADATA:
        return NOTHING
    if last == "next":
        return elements(args[0][1])
    if last == "slice":
        return NOTHING
    return _hand_over(frame, state, args)


def _printed(frame: Frame, state: State, expr: ir.Call, args: Arguments) -> None:
    """Printing looks at a host tensor that is still being filled."""
    for _, value in args:
        if in_flight(state, value):
            commit(frame, uses_in(state, read(frame, state, value, expr.span, "is printed")))


def _by_name(frame: Frame, state: State, last: str, args: Arguments) -> Value:
    """`getattr(self, "x")`, `setattr(self, "x", v)`; with a computed name, any attribute may be meant."""
    name = args[1][0].value if len(args) > 1 else None
    if isinstance(name, ir.Const) and isinstance(name.value, str):
        if last == "setattr" and len(args) > 2:
            bind_field(frame, state, name.value, args[2][1])
            return NOTHING
        return state.fields.get(name.value, NOTHING)
    for value in (*state.fields.values(), *(value for _, value in args)):
        escape(frame, state, value)
    return NOTHING


def _compute(frame: Frame, state: State, expr: ir.Call, last: str, args: Arguments, top: str) -> Value:
    """A computation; `beta=` may tell it to ignore its input, and NumPy takes the output by position too."""
    if any(arg.name == "beta" for arg, _ in args):
        return _hand_over(frame, state, args)
    limit = 2 if top == "numpy" else len(args)
    looked_at: list[Ref] = [ref for _, value in args[:limit] for ref in reach(value)]
    maybe = any(value.maybe for _, value in args)
    result = read(frame, state, Value(refs=tuple(looked_at), maybe=maybe), expr.span, f"is read by `{last}`")
    for _, value in args[limit:]:
        escape(frame, state, value)
    return result


def _hand_over(frame: Frame, state: State, args: Arguments) -> Value:
    for arg, value in args:
        escape(frame, state, value)
        if isinstance(arg.value, ir.Name) and arg.value.id == frame.self_name:
            for attribute in state.fields.values():
                escape(frame, state, attribute)
    return NOTHING

"""Networks whose parameters are unwritten memory: `Module.to_empty()` and `torch.nn.utils.skip_init`."""

from __future__ import annotations

from typing import TypeAlias

from torchdet_lint import ir
from torchdet_lint.analysis.memory.frame import Frame, allocate, commit, escape, read, uses_in, write
from torchdet_lint.analysis.memory.modules import MODULE_METHODS
from torchdet_lint.analysis.memory.targets import rebind
from torchdet_lint.analysis.memory.values import NOTHING, Raw, Ref, State, Value, reach

Arguments: TypeAlias = "list[tuple[ir.Arg, Value]]"

NEUTRAL = (MODULE_METHODS - {"apply"}) | {"zero_grad", "train", "children", "named_children", "extra_repr"}


def emptied(frame: Frame, state: State, expr: ir.Call, func: ir.Attr) -> Value:
    """`model.to_empty(...)`: the network keeps its name, its parameters are unwritten from here on."""
    value = raw(frame, state, expr.span, "torch.nn.Module.to_empty")
    if isinstance(func.value, ir.Name | ir.Attr):
        rebind(frame, state, func.value, value)
    if not isinstance(func.value, ir.Name):
        frame.analysis.parameters.update(ref.buffer for ref in reach(value))
    return value


def skipped(frame: Frame, state: State, expr: ir.Call) -> Value:
    """`skip_init(Layer, ...)`"""
    value = raw(frame, state, expr.span, "torch.nn.utils.skip_init")
    frame.analysis.parameters.update(ref.buffer for ref in reach(value))
    return value


def raw(frame: Frame, state: State, span: ir.Span, api: str) -> Value:
    (ref,) = allocate(frame, state, span, api, None).refs
    return Value(module=Raw(ref.buffer))


def raw_method(frame: Frame, state: State, expr: ir.Call, func: ir.Attr, owner: Value, args: Arguments) -> Value:
    """A method of such a network. Loading writes all of it, unless it may leave out what the checkpoint lacks."""
    refs = reach(owner)
    if func.name == "load_state_dict":
        if _may_lack(expr) and expr is frame.dropping:
            phrase = "is loaded with `strict=False`, which leaves what the checkpoint lacks as it is"
            status = state.heap[refs[0].buffer]
            partly = read(frame, state, Value(refs=refs, maybe=True), expr.span, phrase) if not status.done else NOTHING
            commit(frame, uses_in(state, partly))
        write(frame, state, (Ref(ref.buffer) for ref in refs))
        return NOTHING
    if func.name in NEUTRAL:
        return owner
    if func.name == "forward":
        return run_raw(frame, state, expr, owner, "forward", args)
    for value in (owner, *(value for _, value in args)):
        escape(frame, state, value)
    return NOTHING


def run_raw(frame: Frame, state: State, expr: ir.Call, owner: Value, name: str, args: Arguments) -> Value:
    """A forward pass with parameters that may be unwritten."""
    for _, value in args:
        escape(frame, state, value)
    return read(frame, state, Value(refs=reach(owner)), expr.span, f"is used by the forward pass `{name}(...)`")


def _may_lack(expr: ir.Call) -> bool:
    """Whether the call says `strict=False`."""
    positional = [arg.value for arg in expr.args if arg.star == ""]
    given = [arg.value for arg in expr.args if arg.name == "strict"] or positional[1:2]
    return any(isinstance(value, ir.Const) and value.value is False for value in given)

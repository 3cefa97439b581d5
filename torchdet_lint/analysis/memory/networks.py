"""Networks whose parameters are unwritten memory: `Module.to_empty()`, `torch.nn.utils.skip_init`, and what is built in
Lightning's `init_module(empty_init=True)`, which turns all of `torch.nn.init` off.
"""

from __future__ import annotations

from typing import TypeAlias

from torchdet_lint import ir
from torchdet_lint.analysis.memory.frame import Frame, allocate, commit, escape, read, uses_in, write
from torchdet_lint.analysis.memory.modules import MODULE_METHODS
from torchdet_lint.analysis.memory.targets import rebind
from torchdet_lint.analysis.memory.values import NOTHING, PART, Raw, Ref, State, Value, reach

Arguments: TypeAlias = "list[tuple[ir.Arg, Value]]"

NEUTRAL = (MODULE_METHODS - {"apply"}) | {"zero_grad", "train", "children", "named_children", "extra_repr"}

PARAMETERS = frozenset({"parameters", "buffers"})


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


def emptied_inside(frame: Frame, state: State, context: ir.Expr) -> Value | None:
    """The networks that are built in `fabric.init_module(empty_init=True)`; None for any other context."""
    if not isinstance(context, ir.Call) or not isinstance(context.func, ir.Attr) or context.func.name != "init_module":
        return None
    given = [arg.value for arg in context.args if arg.name in ("", "empty_init")]
    if not given or not isinstance(given[0], ir.Const) or given[0].value is not True or frame.meta:
        return None
    return raw(frame, state, context.span, "init_module")


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
    if func.name in PARAMETERS:
        return Value(each=Value(refs=tuple(Ref(ref.buffer, PART) for ref in refs)))
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

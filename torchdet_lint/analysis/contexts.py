"""`with` statements and decorators that change what happens inside them."""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.analysis import classes
from torchdet_lint.analysis.conditions import needed
from torchdet_lint.analysis.iteration import iterate
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.trace import Branch
from torchdet_lint.analysis.values import (
    FALSE,
    NONE,
    Box,
    Flow,
    FunctionValue,
    Instance,
    Made,
    Pending,
    Truth,
    Value,
    alternatives,
    join,
    known,
    usual,
)
from torchdet_lint.project.modules import External

Kinds = tuple[tuple[str, Value], ...]

BY_ROLE = {"no-grad": "no-grad", "sdpa-context": "sdpa", "fork-rng": "fork-rng", "skip-init": "init-empty"}
"""Roles of the API tables that are contexts, and the kind of `Within` that they make."""

STACKS = frozenset(("contextlib.ExitStack", "contextlib.AsyncExitStack"))
"""Hold contexts open that are entered one by one."""

BY_NAME = {
    "torch.enable_grad": "grad",
    "torch.backends.cudnn.flags": "flags",
    "torch.device": "meta",
}


def context_kinds(m: Machine, value: Value) -> Kinds:
    """The kinds of `Within` that using the value as a context manager (or decorator) makes."""
    for option in usual(value):
        name = (
            option.cls
            if isinstance(option, Made)
            else m.apis.canonical(option.path)
            if isinstance(option, External)
            else ""
        )
        if not name:
            continue
        kind = _kind(m, name, option)
        if kind:
            return ((kind, option),)
    return ()


def _kind(m: Machine, name: str, value: Value) -> str:
    row = m.api(name)
    kind = BY_NAME.get(name, "") or (BY_ROLE.get(row.role, "") if row is not None else "")
    if kind == "init-empty" and row is not None and row.needs and isinstance(value, Made) and not needed(value, row):
        return ""
    made = value if isinstance(value, Made) else None
    if name.endswith("set_grad_enabled"):
        return "no-grad" if made is not None and made.get("mode", 0) == FALSE else ""
    if kind == "meta":
        device = made.get("type", 0) if made is not None else None
        return "init-empty" if device == known("meta") else ""
    if name.endswith(("inference_mode",)) and made is not None and made.get("mode", 0) == FALSE:
        return ""
    return kind


def enter_context(m: Machine, f: Frame, value: Value, span: ir.Span) -> tuple[Value, Kinds]:
    """What `with value as x` binds, and the contexts that it opens. What entering does goes into the frame's trace."""
    options = alternatives(value)
    if len(options) == 1:
        return _enter_one(m, f, value, span)
    found, opened = [], list(context_kinds(m, value))
    for option in options:
        if isinstance(option, Instance | Flow):
            kept, f.trace = f.trace, []
            entered, kinds = _enter_one(m, f, option, span)
            trace, f.trace = tuple(f.trace), kept
            opened += [kind for kind in kinds if kind not in opened]
            found.append(entered)
            if trace:
                f.trace.append(Branch(f.site(span), Truth.OPEN, "", trace, (), len(options)))
    return (join(*found) if found else value), tuple(opened)


def _enter_one(m: Machine, f: Frame, value: Value, span: ir.Span) -> tuple[Value, Kinds]:
    from torchdet_lint.analysis import calls

    if isinstance(value, Instance):
        found = classes.find_member(m, value.cls, "__enter__") or classes.find_member(m, value.cls, "__aenter__")
        if found is not None and isinstance(found[0], FunctionValue):
            summary = calls.summarise(m, found[0], (value,), ())
            result = calls.enter(m, f, found[0], (value,), (), span, receiver=value.identity)
            return result, summary.opens if summary is not None else ()
    if isinstance(value, Made) and value.cls.endswith(".ContextManagers"):
        # `with ContextManagers([no_init_weights(), init_empty_weights()])` of transformers
        lists = [option for option in alternatives(value.args[0] if value.args else None) if isinstance(option, Box)]
        inside = [one for option in lists for one in m.heap.elements(option.identity)]
        return value, tuple(kind for one in inside for kind in enter_context(m, f, one, span)[1])
    if isinstance(value, Flow):
        opened = (kind for source in value.sources if isinstance(source, Pending) for kind in source.summary.opens)
        return iterate(m, f, value, span), tuple(opened)
    return value, context_kinds(m, value)


def leave_context(m: Machine, f: Frame, value: Value, span: ir.Span) -> None:
    """What leaving a context of the project's own does goes into the frame's trace."""
    from torchdet_lint.analysis import calls

    if not isinstance(value, Instance):
        return
    found = classes.find_member(m, value.cls, "__exit__") or classes.find_member(m, value.cls, "__aexit__")
    if found is not None and isinstance(found[0], FunctionValue):
        calls.enter(m, f, found[0], (value, NONE, NONE, NONE), (), span, receiver=value.identity)


def enter_by_hand(
    m: Machine, f: Frame, receiver: Value, name: str, args: tuple[Value, ...], span: ir.Span
) -> Value | None:
    """`stack.enter_context(x)` and `x.__enter__()`: what they open stays so until the stack, or who wrote it, closes it."""
    if name in ("enter_context", "enter_async_context") and args:
        value: Value = args[0]
    elif name == "__enter__" and isinstance(receiver, Made | Flow):
        value = receiver
    else:
        return None
    entered, kinds = enter_context(m, f, value, span)
    f.opens += kinds
    return entered

"""`with` statements and decorators that change what happens inside them."""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.analysis import classes
from torchdet_lint.analysis.conditions import needed
from torchdet_lint.analysis.iteration import iterate
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.values import (
    FALSE,
    Flow,
    FunctionValue,
    Instance,
    Made,
    Value,
    known,
    usual,
)
from torchdet_lint.project.modules import External

Kinds = tuple[tuple[str, Value], ...]

BY_ROLE = {"no-grad": "no-grad", "sdpa-context": "sdpa", "fork-rng": "fork-rng", "skip-init": "init-empty"}
"""Roles of the API tables that are contexts, and the kind of `Within` that they make."""

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
    """What `with value as x` binds, and the contexts that it opens."""
    from torchdet_lint.analysis import calls

    if isinstance(value, Instance):
        found = classes.find_member(m, value.cls, "__enter__")
        if found is not None and isinstance(found[0], FunctionValue):
            return calls.enter(m, f, found[0], (value,), (), span, receiver=value.identity), ()
    if isinstance(value, Flow):
        return iterate(m, f, value, span), ()
    return value, context_kinds(m, value)

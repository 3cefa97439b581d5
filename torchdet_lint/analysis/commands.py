"""Command groups of click and typer: calling the group runs one of its commands, with the options that the user chooses."""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.trace import Branch
from torchdet_lint.analysis.values import FunctionValue, Identity, Made, Site, Truth, Value, alternatives


def _identity(group: Value) -> Identity | None:
    """Under which the heap keeps the commands of a group: an application object, or a function that is one itself."""
    if isinstance(group, Made):
        return group.identity
    if isinstance(group, FunctionValue):
        return Site(group.path, group.unit, group.span, f"<commands of {group.qualname}>"), 0
    return None


def register(m: Machine, f: Frame, group: Value, command: Value) -> None:
    """`@group.command()`"""
    for option in alternatives(group):
        identity = _identity(option)
        if identity is not None:
            m.heap.append(identity, command)


def run_commands(m: Machine, f: Frame, group: Value, span: ir.Span) -> None:
    """Any one of the group's commands may run."""
    from torchdet_lint.analysis.outside import call_back

    identity = _identity(group)
    if identity is None or not m.heap.exists(identity):
        return
    for command in m.heap.elements(identity):
        for option in alternatives(command):
            if not isinstance(option, FunctionValue) or option == group:
                continue
            kept, f.trace = f.trace, []
            call_back(m, f, option, (), span, open_call=True)
            trace, f.trace = tuple(f.trace), kept
            if trace:
                f.trace.append(Branch(f.site(span), Truth.OPEN, "", trace, ()))

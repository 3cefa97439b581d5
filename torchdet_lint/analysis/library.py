"""Evaluating what no program reaches, with unknown arguments, so that site rules speak there too."""

from __future__ import annotations

from collections.abc import Iterator

from torchdet_lint import ir
from torchdet_lint.analysis import calls, classes
from torchdet_lint.analysis.machine import MAX_STEPS, Frame, Machine
from torchdet_lint.analysis.trace import Summary
from torchdet_lint.analysis.triggers import holds_site
from torchdet_lint.analysis.values import ClassValue, FunctionValue, Instance
from torchdet_lint.source import Unit

BUDGET = 4_000
"""Steps for one function that nobody is known to call."""

DEPTH = 2
"""How deep such a function is followed into what it calls: enough for helpers, since what they hold is evaluated by itself."""


def evaluate_rest(m: Machine) -> Iterator[Summary]:
    """Summaries of modules and functions that hold sites and that no program has entered yet."""
    m.max_depth = DEPTH
    for path, module in sorted(m.project.modules.items()):
        if not any(holds_site(unit, m.apis) for unit in module.source.units):
            continue
        m.steps = 0
        yield m.module_summary(path, main=False)
        for unit in module.source.units:
            if unit.kind in ("import", "from") or not holds_site(unit, m.apis):
                continue
            yield from _unit(m, path, unit)


def _unit(m: Machine, path: str, unit: Unit) -> Iterator[Summary]:
    frame = Frame(path, unit.index, "", None, m.number())
    for name in unit.names:
        value = m.global_value(path, name)
        if isinstance(value, FunctionValue) and value.path == path and value.unit == unit.index:
            yield from _function(m, value)
        elif isinstance(value, ClassValue) and value.path == path and value.unit == unit.index:
            yield from _class(m, frame, value)


def _function(m: Machine, function: FunctionValue) -> Iterator[Summary]:
    if m.contexts.get(function):
        return
    m.steps = max(0, MAX_STEPS - BUDGET)
    summary = calls.summarise(m, function, (), (), open_call=True)
    if summary is not None:
        yield summary


def _class(m: Machine, frame: Frame, cls: ClassValue) -> Iterator[Summary]:
    """The methods of a class that no program has entered, on an object made with unknown arguments."""
    found = classes.info(m, cls)
    if found is None:
        return
    span = (0, 0)
    instance = Instance(cls, frame.identity(span))
    for name in ("__init__", *(name for name in found.members if name != "__init__")):
        member = found.members.get(name)
        code = found.code.get(name)
        if isinstance(member, ClassValue) and member.qualname.startswith(f"{cls.qualname}."):
            yield from _class(m, frame, member)
        if not isinstance(member, FunctionValue) or code is None:
            continue
        if m.contexts.get(member) and name != "__init__":
            continue
        reached = bool(m.contexts.get(member))
        m.steps = max(0, MAX_STEPS - BUDGET)
        summary = calls.summarise(m, member, _receiver(code, instance, cls), (), open_call=True)
        if summary is not None and not reached:
            yield summary


def _receiver(code: ir.Function, instance: Instance, cls: ClassValue) -> tuple[Instance | ClassValue, ...]:
    kinds = {d.id for d in code.decorators if isinstance(d, ir.Name)}
    if "staticmethod" in kinds:
        return ()
    return (cls,) if "classmethod" in kinds else (instance,)



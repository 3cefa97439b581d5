"""Evaluating what no program reaches, with unknown arguments, so that site rules speak there too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from torchdet_lint import ir
from torchdet_lint.analysis import calls, classes
from torchdet_lint.analysis.machine import MAX_STEPS, Frame, Machine
from torchdet_lint.analysis.operations import holds_older, kernel_names
from torchdet_lint.analysis.trace import Summary
from torchdet_lint.analysis.triggers import classes_of_sites, holds_site, renamed, site_words
from torchdet_lint.analysis.values import ClassValue, FunctionValue, Instance
from torchdet_lint.catalog.versions import ANY
from torchdet_lint.project.modules import Module
from torchdet_lint.source import Unit

Entered: TypeAlias = set[tuple[str, int, str]]
"""Functions that programs enter, by file, unit and qualified name."""

BUDGET = 4_000
"""Steps for one function that nobody is known to call."""

DEPTH = 2
"""How deep such a function is followed into what it calls: enough for helpers, since what they hold is evaluated by itself."""


def evaluate_module(m: Machine, path: str, entered: Entered) -> Iterator[Summary]:
    """Summaries of a module's top level, and of its functions that hold sites and that no program has entered.

    `m` is a machine for this module alone: what the module imports is looked up, and not run.
    """
    m.max_depth, m.runs_imports = DEPTH, False
    module = m.project.modules[path]
    own = classes_of_sites(m.project, m.apis)
    names = own | renamed(module, site_words(m.apis) | own) | kernel_names(module, m.apis)
    held = [unit for unit in module.source.units if _holds_site(m, module, unit, names)]
    if not held:
        return
    yield m.module_summary(path, main=False)
    for unit in held:
        if unit.kind not in ("import", "from"):
            yield from _unit(m, path, unit, entered)


def _holds_site(m: Machine, module: Module, unit: Unit, names: frozenset[str]) -> bool:
    """Whether the unit can hold a site; `names` are what the module calls things that make one."""
    if holds_site(module.source, unit, m.apis) or any(callee.rpartition(".")[2] in unit.words for callee in m.watched):
        return True
    if holds_older(unit) and not m.versions.get("torch", ANY).newest_satisfies("torch>=2.1"):
        return True
    return not names.isdisjoint(unit.words)


def _unit(m: Machine, path: str, unit: Unit, entered: Entered) -> Iterator[Summary]:
    frame = Frame(path, unit.index, "", None, m.number())
    for name in unit.names:
        value = m.global_value(path, name)
        if isinstance(value, FunctionValue) and value.path == path and value.unit == unit.index:
            yield from _function(m, value, entered)
        elif isinstance(value, ClassValue) and value.path == path and value.unit == unit.index:
            yield from _class(m, frame, value, entered)


def _function(m: Machine, function: FunctionValue, entered: Entered) -> Iterator[Summary]:
    if (function.path, function.unit, function.qualname) in entered:
        return
    m.steps = max(0, MAX_STEPS - BUDGET)
    summary = calls.summarise(m, function, (), (), open_call=True)
    if summary is not None:
        yield summary


def _class(m: Machine, frame: Frame, cls: ClassValue, entered: Entered) -> Iterator[Summary]:
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
            yield from _class(m, frame, member, entered)
        if not isinstance(member, FunctionValue) or code is None:
            continue
        reached = (member.path, member.unit, member.qualname) in entered
        if reached and name != "__init__":
            continue
        m.steps = max(0, MAX_STEPS - BUDGET)
        summary = calls.summarise(m, member, _receiver(code, instance, cls), (), open_call=True)
        if summary is not None and not reached:
            yield summary


def _receiver(code: ir.Function, instance: Instance, cls: ClassValue) -> tuple[Instance | ClassValue, ...]:
    kinds = {d.id for d in code.decorators if isinstance(d, ir.Name)}
    if "staticmethod" in kinds:
        return ()
    return (cls,) if "classmethod" in kinds else (instance,)

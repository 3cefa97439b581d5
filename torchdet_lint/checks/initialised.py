"""What a `worker_init_fn` does to the generator that the data set carries along."""

from __future__ import annotations

from collections.abc import Iterator

from torchdet_lint import ir
from torchdet_lint.analysis.machine import Machine
from torchdet_lint.analysis.values import FunctionValue, Known, Option, Value, alternatives
from torchdet_lint.checks.facts import Facts, nested
from torchdet_lint.project.modules import External, Folder, ModuleRef

REACHES = frozenset(("get_worker_info", "dataset", "worker_info"))
"""Names by which a worker gets at its copy of the data set."""

DEPTH = 3
"""Through so many calls of project functions the function is followed."""


def replaces(facts: Facts, init: Value | None, attribute: str) -> bool:
    """Whether the function may replace or reseed the generator that an attribute holds.

    A function that mentions neither the attribute nor the worker's data set seeds global generators at most. One that is
    out of sight, or is a method of some object, gets the benefit of the doubt.
    """
    for option in alternatives(init):
        inner = option.default if isinstance(option, Option) else option
        if isinstance(inner, Known) and inner.value is None:
            continue
        if not isinstance(inner, FunctionValue):
            return True
        if not REACHES.isdisjoint(words := set(_words(facts.machine, inner, DEPTH))) or attribute in words:
            return True
    return False


def _words(machine: Machine, function: FunctionValue, depth: int) -> Iterator[str]:
    """The names and attributes in a function, and in those of the project that it calls."""
    code = machine.function_code(function)
    for node in nested(code.body) if code is not None else ():
        if isinstance(node, ir.Attr):
            if node.name in REACHES or not _of_library(machine, function, node.value):
                yield node.name
        elif isinstance(node, ir.Name):
            yield node.id
        elif isinstance(node, ir.Call) and depth:
            callee = _callee(machine, function, node.func)
            if isinstance(callee, FunctionValue):
                yield from _words(machine, callee, depth - 1)


def _of_library(machine: Machine, function: FunctionValue, expr: ir.Expr) -> bool:
    """Whether the expression names a module, or something in one: its `random` is no attribute of an object."""
    while isinstance(expr, ir.Attr):
        expr = expr.value
    return isinstance(expr, ir.Name) and isinstance(
        machine.global_value(function.path, expr.id), External | ModuleRef | Folder
    )


def _callee(machine: Machine, function: FunctionValue, func: ir.Expr) -> Value | None:
    if isinstance(func, ir.Name):
        return machine.global_value(function.path, func.id)
    if isinstance(func, ir.Attr) and isinstance(func.value, ir.Name):
        home = machine.global_value(function.path, func.value.id)
        return machine.global_value(home.path, func.name) if isinstance(home, ModuleRef) else None
    return None

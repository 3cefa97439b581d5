"""What a `worker_init_fn` does to the generator that the data set carries along."""

from __future__ import annotations

from collections.abc import Iterator

from torchdet_lint import ir
from torchdet_lint.analysis.machine import Machine
from torchdet_lint.analysis.values import FunctionValue, Known, Value, usual
from torchdet_lint.checks.facts import Facts, nested
from torchdet_lint.project.modules import External, Folder, ModuleRef

DATASET = "dataset"
"""The name under which a worker gets at its copy of the data set: `get_worker_info().dataset`."""

DEPTH = 3
"""Through so many calls of project functions the function is followed."""


def replaces(facts: Facts, init: Value | None, attribute: str) -> bool:
    """Whether the function may replace or reseed the generator that an attribute holds.

    A function that mentions neither the attribute nor the worker's data set seeds global generators at most. One that is
    out of sight, or is a method of some object, gets the benefit of the doubt.
    """
    for option in usual(init):
        if isinstance(option, Known) and option.value is None:
            continue
        if not isinstance(option, FunctionValue):
            return True
        if not {DATASET, attribute}.isdisjoint(_words(facts.machine, option, DEPTH)):
            return True
    return False


def _words(machine: Machine, function: FunctionValue, depth: int) -> Iterator[str]:
    """The names and attributes in a function, and in those of the project that it calls."""
    code = machine.function_code(function)
    body = list(nested(code.body)) if code is not None else []
    told = {name for node in body for name in _told(node)}
    for node in body:
        if isinstance(node, ir.Attr):
            if node.name == DATASET or not _of_library(machine, function, node.value):
                yield node.name
        elif isinstance(node, ir.Name):
            yield node.id
        elif isinstance(node, ir.Call):
            if any(_asks(arg.value) or getattr(arg.value, "id", "") in told for arg in node.args):
                yield DATASET  # who is handed all that the worker knows may look there
            callee = _callee(machine, function, node.func)
            if isinstance(callee, FunctionValue) and depth:
                yield from _words(machine, callee, depth - 1)


def _asks(expr: object) -> bool:
    """`get_worker_info()`"""
    if not isinstance(expr, ir.Call):
        return False
    name = ir.last_name(expr.func)
    return bool(name == "get_worker_info")


def _told(node: object) -> Iterator[str]:
    """The names in `info = get_worker_info()`."""
    if isinstance(node, ir.Assign) and _asks(node.value):
        yield from (target.id for target in node.targets if isinstance(target, ir.Name))


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

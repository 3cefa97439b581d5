"""Names that stand for one thing after another: targets of loops. What is called under such a name is called for each in turn,
where elsewhere it would be one of several.
"""

from __future__ import annotations

from collections.abc import Sequence

from torchdet_lint import ir
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.values import UNKNOWN, Instance, Made, Value
from torchdet_lint.project.names import target_names


def in_turn(m: Machine, f: Frame, expr: ir.Call | None) -> bool:
    """Whether the call is one of a loop's target (`for step in steps: x = step(x)`), or of a method of it."""
    if expr is None:
        return False
    holder = expr.func
    while isinstance(holder, ir.Attr):
        holder = holder.value
    return isinstance(holder, ir.Name) and holder.id in _targets(m, f)


def is_one(options: Sequence[Value]) -> bool:
    """Whether these are what one place may make, of several classes: not things that a list holds one after another."""
    called = [option for option in options if option != UNKNOWN]
    places = [option.identity[0] for option in called if isinstance(option, Instance | Made)]
    return len(places) == len(called) and len(set(places)) == 1


def _targets(m: Machine, f: Frame) -> frozenset[str]:
    """The targets of the loops of the function, or of the statement at the top of the module, that runs."""
    function = f.function if isinstance(f.function, ir.Function | ir.Lambda) else None
    body = m.project.body(f.path, f.unit) if function is None else function.body
    key = ("targets of loops", f.path, f.unit, () if function is None else function.span)
    return m.project.once(key, lambda: _found(body))


def _found(body: object) -> frozenset[str]:
    loops = (node for node in ir.nested(body) if isinstance(node, ir.For | ir.Loop))
    return frozenset(name for loop in loops for name in target_names(loop.target))

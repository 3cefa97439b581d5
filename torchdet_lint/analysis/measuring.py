"""Networks that a function builds only to see how large they are: what was drawn for their parameters reaches nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torchdet_lint import ir
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.project.modules import Same
from torchdet_lint.project.names import target_names

_PARTS = frozenset(
    "parameters named_parameters modules named_modules children named_children buffers named_buffers".split()
)
_MOVES = frozenset("to cuda cpu eval train half float double requires_grad_".split())
_SIZES = frozenset(
    "numel nelement size shape dim ndim ndimension element_size requires_grad dtype device is_cuda".split()
)
_SHOWN = frozenset("print str repr len type id info debug pprint".split())


def is_measured(m: Machine, f: Frame, s: ir.Assign) -> bool:
    """Whether a name is bound to a new network of which only the size is ever read."""
    target = s.targets[0]
    if not isinstance(f.function, ir.Function) or not isinstance(s.value, ir.Call) or not isinstance(target, ir.Name):
        return False
    return target.id in _measured(m, f.function)


def _measured(m: Machine, function: ir.Function) -> frozenset[str]:
    """The names in a function of which only sizes are read, and at least one is."""
    return m.project.once((_measured, Same(function)), lambda: _only_measured(function))


def _only_measured(function: ir.Function) -> frozenset[str]:
    names = {node.func.value.id for node in ir.nested(function.body) if _asks_for_parts(node)}  # type: ignore[attr-defined]
    return frozenset(name for name in names if _is_only_measured(function, name))


def _asks_for_parts(node: object) -> bool:
    func = node.func if isinstance(node, ir.Call) else None
    return isinstance(func, ir.Attr) and func.name in _PARTS and isinstance(func.value, ir.Name)


def _is_only_measured(function: ir.Function, name: str) -> bool:
    params = {param.name for param in function.params}
    return name not in params and all(_uses(function.body, name, shown=False))


def _uses(node: Any, name: str, *, shown: bool) -> Iterator[bool]:
    """For each time the network is read, whether that shows it, moves it, or takes sizes of its parts."""
    if isinstance(node, ir.Name):
        if node.id == name:
            yield shown
    elif isinstance(node, ir.Assign):
        yield from (not _reads(target, name) for target in node.targets)
        value = node.value
        moved = isinstance(value, ir.Call) and _moves(value.func, name)
        again = [each for target in node.targets for each in target_names(target)] == [name]
        yield from _uses(value.args if moved and again else value, name, shown=False)  # type: ignore[union-attr]
    elif isinstance(node, ir.Do) and isinstance(node.value, ir.Call) and _moves(node.value.func, name):
        yield from _uses(node.value.args, name, shown=False)
    elif isinstance(node, ir.Delete):
        yield from (not _reads(target, name) or isinstance(target, ir.Name) for target in node.targets)
    elif isinstance(node, ir.For) and _gives_parts(node.iter, name):
        yield _takes_sizes((node.body, node.orelse), node.target)
        yield from _uses((node.body, node.orelse), name, shown=False)
    elif isinstance(node, ir.Comprehension) and len(node.loops) == 1 and _gives_parts(node.loops[0].iter, name):
        yield _takes_sizes((node.element, node.loops[0].tests), node.loops[0].target)
    elif isinstance(node, ir.Call):
        yield from _uses(node.func, name, shown=False)
        yield from _uses(node.args, name, shown=ir.last_name(node.func) in _SHOWN)
    elif isinstance(node, tuple):
        inside = shown and (type(node) is tuple or isinstance(node, ir.Arg | ir.Format))
        for part in node:
            yield from _uses(part, name, shown=inside)


def _reads(node: object, name: str) -> bool:
    """Whether a target mentions the network without binding its name."""
    return not isinstance(node, ir.Name) and any(
        isinstance(each, ir.Name) and each.id == name for each in ir.nested(node)
    )


def _moves(func: ir.Expr, name: str) -> bool:
    return (
        isinstance(func, ir.Attr) and func.name in _MOVES and isinstance(func.value, ir.Name) and func.value.id == name
    )


def _gives_parts(source: ir.Expr, name: str) -> bool:
    return _asks_for_parts(source) and source.func.value.id == name  # type: ignore[attr-defined]


def _takes_sizes(code: object, target: ir.Expr) -> bool:
    """Whether only sizes are read of what the target is bound to; names of parameters are no parameters."""
    parts = target.items[-1:] if isinstance(target, ir.Sequence) else (target,)
    names = {each for part in parts for each in target_names(part)}
    return all(_sizes(code, names))


def _sizes(node: Any, names: set[str]) -> Iterator[bool]:
    if isinstance(node, ir.Name):
        if node.id in names:
            yield False
    elif isinstance(node, ir.Attr) and node.name in _SIZES:
        inner = (
            node.value.value
            if isinstance(node.value, ir.Attr) and node.value.name in ("data", "weight")
            else node.value
        )
        yield from () if isinstance(inner, ir.Name) else _sizes(inner, names)
    elif isinstance(node, tuple):
        for part in node:
            yield from _sizes(part, names)

"""Parameters that a program writes: what was drawn for them cannot matter, as after a strict `load_state_dict`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdet_lint import ir
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.trace import Event
from torchdet_lint.analysis.values import FALSE, TRUE, Bound, Instance, Items, Made, Value, alternatives

_PARAMETERS = {"parameters": None, "named_parameters": 1}
"""Methods of modules that give all parameters, and where these stand in what each turn gets."""

_LAYER = re.compile(r"torch\.nn\.(?:Linear|Bilinear|(?:Lazy)?Conv(?:Transpose)?[123]d)")
_TABLE = re.compile(r"torch\.nn\.Embedding(?:Bag)?")
_WRITTEN = "<written %s>"

_THROUGH = ("list", "tuple", "tqdm")


def record_overwritten(m: Machine, f: Frame, loop: ir.For) -> None:
    """Appends that networks are loaded, where the loop has written all of their parameters."""
    from torchdet_lint.analysis.expressions import evaluate

    for network in overwritten(loop):
        for option in alternatives(evaluate(m, f, network)):
            if isinstance(option, Instance | Made):
                _record_load(f, Items((option, *m.heap.below(option))), loop.span)


def record_written(m: Machine, f: Frame, holder: Value, name: str, span: ir.Span) -> None:
    """Notes that a parameter of a layer is written: `layer.weight.copy_(x)`, `layer.bias.data = x`, `layer.weight = x`. Appends
    that the layer is loaded, when it has no other parameters.
    """
    if name in ("data", "copy_"):
        inner = holder
        while isinstance(inner, Bound) and inner.function in ("data", "detach"):
            inner = inner.receiver
        if not isinstance(inner, Bound) or not isinstance(inner.function, str):
            return
        holder, name = inner.receiver, inner.function
    for layer in alternatives(holder):
        needed = _drawn_parameters(layer) if isinstance(layer, Made) else ()
        if isinstance(layer, Made) and name in needed:
            m.heap.write(layer.identity, _WRITTEN % name, TRUE, replace=True)
            if all(m.heap.read(layer.identity, _WRITTEN % each) == TRUE for each in needed):
                _record_load(f, layer, span)


def _record_load(f: Frame, whole: Value, span: ir.Span) -> None:
    f.trace.append(Event("load", f.site(span), "copy_", value=whole, made=Made("copy_", (), (), f.identity(span))))


def _drawn_parameters(layer: Made) -> tuple[str, ...]:
    """The parameters of a layer that start from random numbers."""
    if _LAYER.fullmatch(layer.cls):
        return ("weight",) if layer.get("bias") == FALSE else ("weight", "bias")
    return ("weight",) if _TABLE.fullmatch(layer.cls) else ()


def overwritten(loop: ir.For) -> tuple[ir.Expr, ...]:
    """The networks of which the loop writes all parameters: `net` of `for p in net.parameters(): p.copy_(…)`."""
    found = []
    for target, source in _pairs(loop.target, loop.iter):
        if not (isinstance(source, ir.Call) and isinstance(source.func, ir.Attr) and source.func.name in _PARAMETERS):
            continue
        place = _PARAMETERS[source.func.name]
        parameter = target if place is None else _part(target, place)
        if isinstance(parameter, ir.Name) and _is_path(source.func.value) and _writes(loop.body, parameter.id):
            found.append(source.func.value)
    return tuple(found)


def _pairs(target: ir.Expr, source: ir.Expr) -> Iterator[tuple[ir.Expr, ir.Expr]]:
    """What each turn binds, with what it comes from: both of `for a, b in zip(x, y)`."""
    name = source.func.id if isinstance(source, ir.Call) and isinstance(source.func, ir.Name) else ""
    given = [arg.value for arg in source.args if not arg.star] if isinstance(source, ir.Call) else []
    if name == "zip":
        for index, each in enumerate(given):
            if (part := _part(target, index)) is not None:
                yield from _pairs(part, each)
    elif name == "enumerate" and given:
        if (part := _part(target, 1)) is not None:
            yield from _pairs(part, given[0])
    elif name in _THROUGH and given:
        yield from _pairs(target, given[0])
    else:
        yield target, source


def _part(target: ir.Expr, index: int) -> ir.Expr | None:
    return target.items[index] if isinstance(target, ir.Sequence) and index < len(target.items) else None


def _is_path(expr: ir.Expr) -> bool:
    """A name or attributes of one: asking for it again does nothing."""
    while isinstance(expr, ir.Attr):
        expr = expr.value
    return isinstance(expr, ir.Name)


def _writes(body: ir.Body, name: str) -> bool:
    """Whether every turn writes all of the parameter: `p.copy_(x)`, `p.data.copy_(x)`, `p.data = x`."""
    for statement in body:
        if isinstance(statement, ir.With) and _writes(statement.body, name):
            return True
        if isinstance(statement, ir.Do):
            func = statement.value.func if isinstance(statement.value, ir.Call) else None
            if isinstance(func, ir.Attr) and func.name == "copy_" and _is_data(func.value, name):
                return True
        elif isinstance(statement, ir.Assign) and any(
            isinstance(each, ir.Attr) and _is_data(each, name) for each in statement.targets
        ):
            return True
    return False


def _is_data(expr: ir.Expr, name: str) -> bool:
    inner = expr.value if isinstance(expr, ir.Attr) and expr.name == "data" else expr
    return isinstance(inner, ir.Name) and inner.id == name

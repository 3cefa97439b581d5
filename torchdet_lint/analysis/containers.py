"""Methods of lists, sets and dictionaries that the heap follows."""

from __future__ import annotations

from collections.abc import Callable

from torchdet_lint import ir
from torchdet_lint.analysis import attributes, registries
from torchdet_lint.analysis.iteration import element, iterate, known_items
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.values import (
    NONE,
    UNKNOWN,
    Box,
    Flow,
    Items,
    Known,
    Value,
    join,
    known,
)

Args = tuple[Value, ...]
Named = tuple[tuple[str, Value], ...]
Method = Callable[[Machine, Frame, Box, Args, Named, ir.Span], Value]


def _append(m: Machine, f: Frame, box: Box, args: Args, named: Named, span: ir.Span) -> Value:
    for value in args[-1:]:
        m.heap.append(box.identity, value)
    return NONE


def _extend(m: Machine, f: Frame, box: Box, args: Args, named: Named, span: ir.Span) -> Value:
    for value in args:
        items = known_items(m, value)
        for item in items if items is not None else (iterate(m, f, value, span),):
            m.heap.append(box.identity, item)
    return NONE


def _pop(m: Machine, f: Frame, box: Box, args: Args, named: Named, span: ir.Span) -> Value:
    return element(m, box)


def _copy(m: Machine, f: Frame, box: Box, args: Args, named: Named, span: ir.Span) -> Value:
    return box


def _update(m: Machine, f: Frame, box: Box, args: Args, named: Named, span: ir.Span) -> Value:
    for value in args:
        attributes.update_dict(m, box, value)
    for name, value in named:
        if name == "**":
            m.heap.cell(box.identity).open = True
        else:
            m.heap.write(box.identity, name, value, replace=True)
    return NONE


def _get(m: Machine, f: Frame, box: Box, args: Args, named: Named, span: ir.Span) -> Value:
    default = args[1] if len(args) > 1 else NONE
    cell = m.heap.cell(box.identity)
    key = args[0] if args else UNKNOWN
    if isinstance(key, Known) and str(key.value) in cell.entries:
        return cell.entries[str(key.value)]
    if isinstance(key, Known) and not cell.open and cell.element is None:
        return default
    return join(attributes.read_key(m, box, key), default)


def _setdefault(m: Machine, f: Frame, box: Box, args: Args, named: Named, span: ir.Span) -> Value:
    if args and isinstance(args[0], Known) and str(args[0].value) not in m.heap.cell(box.identity).entries:
        attributes.set_key(m, box, args[0], args[1] if len(args) > 1 else NONE)
    return attributes.read_key(m, box, args[0] if args else UNKNOWN)


def _dict_pop(m: Machine, f: Frame, box: Box, args: Args, named: Named, span: ir.Span) -> Value:
    value = _get(m, f, box, args, named, span)
    if args:
        attributes.delete_key(m, box, args[0])
    return value


def _values(m: Machine, f: Frame, box: Box, args: Args, named: Named, span: ir.Span) -> Value:
    cell = m.heap.cell(box.identity)
    if not cell.open and cell.element is None:
        return Items(tuple(cell.entries.values()))
    return Flow(attributes.read_key(m, box, UNKNOWN))


def _items(m: Machine, f: Frame, box: Box, args: Args, named: Named, span: ir.Span) -> Value:
    cell = m.heap.cell(box.identity)
    if not cell.open and cell.element is None:
        return Items(tuple(Items((known(name), value)) for name, value in cell.entries.items()))
    return Flow(Items((UNKNOWN, attributes.read_key(m, box, UNKNOWN))))


def _keys(m: Machine, f: Frame, box: Box, args: Args, named: Named, span: ir.Span) -> Value:
    found = known_items(m, box)
    return Items(found) if found is not None else Flow(UNKNOWN)


LIST_METHODS: dict[str, Method] = {
    "append": _append, "add": _append, "insert": _append, "extend": _extend, "update": _extend, "pop": _pop, "popleft": _pop,
    "copy": _copy,
}  # fmt: skip

DICT_METHODS: dict[str, Method] = {
    "update": _update, "get": _get, "setdefault": _setdefault, "pop": _dict_pop, "values": _values, "items": _items,
    "keys": _keys, "copy": _copy, "build": registries.build, **dict.fromkeys(registries.REGISTERS, registries.register),
}  # fmt: skip

"""Classes: the methods of one and of its bases, which set and read the same attributes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from torchdet_lint import ir
from torchdet_lint.analysis.ordering.bases import base_classes, own_methods
from torchdet_lint.analysis.ordering.frame import Attributes, Event, Frame, Log, Method
from torchdet_lint.analysis.ordering.parameters import fields
from torchdet_lint.analysis.ordering.passing import deep_origins
from torchdet_lint.analysis.ordering.values import Value, gives_order, merge

if TYPE_CHECKING:
    from torchdet_lint.analysis.ordering.scopes import Ordering

Given = tuple[ir.Function, dict[str, Value]]
"""A method, and some of the arguments that it is called with."""


def attributes_of(ordering: Ordering, path: str, unit: int, definition: ir.Class) -> Attributes:
    """The class before any of its methods has run."""
    bases = tuple(base_classes(ordering, path, definition))
    above = tuple(method for base in bases for method in own_methods(*base).values())
    own = own_methods(path, unit, definition)
    return Attributes(path, unit, definition, {m.function.name: m for m in reversed(above)} | own, above)


def run_class(ordering: Ordering, owner: Attributes, given: Given | None = None) -> None:
    """All methods of a class and of its bases.

    What bases do is known from their own runs, and is done again only where this class adds an order to it: in large
    libraries a base class has hundreds of methods, and hundreds of classes below it.
    """
    if given is not None or not owner.inherited or not _run_below(ordering, owner):
        for body in (*reversed(tuple(base_classes(ordering, owner.path, owner.definition))), owner.body):
            owner.values.update(_class_body(ordering, owner, *body))
        own = own_methods(*owner.body).values()
        _run_methods(ordering, owner, (*reversed(owner.inherited), *own), given)
    _kept(ordering, owner)
    owner.complete = True


def _run_below(ordering: Ordering, owner: Attributes) -> bool:
    """Runs only what the class itself defines, upon what its bases have left. False, with nothing done, where it takes more."""
    bases = [ordering.holder(*base) for base in base_classes(ordering, owner.path, owner.definition, 1)]
    if not all(base.complete for base in bases):  # one of them asks for this class
        return False
    for base in reversed(bases):
        owner.inherit(base)
    log = owner.log
    body = _class_body(ordering, owner, *owner.body)
    owner.values.update(body)
    for name in owner.bound.keys() & body:
        owner.values[name] = merge(body[name], owner.bound[name])
    if any(map(_has_order, body.values())):
        owner.restart()
        return False
    before = dict(_orders_held(ordering, owner))
    own = own_methods(*owner.body)
    _run_methods(ordering, owner, own.values(), None)
    if any(_has_order(owner.gives[name]) for name in own) or dict(_orders_held(ordering, owner)) != before:
        owner.restart()
        return False
    owner.log.add(log)
    return True


def _run_methods(ordering: Ordering, owner: Attributes, methods: Iterable[Method], given: Given | None) -> None:
    """Twice, so that each sees the attributes that the others set, if one of these holds an order."""
    in_order = sorted(methods, key=lambda method: method.function.name != "__init__")
    for _ in range(2):
        owner.log = Log()
        owner.results.clear()
        for one in in_order:
            values = given[1] if given is not None and one.function is given[0] else None
            frame = ordering.run_function(one.path, one.unit, one.function, owner=owner, given=values)
            owner.log.add(frame.log)
            owner.gives[one.function.name] = frame.result()
        if not any(_orders_held(ordering, owner)):
            break


def _orders_held(ordering: Ordering, owner: Attributes) -> Iterator[tuple[str, Value]]:
    """The attributes that hold an order or a set, as others may see them."""
    frame = Frame(ordering, owner.path, owner.unit, ordering.names(owner.path), store=owner.store)
    for name, value in owner.values.items():
        exported = frame.export(value)
        if _has_order(value) or _has_order(exported):
            yield name, exported


def _has_order(value: Value) -> bool:
    return value.form == "set" or bool(deep_origins(value)) or gives_order(value)


def _class_body(ordering: Ordering, owner: Attributes, path: str, unit: int, definition: ir.Class) -> dict[str, Value]:
    """The attributes that the body of the class, or of a base class of it, sets."""
    frame = Frame(ordering, path, unit, ordering.names(path), store=owner.store)
    frame.function = definition.name
    frame.execute(tuple(s for s in definition.body if not isinstance(s, ir.Function | ir.Class)))
    return {**frame.env, **fields(frame, definition)}


def _kept(ordering: Ordering, owner: Attributes) -> None:
    """Attributes in arbitrary order that no method reads: other code does. Notes what all of them give."""
    frame = Frame(ordering, owner.path, owner.unit, ordering.names(owner.path), store=owner.store)
    for name, value in owner.values.items():
        owner.gives.setdefault(name, frame.export(value))
        if name not in owner.read and value.form in ("seq", "map", "text"):
            for origin in sorted(frame.visible(value), key=lambda origin: origin.rank):
                owner.log.events[Event(origin, origin.via or f"is kept in `self.{name}`", "medium")] = None


def holds_argument(frame: Frame, owner: Attributes) -> bool:
    """Whether an argument whose order is not defined got into an attribute."""
    return any(origin.param for value in owner.values.values() for origin in deep_origins(frame.export(value)))

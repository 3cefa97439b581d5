"""Walking through a collection: whose order shows, what the elements are, what targets are bound to."""

from __future__ import annotations

from dataclasses import replace

from torchdet_lint import ir
from torchdet_lint.analysis.ordering.frame import Frame, key_of
from torchdet_lint.analysis.ordering.values import INT, NONE, PATH, PLAIN, STR, UNKNOWN, Origin, Place, Value


def walk_through(frame: Frame, value: Value, span: ir.Span, operand: ir.Span) -> frozenset[Origin]:
    """The arbitrary orders in which the elements come. For a set, and for a listing that a `with` statement opened, the
    finding stands at `span`, where it is walked through.
    """
    if value.form == "set":
        kind = frame.kind(value)
        if kind in (INT, NONE):
            return frozenset()
        return frozenset(
            replace(
                origin,
                place=frame.place(span),
                source=origin.place,
                elements=kind,
                fix=operand if kind == STR else None,
            )
            for origin in frame.orders(value)
        )
    if value.form not in ("seq", "map", "walk", "keys", "param", "text"):
        return frozenset()
    return frozenset(
        replace(origin, place=frame.place(span)) if origin.source == origin.place else origin
        for origin in frame.orders(value)
    )


def opened(value: Value, place: Place) -> Value:
    """What `with os.scandir(path) as entries` binds: the finding stands where the entries are walked through."""
    return replace(
        value,
        origins=frozenset(
            replace(origin, source=place) if origin.kind == "listing" and origin.place == place else origin
            for origin in value.origins
        ),
    )


def elements(frame: Frame, value: Value, origins: frozenset[Origin]) -> Value:
    """One element of the collection."""
    if value.form == "walk":
        orders = frame.orders(value) or value.origins
        start = value.obj[2][0] if value.obj is not None else 0
        folders = Value("seq", STR, orders, frame.place((-2, start)))
        return Value("seq", STR, parts=(Value("scalar", STR), folders, replace(folders, obj=frame.place((-3, start)))))
    item = frame.item(value)
    if item is not None and value.form != "map":
        return item
    if value.parts and value.form == "seq":
        return PLAIN
    kind = frame.kind(value)
    if kind == STR and value.form != "text" and any(origin.api.startswith("Path.") for origin in value.origins):
        return PATH
    if value.form == "tensor":
        return value
    return PLAIN if kind in (UNKNOWN, NONE) else Value("scalar", kind)


def assign(frame: Frame, target: ir.Expr, value: Value) -> None:
    """Binds names, attributes and unpacked targets; item targets are for `statements`."""
    if isinstance(target, ir.Sequence):
        _unpack(frame, target, value)
    elif isinstance(target, ir.Starred):
        assign(frame, target.value, value)
    else:
        key = key_of(target)
        if key is not None:
            frame.bind(key, value)


def _unpack(frame: Frame, target: ir.Sequence, value: Value) -> None:
    if len(value.parts) == len(target.items) and not any(isinstance(item, ir.Starred) for item in target.items):
        for item, part in zip(target.items, value.parts, strict=True):
            assign(frame, item, part)
        return
    item_value = frame.item(value)
    if item_value is None and len(target.items) > 1:
        frame.use(walk_through(frame, value, target.span, target.span), "is unpacked into names")
    each = elements(frame, value, frozenset()) if item_value is None and value.form == "seq" else item_value
    for item in target.items:
        assign(frame, item, each if each is not None and not isinstance(item, ir.Starred) else PLAIN)

"""Which arbitrary orders of one unit make a difference, there or where they end up."""

from __future__ import annotations

from collections.abc import Iterator

from torchdet_lint.analysis.ordering.carriers import Carriers
from torchdet_lint.analysis.ordering.frame import Escape, Event, Log
from torchdet_lint.analysis.ordering.passing import Target
from torchdet_lint.analysis.ordering.scopes import Ordering
from torchdet_lint.analysis.ordering.screen import Outside
from torchdet_lint.analysis.ordering.use import OrderUse
from torchdet_lint.analysis.ordering.values import Lists, Origin, Place
from torchdet_lint.analysis.spelling import is_put_together
from torchdet_lint.project.modules import Project
from torchdet_lint.project.names import Names

_RANK = {"low": 0, "medium": 1, "high": 2}
_MOST_CALLERS = 40
_DEPTH = 3


def uses(carriers: Carriers, path: str, unit: int, names: Names, lists: Lists, outside: Outside) -> Iterator[OrderUse]:
    """See `torchdet_lint.analysis.ordering.order_uses`."""
    known = (Ordering, carriers, names.canonical, lists, outside)
    ordering = carriers.project.once(known, lambda: Ordering(carriers, names.canonical, lists, outside))
    log = ordering.unit(path, unit)
    found: dict[Place, list[Event]] = {}
    for event in log.events:
        if event.origin.place[:2] == (path, unit) and not event.origin.param:
            found.setdefault(event.origin.place, []).append(event)
    for origin in log.escapes:
        if origin.place[:2] == (path, unit) and not origin.param and origin.place not in found:
            elsewhere = _outside(ordering, origin, log, path, unit)
            if elsewhere is not None:
                found[origin.place] = [elsewhere]
    for place in sorted(found, key=lambda place: place[2]):
        yield _use(found[place])


def _outside(ordering: Ordering, origin: Origin, log: Log, path: str, unit: int) -> Event | None:
    """What becomes of an order that leaves the unit through a function's result or a global name."""
    return _callers(ordering, origin, log.escapes[origin], (path, unit), origin in log.seen, None, _DEPTH)


def _callers(
    ordering: Ordering,
    origin: Origin,
    escape: Escape,
    unit: tuple[str, int],
    seen: bool,
    method: Target | None,
    depth: int,
) -> Event | None:
    """What the units that mention the name do with the order; `seen` when one is known that gets it. `method` is the one
    that is supposed behind calls on unknown objects.
    """
    if escape.target is not None and escape.target.owner is not None:
        method = escape.target
    for other in _mentions(ordering.project, escape.name, *unit):
        if method is None and other not in ordering.carriers.units:
            continue
        log = ordering.unit(*other) if method is None else ordering.supposing(method, *other)
        seen = seen or origin in log.seen
        for event in log.events:
            if event.origin == origin:
                return event
        further = log.escapes.get(origin)
        if further is not None and depth > 0 and further.name != escape.name:
            event_there = _callers(ordering, origin, further, other, False, method, depth - 1)
            if event_there is not None:
                return event_there
    if seen or escape.target is None or is_put_together(ordering.project, escape.name):
        return None  # somebody out of sight gets it, who knows what for
    return Event(origin, origin.via or f"is returned by `{escape.name}`", "medium")


def _mentions(project: Project, name: str, path: str, unit: int) -> Iterator[tuple[str, int]]:
    """Other units that mention the name, nearest file first."""
    left = _MOST_CALLERS
    for module in sorted(project.modules.values(), key=lambda module: (module.path != path, module.path)):
        for other in module.source.units:
            if (
                name in other.words
                and other.kind not in ("import", "from")
                and (module.path, other.index) != (path, unit)
            ):
                yield module.path, other.index
                left -= 1
                if left == 0:
                    return


def _use(events: list[Event]) -> OrderUse:
    best = max(events, key=lambda event: _RANK[event.confidence])
    origin = best.origin
    path, unit, span = origin.place
    source = origin.source
    fixes = {event.origin.fix for event in events}
    fix = origin.fix if None not in fixes else None
    kinds = {event.origin.elements for event in events}
    elements = "object" if "object" in kinds else "unknown" if "unknown" in kinds else "str"
    confidence = best.confidence
    if origin.kind == "set" and elements == "unknown" and confidence == "high":
        confidence = "medium"
    return OrderUse(
        origin.kind,
        path,
        unit,
        span,
        source[0] if source is not None else path,
        source[1] if source is not None else unit,
        source[2] if source is not None else None,
        origin.api,
        best.consumer,
        elements,
        confidence,
        fix is not None,
        fix,
    )

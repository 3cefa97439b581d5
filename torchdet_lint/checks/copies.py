"""TDL104: generators that a data set or transform keeps, of which every worker of a loader gets a copy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from torchdet_lint import ir
from torchdet_lint.analysis import classes
from torchdet_lint.analysis.iteration import dataset_item
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.outside import call_back
from torchdet_lint.analysis.trace import Event
from torchdet_lint.analysis.trace import events as all_events
from torchdet_lint.analysis.values import (
    UNKNOWN,
    Bound,
    Box,
    ClassValue,
    Identity,
    Instance,
    Items,
    Known,
    Made,
    Option,
    Partial,
    Site,
    Truth,
    Value,
    alternatives,
    truth,
)
from torchdet_lint.checks.emit import call_text, finding, locate
from torchdet_lint.checks.facts import Facts, nested
from torchdet_lint.checks.initialised import replaces
from torchdet_lint.finding import Finding, Related

GENERATORS = ("numpy.random.", "random.Random", "torch.Generator")
"""Objects whose state is copied with the object that holds them."""


class Kept(NamedTuple):
    """A generator in an attribute of an object that workers run, and a place that draws from it."""

    holder: Instance
    attribute: str
    made: Made
    draw: Site


def copied(facts: Facts, site: Site, loader: Made) -> Iterator[Kept]:
    """The generators in attributes that the loader's items draw from, and that nothing seeds or replaces in a worker."""
    held = list(_held(facts.machine, (loader.get("dataset", 0), loader.get("collate_fn", 6)), 6, set()))
    if not held:
        return
    trace = _items(facts, site, loader)
    fresh = {event.site for event in trace if event.kind == "use" and event.note in ("rng", "generator")}
    seeded = {event.made.identity for event in trace if event.kind == "seeded" and event.made is not None}
    draws = _draws(facts.machine, trace)
    for holder, attribute, value in held:
        options = [option for option in alternatives(value) if isinstance(option, Made) and _is_generator(option)]
        if any(option.identity[0] in fresh or option.identity in seeded for option in options):
            continue
        for option in options:
            if option.identity in draws and not replaces(facts, loader.get("worker_init_fn", 10), attribute):
                yield Kept(holder, attribute, option, draws[option.identity])


def check_copies(facts: Facts, site: Site, loaders: list[Made], said: set[Site]) -> Iterator[Finding]:
    """TDL104 for the loaders that are built at one place; what was `said` of another loader is not said again."""
    for loader in loaders:
        for kept in copied(facts, site, loader):
            if (place := _place(facts, kept)) not in said:
                said.add(place)
                yield _finding(facts, site, loader, kept, place)


def _finding(facts: Facts, site: Site, loader: Made, kept: Kept, place: Site) -> Finding:
    persistent = loader.get("persistent_workers", 13)
    variant = "workers" if persistent is not None and truth(persistent) is Truth.YES else "epochs"
    related = [Related(locate(facts, kept.draw), "the draw"), Related(locate(facts, site), "the loader")]
    return finding(
        facts,
        "TDL104",
        variant,
        locate(facts, place),
        related=related,
        confidence="" if _surely(loader) else "medium",
        where=f"self.{kept.attribute}",
        value=call_text(facts, kept.made.identity[0]),
        call=call_text(facts, site),
    )


def _surely(loader: Made) -> bool:
    """Whether the number of workers is known to be positive."""
    count = loader.get("num_workers", 5)
    return isinstance(count, Known) and isinstance(count.value, int) and count.value > 0


def alone(loader: Made) -> bool:
    """Whether one worker lives as long as the loader: then there is one copy, drawn from once."""
    persistent, count = loader.get("persistent_workers", 13), loader.get("num_workers", 5)
    kept = persistent is not None and truth(persistent) is Truth.YES
    return kept and isinstance(count, Known) and count.value == 1


def _items(facts: Facts, site: Site, loader: Made) -> list[Event]:
    """What fetching an item, and putting a batch together, does."""
    machine = facts.machine
    frame = Frame(site.path, site.unit, site.scope, None, 0)
    dataset = loader.get("dataset", 0)
    dataset_item(machine, frame, dataset if dataset is not None else UNKNOWN, site.span)
    for option in alternatives(loader.get("collate_fn", 6)):
        call_back(machine, frame, option, (UNKNOWN,), site.span)
    return all_events(tuple(frame.trace))


def _draws(machine: Machine, trace: list[Event]) -> dict[Identity, Site]:
    """The generators that something draws from, with the first place that does."""
    found: dict[Identity, Site] = {}
    for event in trace:
        made = event.made
        if made is None:
            continue
        if event.kind == "rng-draw":
            row = machine.api(event.api)
            if row is not None and row.role == "draw":
                found.setdefault(made.identity, event.site)
        elif event.kind == "private-draw":
            for value in (*made.args, *(value for _, value in made.named)):
                for option in alternatives(value):
                    if isinstance(option, Made) and _is_generator(option):
                        found.setdefault(option.identity, event.site)
    return found


def _is_generator(made: Made) -> bool:
    return made.cls.startswith(GENERATORS)


def _held(
    machine: Machine, values: tuple[Value | None, ...], depth: int, seen: set[Identity]
) -> Iterator[tuple[Instance, str, Value]]:
    """The attributes of the objects behind the values, and of those that these hold, as (object, name, value)."""
    for value in values if depth else ():
        for option in alternatives(value):
            if isinstance(option, Instance):
                if option.identity not in seen and machine.heap.exists(option.identity):
                    seen.add(option.identity)
                    entries = dict(machine.heap.cell(option.identity).entries)
                    yield from ((option, name, entry) for name, entry in entries.items() if name != "<made>")
                    yield from ((option, *member) for member in _of_class(machine, option.cls))
                    yield from _held(machine, tuple(entries.values()), depth - 1, seen)
            else:
                yield from _held(machine, _inside(machine, option), depth - 1, seen)


def _of_class(machine: Machine, cls: ClassValue) -> Iterator[tuple[str, Value]]:
    """The generators in the body of a class and its bases, which all objects share, and each worker copies."""
    for info in classes.ancestry(machine, cls)[0]:
        for name, value in info.members.items():
            if isinstance(value, Made) and _is_generator(value):
                yield name, value


def _inside(machine: Machine, value: Value) -> tuple[Value, ...]:
    if isinstance(value, Option):
        return (value.default,)
    if isinstance(value, Made | Partial):
        return (*value.args, *(entry for _, entry in value.named))
    if isinstance(value, Items):
        return value.items
    if isinstance(value, Bound):
        return (value.receiver,)
    if isinstance(value, Box):
        return (*machine.heap.elements(value.identity), *machine.heap.cell(value.identity).entries.values())
    return ()


def _place(facts: Facts, kept: Kept) -> Site:
    """The statement that puts the generator into the attribute, or where it is made when there is none in sight."""
    origin = kept.made.identity[0]
    known, _ = classes.ancestry(facts.machine, kept.holder.cls)
    found = [
        Site(cls.path, cls.unit, statement.span, "")
        for cls in (kept.holder.cls, *(info.value for info in known))
        for statement in _assignments(facts, cls, kept.attribute)
    ]
    around = [place for place in found if place[:2] == origin[:2] and _covers(place.span, origin.span)]
    return (around or found or [origin])[0]


def _covers(outer: ir.Span, inner: ir.Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _assignments(facts: Facts, cls: ClassValue, attribute: str) -> Iterator[ir.Assign]:
    """`self.attribute = …` in the methods of a class."""
    info = classes.info(facts.machine, cls)
    for method in info.code.values() if info is not None else ():
        for node in nested(method.body):
            if isinstance(node, ir.Assign) and node.value is not None:
                for target in node.targets:
                    if isinstance(target, ir.Attr) and target.name == attribute and isinstance(target.value, ir.Name):
                        yield node

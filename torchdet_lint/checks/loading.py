"""TDL101–104, 108: loaders, samplers and splits."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdet_lint import ir
from torchdet_lint.analysis.state import Around, Status
from torchdet_lint.analysis.trace import Event
from torchdet_lint.analysis.values import (
    FALSE,
    UNKNOWN,
    Identity,
    Made,
    Site,
    Truth,
    Value,
    alternatives,
    is_none,
    join,
    truth,
)
from torchdet_lint.checks.emit import at_site, source_text
from torchdet_lint.checks.facts import LIBRARY, Facts, by_site, find_call, nested, program_first
from torchdet_lint.checks.workers import judge_workers
from torchdet_lint.finding import Finding
from torchdet_lint.project.programs import import_closure


def check(facts: Facts) -> Iterator[Finding]:
    loaders = by_site(facts.uses("loader", "wraps-loader"))  # what wraps a loader may shuffle anew, and has no workers
    said: set[Site] = set()
    for site, events in loaders.items():
        yield from _order(facts, site, events)
        yield from judge_workers(facts, site, [event for event in events if event.note == "loader"], said)
    for site, events in by_site(facts.uses("sampler", "split")).items():
        yield from _split(facts, site, events)
    yield from _epochs(facts)


def _order(facts: Facts, site: Site, events: list[Event]) -> Iterator[Finding]:
    """TDL101"""
    events = [event for event in events if _takes_generator(facts, event)]
    first = program_first(facts, events)
    shuffling = [event for event in first if event.made is not None and _shuffles(facts, event.made)]
    if not shuffling:
        return
    made = shuffling[0].made
    shuffle = join(*(_shuffle_of(facts, event.made) or FALSE for event in shuffling if event.made is not None))
    if _always_seeded(facts, shuffling):
        yield at_site(facts, "TDL101", "stream", site, value="")
    elif truth(shuffle) in (Truth.OPEN, Truth.UNLIKELY) and made is not None:
        yield at_site(facts, "TDL101", "maybe", site, value=_shuffle_text(facts, site))
    else:
        yield at_site(facts, "TDL101", "run", site, value="")


def _takes_generator(facts: Facts, event: Event) -> bool:
    """Whether a loader could be given a generator: advice that nobody can follow is not given."""
    row = facts.machine.api(event.api)
    return row is None or row.role != "loader" or any(spec.startswith("generator") for spec in row.unless)


def _shuffle_text(facts: Facts, site: Site) -> str:
    call = find_call(facts.project, site)
    for arg in call.args if call is not None else ():
        if arg.name == "shuffle":
            return source_text(facts, site.path, site.unit, arg.value.span)
    return "shuffle"


def _shuffle_of(facts: Facts, made: Made) -> Value | None:
    """What a loader is told of shuffling; what only wraps a loader has other arguments at that position."""
    row = facts.machine.api(made.cls)
    return made.get("shuffle", None if row is not None and row.role == "wraps-loader" else 2)


def _shuffles(facts: Facts, made: Made) -> bool:
    """Whether the loader may shuffle by itself, with numbers of the global generator."""
    shuffle = _shuffle_of(facts, made)
    generator = made.get("generator")
    if generator is not None and is_none(generator) not in (Truth.YES, Truth.LIKELY):
        return False
    if shuffle is None or truth(shuffle) is Truth.NO:
        return False
    if is_none(shuffle) is Truth.YES:
        return False
    if _certainly_given(made.get("sampler", 3)) or _certainly_given(made.get("batch_sampler", 4)):
        return False
    known_true = truth(shuffle) in (Truth.YES, Truth.LIKELY)
    return known_true if made.open else truth(shuffle) is not Truth.NO


def _certainly_given(value: Value | None) -> bool:
    """Whether an argument was given that is never None."""
    return value is not None and value != UNKNOWN and is_none(value) is Truth.NO


def _always_seeded(facts: Facts, events: list[Event]) -> bool:
    """Whether every program that reaches the place has seeded torch before; false when no program does."""
    visits = [visit for event in events for visit in facts.visits[event] if visit.program != LIBRARY]
    return bool(visits) and all(visit.state.status("torch") >= Status.MAYBE for visit in visits)


def _split(facts: Facts, site: Site, events: list[Event]) -> Iterator[Finding]:
    """TDL103"""
    found = []
    for event in program_first(facts, events):
        row = facts.machine.api(event.api)
        if event.made is None or row is None or "torch" not in (*row.draws, *row.calls):
            continue
        generator = next(
            (v for v in (event.made.get("generator", 2 if row.role == "split" else None),) if v is not None), None
        )
        if (
            generator is None
            and not event.made.open
            or generator is not None
            and is_none(generator) in (Truth.YES, Truth.LIKELY)
        ):
            found.append(event)
    if found:
        yield at_site(facts, "TDL103", "stream" if _always_seeded(facts, found) else "run", site)


def _epochs(facts: Facts) -> Iterator[Finding]:
    """TDL108"""
    told, unknown = _told_epochs(facts)
    repeated = _iterated_in_loops(facts)
    said: set[Site] = set()
    for event in facts.uses("seeded-sampler"):
        made = event.made
        if made is None or not event.api.endswith("DistributedSampler") or event.site in said:
            continue
        if not unknown.isdisjoint(_in_reach(facts, event)):
            continue
        shuffle = made.get("shuffle", 3)
        if shuffle is not None and truth(shuffle) is not Truth.YES:
            continue
        if made.identity in repeated and made.identity not in told and not any(i[0] == made.identity[0] for i in told):
            said.add(event.site)
            yield at_site(facts, "TDL108", "default", event.site)


def _told_epochs(facts: Facts) -> tuple[set[Identity], set[str]]:
    """The samplers on which `set_epoch` is called, and the files of programs (or of code that none
    reaches) that call it on something that is not known.
    """
    found: set[Identity] = set()
    unknown: set[str] = set()
    for event in facts.events("set-epoch"):
        for option in alternatives(event.value):
            if not isinstance(option, Made):
                unknown |= {visit.program or event.site.path for visit in facts.visits[event]}
                continue
            found.add(option.identity)
            for name in ("sampler", "batch_sampler"):
                found |= {v.identity for v in alternatives(option.get(name)) if isinstance(v, Made)}
    return found, unknown


def _in_reach(facts: Facts, event: Event) -> set[str]:
    """The programs that reach the event, and the files that they import: where something could be done to its object."""
    roots = {visit.program or event.site.path for visit in facts.visits[event]}
    return roots.union(*(import_closure(facts.project, root) for root in roots))


def _learns_again(around: Around) -> bool:
    return around.loop in ("loop", "rebuild") and not around.no_grad and not around.evaluating


def _evaluates(facts: Facts, site: Site, made: Made) -> bool:
    """Whether the function around a place switches a model to evaluation and none to training, or goes through what is named
    after validation and does not train.
    """
    name = site.scope.rpartition(".")[2]
    body = facts.project.body(site.path, site.unit)
    functions = [
        node
        for node in nested(body)
        if isinstance(node, ir.Function) and node.name == name and node.span[0] <= site.span[0]
    ]
    if not functions:
        return False
    called = {
        node.func.name for node in nested(functions[-1]) if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr)
    }
    learns = not called.isdisjoint(("train", "backward", "step", "zero_grad"))
    return not learns and ("eval" in called or _is_validation(facts, made))


VALIDATES = re.compile(r"(?:^|_)(?:val|valid|validation|test|eval|evaluation|dev)(?=_|$|data|set|loader)")
"""Names of what a model is only tried on."""


def _is_validation(facts: Facts, made: Made) -> bool:
    """Whether a loader has the name of one that is only looked at."""
    site = made.identity[0]
    for node in nested(facts.project.body(site.path, site.unit)):
        if isinstance(node, ir.Assign) and node.value is not None and node.value.span == site.span:
            target = node.targets[0]
            name = ir.last_name(target)
            return VALIDATES.search(name.lower()) is not None
    return False


def _iterated_in_loops(facts: Facts) -> set[Identity]:
    """The samplers whose order is taken again and again to learn from it (a validation has no use for other orders)."""
    found: set[Identity] = set()
    for event in facts.events("iterate"):
        if event.made is None or not any(_learns_again(visit.around) for visit in facts.visits[event]):
            continue
        if _evaluates(facts, event.site, event.made):
            continue
        for name, position in (("sampler", 3), ("batch_sampler", 4)):
            for option in alternatives(event.made.get(name, position)):
                if isinstance(option, Made):
                    found.add(option.identity)
                    found |= {v.identity for arg in option.args for v in alternatives(arg) if isinstance(v, Made)}
    return found

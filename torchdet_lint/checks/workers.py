"""TDL102, 104: what a loader's workers draw, who seeds it there, and of what each of them has a copy."""

from __future__ import annotations

from collections.abc import Iterator

from torchdet_lint.analysis.conditions import drawn
from torchdet_lint.analysis.iteration import dataset_item, worker_count
from torchdet_lint.analysis.machine import Frame
from torchdet_lint.analysis.state import FAMILIES
from torchdet_lint.analysis.trace import Event
from torchdet_lint.analysis.trace import events as all_events
from torchdet_lint.analysis.values import (
    UNKNOWN,
    Bound,
    Box,
    Flow,
    FunctionValue,
    Instance,
    Items,
    Known,
    Made,
    Site,
    Truth,
    Value,
    alternatives,
    is_none,
    usual,
)
from torchdet_lint.checks.copies import alone, check_copies
from torchdet_lint.checks.emit import at_site, family_name, shorten_call, source_text
from torchdet_lint.checks.facts import Facts, find_call, program_first
from torchdet_lint.finding import Finding


def judge_workers(facts: Facts, site: Site, events: list[Event], said: set[Site]) -> Iterator[Finding]:
    """The findings about a place that builds loaders; `said` are the attributes that TDL104 has spoken of."""
    made = [event.made for event in program_first(facts, events) if event.made is not None]
    working = [loader for loader in made if _has_workers(loader)]
    copies = list(check_copies(facts, site, [loader for loader in working if not alone(loader)], said))
    yield from copies
    loaders = [loader for loader in working if not _initialised(loader)]
    if not loaders or _lightning_workers(facts):
        return
    new_torch = facts.context.torch(site.path).newest_satisfies("torch>=1.9")
    verdicts = [_verdict(facts, site, made, new_torch=new_torch) for made in loaders]
    variant, where, family = max(verdicts, key=lambda found: ORDER.index(found[0]))
    if copies and variant in ("nothing", "seeded", "out-of-sight"):
        return  # said already, and better
    row = facts.machine.api(loaders[0].cls)
    if variant in ("nothing", "seeded") and row is not None and row.workers:
        return  # it has a `worker_init_fn` of its own
    yield at_site(facts, "TDL102", variant, site, where=where, family=family)


ORDER = ("nothing", "seeded", "out-of-sight", "repeated-draw", "unseeded-draw")
"""What can be said of the draws in workers, from harmless to certain."""


def _has_workers(made: Made) -> bool:
    count = worker_count(made.get("num_workers", 5), made)
    if count == UNKNOWN and made.get("num_workers", 5) is None:
        return False
    return any(not (isinstance(option, Known) and option.value == 0) for option in alternatives(count))


def _initialised(made: Made) -> bool:
    init = made.get("worker_init_fn", 10)
    return init is not None and is_none(init) is not Truth.YES


def _lightning_workers(facts: Facts) -> bool:
    """`seed_everything(workers=True)`: Lightning gives loaders a `worker_init_fn` of its own."""
    for event in facts.events("seed"):
        row = facts.machine.api(event.api)
        if row is not None and event.made is not None and "numpy" in drawn(row.workers, event.made):
            return True
    return False


def _verdict(facts: Facts, site: Site, made: Made, *, new_torch: bool) -> tuple[str, str, str]:
    """(variant, where, family) for one loader."""
    dataset = made.get("dataset", 0)
    machine = facts.machine
    row = machine.api(made.cls)
    seeded = drawn(row.workers, made) if row is not None else ()
    frame = Frame(site.path, site.unit, site.scope, None, 0)
    dataset_item(machine, frame, dataset if dataset is not None else UNKNOWN, site.span)
    for event in all_events(tuple(frame.trace)):
        if event.kind != "draw":
            continue
        for family in event.families:
            if family in seeded:
                continue
            if family == "numpy" and not new_torch:
                return "repeated-draw", _short(event.api), "NumPy"
            if family not in FAMILIES:
                return "unseeded-draw", _short(event.api), family_name(family)
    drawing = sorted(
        {family for event in all_events(tuple(frame.trace)) if event.kind == "draw" for family in event.families}
    )
    hidden = _hidden(facts, dataset, 0) if dataset is not None or made.open else ""  # a graph is no code
    if hidden == UNSEEN:
        hidden = _written(facts, site)
    if hidden:
        return "out-of-sight", hidden, ""
    return ("seeded", "", _listed([family_name(family) for family in drawing])) if drawing else ("nothing", "", "")


def _listed(names: list[str]) -> str:
    """`NumPy, Python and torch`"""
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]


def _written(facts: Facts, site: Site) -> str:
    """The data set as the call spells it."""
    call = find_call(facts.project, site)
    for arg in call.args if call is not None else ():
        if arg.name in ("", "dataset") and arg.star in ("", "="):
            return source_text(facts, site.path, site.unit, arg.value.span)
    return UNSEEN


def _short(api: str) -> str:
    return shorten_call(f"{api}(...)")


def _parts(made: Made) -> tuple[Value, ...]:
    """The arguments of a data set that are run for its items: transforms, and data sets that it wraps."""
    first = tuple(arg for arg in made.args[:1] if not (isinstance(arg, Made) and arg.cls.startswith("os.")))
    named = tuple(value for name, value in made.named if "transform" in name or name in ("dataset", "datasets"))
    return (*first, *(arg for arg in made.args[1:] if isinstance(arg, Made) and not arg.cls.startswith("os.")), *named)


def _hidden(facts: Facts, value: Value | None, depth: int) -> str:
    """A part of the data set that is out of sight, "" when all of it is known."""
    for option in usual(value):
        if isinstance(option, Instance | FunctionValue | Bound | Box | Flow | Items | Known):
            continue
        if isinstance(option, Made):
            row = facts.machine.api(option.cls)
            if row is None or row.role not in ("dataset", "transform", "compose", "split", "layer"):
                return (
                    option.cls
                    if row is None
                    and not option.cls.startswith(("torch.", "torchvision.", "torchtext.", "torchaudio."))
                    else ""
                )
            if depth < 2:
                for arg in _parts(option):
                    if isinstance(arg, Made) and (hidden := _hidden(facts, arg, depth + 1)):
                        return hidden
            continue
        return UNSEEN
    return "" if value is not None else UNSEEN


UNSEEN = "dataset"
"""What is said of a data set of which nothing is known."""

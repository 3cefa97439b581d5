"""TDL401, 402: operations of torch that differ from run to run on CUDA, and what strict mode does with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from torchdet_lint.analysis.fold import Visit
from torchdet_lint.analysis.trace import Event
from torchdet_lint.analysis.values import Site
from torchdet_lint.catalog.operations import Operation
from torchdet_lint.checks.conditions import Call, describe, holds
from torchdet_lint.checks.emit import at_site
from torchdet_lint.checks.facts import LIBRARY, Facts, by_site, program_first
from torchdet_lint.finding import Finding
from torchdet_lint.project.programs import is_test

QUIET = ("on", "warn")
"""Strict modes in which torch takes the deterministic ways that it has (with `warn_only`, too)."""


class Judged(NamedTuple):
    """That a call runs an operation of the table: what strict mode does with it, and whether strict mode is on there."""

    row: Operation
    mode: str
    strict: bool


def check(facts: Facts) -> Iterator[Finding]:
    for site, events in by_site(facts.uses("operation")).items():
        if not facts.context.wants(site.path):
            continue
        found = [judged for event in program_first(facts, events) if (judged := _judge(facts, site, event)) is not None]
        if found:
            yield _finding(facts, site, next((judged for judged in found if judged.strict), found[0]))


def _finding(facts: Facts, site: Site, judged: Judged) -> Finding:
    row, mode, strict = judged
    if mode == "replaced":
        return at_site(facts, "TDL401", "default", site, reason=row.why)
    return at_site(facts, "TDL402", "strict" if strict else "default", site, reason=row.why, instead=row.instead)


def _judge(facts: Facts, site: Site, event: Event) -> Judged | None:
    """What the visits to a call come to; None where there is nothing to say."""
    torch = facts.context.torch(site.path)
    call: Call | None = None
    reached = _as_trained(facts.reached(event))
    for row, conditions in facts.machine.operations.by_callee.get(event.api, ()):
        mode = row.strict(torch)
        visits = [visit for visit in reached if _matters(facts, event, row, mode, visit)] if mode else []
        if not visits:
            continue
        call = call or describe(facts, event)
        if call is None or not call.runs(row) or not all(holds(call, condition) for condition in conditions):
            continue
        return Judged(row, mode, mode != "replaced" and any(_strict(facts, event, visit) for visit in visits))
    return None


def _as_trained(visits: tuple[Visit, ...]) -> tuple[Visit, ...]:
    """The visits; a network that a program never runs but in evaluation mode is trained like that, with its statistics fixed."""
    training = {visit.program for visit in visits if not visit.around.evaluating}
    return tuple(
        visit if visit.program in training else visit._replace(around=visit.around._replace(evaluating=False))
        for visit in visits
    )


def _matters(facts: Facts, event: Event, row: Operation, mode: str, visit: Visit) -> bool:
    """Whether a visit can run the operation's kernel on CUDA, where it differs from run to run or raises."""
    around = visit.around
    if around.worker or (row.backward and around.no_grad):
        return False
    if visit.program == LIBRARY:
        # Without a program nobody names an accelerator; what raises when it is trained through is worth knowing all the same.
        return mode != "replaced" and row.backward and not is_test(event.site.path)
    program = facts.program(visit.program)
    if program is None or "cuda" not in program.hits:
        return False
    if row.backward and ("backward" not in program.hits or around.evaluating):
        return False
    return not (mode == "replaced" and (visit.state.strict in QUIET or _strict(facts, event, visit)))


def _strict(facts: Facts, event: Event, visit: Visit) -> bool:
    """Whether strict mode is on when the operation runs: for a layer, also when it is set after the layer was built."""
    if visit.state.strict == "on":
        return True
    program = facts.program(visit.program)
    layer = event.api.rpartition(".")[2][:1].isupper()
    return layer and program is not None and "strict-on" in program.hits

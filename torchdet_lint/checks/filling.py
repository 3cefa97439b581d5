"""TDL206: fresh memory that strict mode would fill, and does not."""

from __future__ import annotations

from collections.abc import Iterator

from torchdet_lint.analysis.memory import MemoryUse
from torchdet_lint.analysis.trace import Event
from torchdet_lint.analysis.values import Site, Truth, join, truth
from torchdet_lint.checks.emit import call_text, finding, locate, source_text
from torchdet_lint.checks.facts import LIBRARY, Facts, by_site
from torchdet_lint.checks.memory import is_uninitialised, unwritten
from torchdet_lint.finding import Finding, Related
from torchdet_lint.project.programs import import_closure

SWITCH = ("torch.utils.deterministic.fill_uninitialized_memory", "fill")


def check(facts: Facts) -> Iterator[Finding]:
    for site, events in by_site(event for event in facts.events("mode") if event.api in SWITCH).items():
        if truth(join(*(event.value for event in events))) in (Truth.NO, Truth.UNLIKELY):
            yield _off(facts, site, events)


def _off(facts: Facts, site: Site, events: list[Event]) -> Finding:
    found = _read(facts, events)
    option = source_text(facts, site.path, site.unit, site.span)
    if found is None:
        return finding(facts, "TDL206", "off", locate(facts, site), option=option, call="")
    place = Site(found.path, found.unit, found.span, "")
    return finding(
        facts,
        "TDL206",
        "read",
        locate(facts, site),
        related=[Related(locate(facts, place), "the memory that is read")],
        option=option,
        call=call_text(facts, place),
    )


def _read(facts: Facts, events: list[Event]) -> MemoryUse | None:
    """Memory that is read unwritten in the files of the programs that flip the switch."""
    programs = {visit.program for event in events for visit in facts.visits[event]} - {LIBRARY}
    files = set(programs).union(*(import_closure(facts.project, program) for program in programs))
    for path in sorted(files):
        for use in unwritten(facts, path):
            if is_uninitialised(use):
                return use
    return None

"""TDL403–405: recurrent layers of cuDNN, kernels written in the project, kernels of extensions."""

from __future__ import annotations

from collections.abc import Iterator

from torchdet_lint.analysis.atomics import atomic_adds
from torchdet_lint.analysis.fold import Visit
from torchdet_lint.analysis.modes import CUBLAS, good_cublas
from torchdet_lint.analysis.trace import Event
from torchdet_lint.analysis.values import Site
from torchdet_lint.checks.emit import at_site, finding, locate
from torchdet_lint.checks.facts import LIBRARY, Facts, ProgramFacts, by_site, program_first
from torchdet_lint.finding import Finding

RECURRENT = ("torch.nn.RNN", "torch.nn.LSTM", "torch.nn.GRU")


def check(facts: Facts) -> Iterator[Finding]:
    yield from _recurrent(facts)
    yield from _atomic(facts)
    yield from _extensions(facts)


def _recurrent(facts: Facts) -> Iterator[Finding]:
    for site, events in by_site(facts.uses("recurrent")).items():
        built = [event for event in events if event.api in RECURRENT]
        visits = {visit.program for event in program_first(facts, built) for visit in facts.visits[event]}
        programs = [facts.program(program) for program in sorted(visits) if program != LIBRARY]
        if any(program is not None and _without_workspace(program) for program in programs):
            yield at_site(facts, "TDL403", "default", site)


def _without_workspace(program: ProgramFacts) -> bool:
    """Whether a program names an accelerator and never gives cuBLAS a fixed workspace."""
    settings = [program.hits.get(f"mode:{CUBLAS}"), program.hits.get("mode:cublas-workspace")]
    return "cuda" in program.hits and not any(hit is not None and good_cublas(hit.event.value) for hit in settings)


def _atomic(facts: Facts) -> Iterator[Finding]:
    for path in sorted(facts.project.modules):
        if not facts.context.wants(path):
            continue
        for found in atomic_adds(facts.project, path, facts.names(path)):
            site = Site(path, found.unit, found.span, "")
            if found.text:
                yield finding(facts, "TDL404", "source", locate(facts, site), call=found.text, value=found.argument)
            else:
                yield at_site(facts, "TDL404", "triton", site, value="")


def _extensions(facts: Facts) -> Iterator[Finding]:
    for site, events in by_site(facts.uses("kernel")).items():
        visits = [visit for event in program_first(facts, events) for visit in facts.reached(event)]
        if any(_runs(facts, events[0], visit) for visit in visits):
            row = facts.machine.api(events[0].api)
            yield at_site(facts, "TDL405", "default", site, reason=row.note if row is not None else "")


def _runs(facts: Facts, event: Event, visit: Visit) -> bool:
    """Whether a visit runs the kernel where its result or gradient counts."""
    row = facts.machine.api(event.api)
    if visit.around.worker or row is None or "gradient" not in row.note:
        return not visit.around.worker
    program = facts.program(visit.program)
    return not visit.around.no_grad and (program is None or "backward" in program.hits)

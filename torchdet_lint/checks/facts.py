"""What all checks share: every program of the project run through the machine and folded, and what the rest of the code holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from torchdet_lint import ir
from torchdet_lint.analysis import calls
from torchdet_lint.analysis.commands import run_commands
from torchdet_lint.analysis.fold import Hit, Outcome, Visit, Walk, marked_seeds
from torchdet_lint.analysis.library import evaluate_module
from torchdet_lint.analysis.loads import Loads
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.memory import MemoryUse
from torchdet_lint.analysis.trace import Enter, Event, Node, Summary, Trace, events
from torchdet_lint.analysis.triggers import worth_judging
from torchdet_lint.analysis.values import FunctionValue, Identity, Made, Site
from torchdet_lint.ir import nested
from torchdet_lint.project.context import Context
from torchdet_lint.project.modules import Project
from torchdet_lint.project.names import Names
from torchdet_lint.project.programs import Program, import_closure

SITE_KINDS = frozenset(
    ("use", "mode", "seed", "seeded", "private-draw", "rng-draw", "iterate", "set-epoch", "option", "watched", "set")
)
"""Kinds of events that site rules look at."""

LIBRARY = ""
"""The program name of visits that no program makes."""


@dataclass(frozen=True)
class ProgramFacts:
    """One program: its trace, the first events of each kind, and the walk that found them; `whole` unless it was too large to
    be followed to its end.
    """

    program: Program
    trace: Trace
    outcome: Outcome
    whole: bool = True

    @property
    def hits(self) -> Mapping[str, Hit]:
        return self.outcome.hits


@dataclass
class Facts:
    """The project, evaluated. `visits` says for each event in which states programs reach it.

    `machine` answers questions about values that events hold; `troubles` are programs that could not be evaluated, with the
    error; `entered` are the functions that programs enter, by file, unit and qualified name. `unwritten` remembers what is
    known of the memory of each file that somebody asked about.
    """

    context: Context
    machine: Machine
    troubles: list[tuple[str, Exception]] = field(default_factory=list)
    entered: set[tuple[str, int, str]] = field(default_factory=set)
    programs: tuple[ProgramFacts, ...] = ()
    visits: dict[Event, set[Visit]] = field(default_factory=dict)
    unwritten: dict[str, tuple[MemoryUse, ...]] = field(default_factory=dict)
    _by_kind: dict[str, tuple[Event, ...]] = field(default_factory=dict)
    _closures: dict[str, frozenset[str]] = field(default_factory=dict)

    @property
    def project(self) -> Project:
        return self.context.project

    def names(self, path: str) -> Names:
        return Names(self.project, path, self.context.apis.canonical)

    def events(self, kind: str) -> tuple[Event, ...]:
        """Every event of a kind that is reached, in the order of files and places."""
        if not self._by_kind:
            found: dict[str, list[Event]] = {}
            for event in self.visits:
                found.setdefault(event.kind, []).append(event)
            self._by_kind = {k: tuple(sorted(v, key=lambda event: event.site)) for k, v in found.items()}
        return self._by_kind.get(kind, ())

    def uses(self, *roles: str) -> tuple[Event, ...]:
        """The uses that have one of these roles."""
        return tuple(event for event in self.events("use") if event.note in roles)

    def reached(self, event: Event) -> tuple[Visit, ...]:
        """The visits of programs, or of nobody when no program reaches the event."""
        found = self.visits.get(event, set())
        programs = tuple(visit for visit in found if visit.program != LIBRARY)
        return programs or tuple(found)

    def imported_by(self, path: str) -> frozenset[str]:
        """The files that a file imports, directly or not, itself included."""
        if path not in self._closures:
            self._closures[path] = import_closure(self.project, path)
        return self._closures[path]

    def program(self, path: str) -> ProgramFacts | None:
        return next((facts for facts in self.programs if facts.program.path == path), None)


def by_site(events: Iterable[Event]) -> dict[Site, list[Event]]:
    """The events of each place, in their order."""
    found: dict[Site, list[Event]] = {}
    for event in events:
        found.setdefault(event.site, []).append(event)
    return found


def program_first(facts: Facts, events: list[Event]) -> list[Event]:
    """The events that programs reach, or all when none does."""
    reached = [event for event in events if any(visit.program != LIBRARY for visit in facts.visits[event])]
    return reached or events


def gather(context: Context, progress: Callable[[str, int, int], None]) -> Facts:
    """Evaluates every program, then what no program reaches."""
    machine = _base(context)
    facts = Facts(context, machine)
    wanted = context.programs()
    done = []
    for index, program in enumerate(wanted):
        progress("analysing programs", index, len(wanted))
        try:
            done.append(_run(facts, program, _machine(context, machine)))
        except Exception as error:  # noqa: BLE001 (one program that we fail on costs only that program)
            facts.troubles.append((program.path, error))
    facts.programs = tuple(done)
    for path in sorted(context.project.modules):
        if context.wants(path):
            _rest(facts, path, _machine(context, machine))
    return facts


def _rest(facts: Facts, path: str, machine: Machine) -> None:
    """What no program reaches in a file; only the kinds of events that are judged where they stand are kept."""
    visits: dict[Event, set[Visit]] = {}
    walk = Walk(LIBRARY, facts.context.torch(path).newest_satisfies("torch>=1.9"), visits)
    try:
        for summary in evaluate_module(machine, path, facts.entered):
            walk.run(summary.trace)
    except Exception as error:  # noqa: BLE001 (one file that we fail on costs only that file)
        facts.troubles.append((path, error))
    facts.visits.update((event, seen) for event, seen in visits.items() if event.kind in SITE_KINDS)


def _machine(context: Context, base: Machine) -> Machine:
    return Machine(context.project, context.apis, context.versions, base.watched, base)


def _base(context: Context) -> Machine:
    """The machine that imports modules, for all programs."""
    callees = frozenset(
        context.apis.canonical(callee)
        for rule in context.catalog.rules
        if rule.match is not None
        for callee in rule.match.callees
    )
    return Machine(context.project, context.apis, context.versions, callees)


def _run(facts: Facts, program: Program, machine: Machine) -> ProgramFacts:
    if not worth_judging(facts.context, import_closure(facts.project, program.path)):
        return ProgramFacts(program, (), _fold(facts, program.path, program.path, ()))
    trace = machine.module_summary(program.path, main=not program.function).trace
    if program.function:
        trace = (*trace, *_script(machine, program))
    facts.entered.update(machine.entered())
    return ProgramFacts(program, trace, _fold(facts, program.path, program.path, trace), not machine.is_spent)


def _script(machine: Machine, program: Program) -> Iterator[Node]:
    """What calling the function of a console script does; of a group of commands any one of these runs."""
    value = machine.global_value(program.path, program.function)
    if isinstance(value, FunctionValue):
        summary = calls.summarise(machine, value, (), (), open_call=True)
        if summary is not None:
            yield Enter(Site(program.path, value.unit, value.span, ""), "call", summary)
    if isinstance(value, FunctionValue | Made):
        site = Site(value.path, value.unit, value.span, "") if isinstance(value, FunctionValue) else value.identity[0]
        frame = Frame(site.path, site.unit, "", None, 0)
        run_commands(machine, frame, value, site.span)
        yield from frame.trace


def _fold(facts: Facts, name: str, path: str, trace: Trace) -> Outcome:
    new_torch = facts.context.torch(path).newest_satisfies("torch>=1.9")
    forgiven = Loads().run(trace) | _finished_heads(facts, trace)
    walk = Walk(name, new_torch, facts.visits, marked_seeds(trace), forgiven)
    return walk.run(trace)


def _finished_heads(facts: Facts, trace: Trace) -> frozenset[Identity]:
    """Models whose checkpoint may lack a head, in a program that trains nothing: nobody runs a head that was only drawn."""
    found = events(trace)
    if any(event.kind == "backward" for event in found):
        return frozenset()
    drawn = [event for event in found if event.kind == "draw" and event.made is not None]
    loaded = [
        event for event in drawn if (row := facts.machine.api(event.api)) is not None and row.role == "pretrained"
    ]
    return frozenset(event.made.identity for event in loaded if event.made is not None)


def find_call(project: Project, site: Site) -> ir.Call | None:
    """The call expression at a site."""
    for node in nested(project.body(site.path, site.unit)):
        if isinstance(node, ir.Call) and node.span == site.span:
            return node
    return None


__all__ = [
    "LIBRARY", "Context", "Facts", "ProgramFacts", "Summary", "by_site", "events", "find_call", "gather", "nested",
    "program_first",
]  # fmt: skip

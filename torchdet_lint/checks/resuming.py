"""TDL601: checkpoints from which training goes on with other random numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from torchdet_lint.analysis.trace import Event, Repeat
from torchdet_lint.analysis.trace import events as all_events
from torchdet_lint.analysis.values import Identity, Known, Made
from torchdet_lint.checks.emit import at_hit, locate
from torchdet_lint.checks.facts import Facts, ProgramFacts
from torchdet_lint.finding import Finding, Related

DRAWS = ("draw", "rng-draw", "private-draw")
HARMLESS = ("init", "base", "name")
"""Draws that a run makes before it resumes, or that reach no result."""

LOOPS = ("loop", "rebuild", "fit")
GENERATORS = ("generator", "rng")
"""The notes of uses that make a generator."""

SHOWN = 3


def check(facts: Facts) -> Iterator[Finding]:
    for program in facts.programs:
        hits = program.hits
        if "saved" not in hits or "restored" not in hits or "loaded" not in hits or "rng-state" in hits:
            continue
        if _goes_on(facts, program) and _draws(facts, program) and not _follows_epoch(program):
            yield _finding(facts, program)


def _finding(facts: Facts, program: ProgramFacts) -> Finding:
    saved, restored = program.hits["saved"], program.hits["restored"]
    found = at_hit(
        facts,
        "TDL601",
        "default",
        saved,
        program.program.path,
        last="the checkpoint is saved here",
        value=_what(saved.event),
    )
    return replace(
        found, related=(*found.related, Related(locate(facts, restored.event.site), "training goes on from it here"))
    )


def _what(event: Event) -> str:
    """The entries of the checkpoint that are about training."""
    keys = event.value.value if isinstance(event.value, Known) else ()
    shown = [f"`{key}`" for key in keys[:SHOWN]]
    if len(keys) > SHOWN:
        shown.append("…")
    return " and ".join(shown) if len(shown) < 3 else ", ".join(shown)


def _goes_on(facts: Facts, program: ProgramFacts) -> bool:
    """Whether the program trains, draws again and again, or an optimizer of it goes on: who only converts a checkpoint does
    nothing of that.
    """
    if "backward" in program.hits:
        return True
    path = program.program.path
    drawn = (event for kind in DRAWS for event in facts.events(kind) if event.note not in HARMLESS)
    if any(visit.program == path and visit.around.loop in LOOPS for event in drawn for visit in facts.visits[event]):
        return True
    loads = (event for event in facts.events("restored") if event.api.endswith(".load_state_dict"))
    return any(_reached(facts, event, program) for event in loads)


def _draws(facts: Facts, program: ProgramFacts) -> bool:
    """Whether the program draws numbers other than first weights, from generators that live longer than a turn of its loop."""
    anew = {
        event.made.identity
        for event in _in_loop(program)
        if event.kind == "use" and event.note in GENERATORS and event.made is not None
    }
    return any(
        event.note not in HARMLESS and _reached(facts, event, program) and anew.isdisjoint(_drawn_from(event))
        for kind in DRAWS
        for event in facts.events(kind)
    )


def _drawn_from(event: Event) -> Iterator[Identity]:
    """The generator of a draw: the object that draws, or an argument of the function that does."""
    if event.made is not None:
        given = (*event.made.args, *(value for _, value in event.made.named))
        yield from (value.identity for value in (event.made, *given) if isinstance(value, Made))


def _reached(facts: Facts, event: Event, program: ProgramFacts) -> bool:
    return any(visit.program == program.program.path for visit in facts.visits[event])


def _follows_epoch(program: ProgramFacts) -> bool:
    """Whether the loop that trains, or saves, seeds anew with a value that is not always the same: from seed and epoch."""
    return any(event.kind == "seed" and not isinstance(event.value, Known) for event in _in_loop(program))


def _in_loop(program: ProgramFacts) -> Iterator[Event]:
    """What happens in the loops that train, or save."""
    for key in ("saved", "backward"):
        hit = program.hits.get(key)
        for step in hit.steps if hit is not None else ():
            if isinstance(step.node, Repeat):
                yield from all_events(step.node.body, elsewhere=False)

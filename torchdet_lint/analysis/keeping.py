"""States of generators that come back: where a program reads the state of a generator and sets it again, nothing that comes
after knows of the seeds in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torchdet_lint import ir
from torchdet_lint.analysis.machine import Frame
from torchdet_lint.analysis.state import Kept, State
from torchdet_lint.analysis.trace import Event, Summary, Trace, events
from torchdet_lint.analysis.values import Identity, Made, Value, alternatives

Families = tuple[str, ...]

BLOCK = "rng-kept"
"""The kind of `Within` at whose end a state comes back."""


def manages(code: ir.Function | ir.Lambda | None) -> bool:
    """Whether a function is a context manager, whose `with` statements are still open in the body of its caller's."""
    return isinstance(code, ir.Function) and any(ir.last_name(d).endswith("contextmanager") for d in code.decorators)


def left_open(f: Frame, trace: Trace) -> tuple[tuple[str, Value], ...]:
    """The contexts that a call of the frame's function leaves open, among them those that give a state back in the end."""
    opens = tuple(f.opens) if f.opened is None else f.opened
    if not manages(f.function):
        return opens
    return (*opens, *((BLOCK, event.value) for event in given_back(trace)))


def given_back(trace: Trace) -> Iterator[Event]:
    """The events by which a trace sets a state that was read from a generator before."""
    return (event for event in events(trace) if event.kind == "rng-back")


def families_of(events: Iterable[Event]) -> dict[Identity, Families]:
    """The families that each state is for, of those that come back."""
    found: dict[Identity, Families] = {}
    for event in events:
        for state in states(event.value):
            found[state] = tuple(sorted({*found.get(state, ()), *event.families}))
    return found


def states(value: Value) -> Iterator[Identity]:
    """The states of generators that a value may be."""
    return (option.identity for option in alternatives(value) if isinstance(option, Made))


def keep(state: State, identity: Identity, families: Families) -> State:
    """After the state of a generator was read that will come back."""
    others = tuple(kept for kept in state.kept if kept.identity != identity)
    return state._replace(kept=(*others, Kept(identity, families, state.rng)))


def give_back(state: State, identities: Iterable[Identity]) -> State:
    """After states came back: the families are as they were when these were read."""
    wanted = set(identities)
    now, before = dict(state.rng), State()
    for kept in state.kept:
        if kept.identity in wanted:
            before = before._replace(rng=kept.rng)
            now.update({family: before.status(family) for family in kept.families})
    others = tuple(kept for kept in state.kept if kept.identity not in wanted)
    return state._replace(rng=tuple(sorted(now.items())), kept=others)


def closed(summary: Summary, before: State, after: State) -> Iterator[Identity]:
    """The states that a function both reads and gives back, also where it gives them back in a `finally` behind a `return`."""
    old = {kept.identity for kept in before.kept}
    new = {kept.identity for kept in after.kept} - old
    if new:
        yield from new.intersection(families_of(given_back(summary.trace)))

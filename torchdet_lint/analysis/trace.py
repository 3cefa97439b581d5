"""Traces: what happens when code runs, in order, as a small tree of immutable nodes.

Nodes compare by identity; a summary may stand in many places, so a trace is a directed acyclic graph.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from torchdet_lint.analysis.values import UNKNOWN, Identity, Instance, Items, Made, Site, Truth, Value


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """One thing that matters, at a site.

    kind says what, `api` which callable (or attribute, or environment variable) did it:

    - "seed": fixes `families` to `value`
    - "draw": takes from `families`; `note` is "init" (initial weights of `made`), "training" (only in training mode), "name"
      (used as a name only), "order" and "base" (a pass over a loader: the order of samples, or only the base seed of workers)
    - "mode": sets the switch `api` to `value`
    - "use": a use of `made` that some rule judges; `note` is its role ("loader", "sdpa", "rng", …)
    - "made": a container of networks is made
    - "train", "eval", "load": what was done to the object `value`, or to all of a tuple (see `touched`); "seeded": to an object
    - "saved", "loaded", "restored": a checkpoint with entries about training (`value`: their names), any file, and entries
      about training that are taken out of one; "rng-state": the state of a generator is read; "rng-back": a generator gets a
      state `value` that was read from it before (note "open": where the `with` statement ends that this is the manager of)
    - "backward", "cuda", "matmul": evidence
    """

    kind: str
    site: Site
    api: str
    families: tuple[str, ...] = ()
    value: Value = UNKNOWN
    made: Made | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """`then` where the test holds, `other` where it does not. `choices`: this is one of so many callees that a call may have."""

    site: Site
    test: Truth
    label: str
    then: Trace
    other: Trace
    choices: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Repeat:
    """A loop; kind: "for", "cases" (over things that the program writes out), "while", "forever", "comprehension", "fit"."""

    site: Site
    kind: str
    body: Trace


@dataclass(frozen=True, slots=True, eq=False)
class Within:
    """A body that runs in a context: `kind` is the role or callee of the context manager, `made` the object.

    Kinds used by the analyses: "main" (the main guard), "no-grad", "grad", "sdpa", "fork-rng", "flags", "worker",
    "worker-init", "init-empty".
    """

    site: Site
    kind: str
    value: Value
    body: Trace


@dataclass(frozen=True, slots=True, eq=False)
class Leave:
    """The path ends here; kind: "return", "break", "continue", "raise", "exit"."""

    kind: str


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """What a function does and returns for one kind of arguments."""

    name: str
    path: str
    trace: Trace
    result: Value
    lazy: bool = False
    """Whether this is a generator function, whose body runs when its result is iterated."""
    opens: tuple[tuple[str, Value], ...] = ()
    """The contexts (kind and object of a `Within`) that it has entered and not left: of a context manager, those in which the
    body of its `with` statement runs."""


@dataclass(frozen=True, slots=True, eq=False)
class Enter:
    """A call; kind: "call", "construct", "forward", "import", "item" (a data set's item), "callback", "spawn", "decorator".

    `receiver` is the identity of the object that is constructed or called. A "spawn" runs in a fresh interpreter.
    """

    site: Site
    kind: str
    summary: Summary
    receiver: Identity | None = None


Node: TypeAlias = Event | Branch | Repeat | Within | Leave | Enter
Trace: TypeAlias = tuple[Node, ...]


def touched(event: Event) -> tuple[Identity, ...]:
    """The objects that a "train", "eval" or "load" is about: a network, then the networks inside it."""
    about = event.value.items if isinstance(event.value, Items) else (event.value,)
    return tuple(each.identity for each in about if isinstance(each, Instance | Made))


def begins(event: Event) -> bool:
    """Whether a network begins there: a container is made, or a layer draws its first weights."""
    return event.kind == "made" or (event.kind == "draw" and event.note == "init")


def caught(trace: Trace) -> Trace:
    """The body of a `try` that is sure to raise, where a handler goes on: the way does not end at `raise`."""
    return tuple(map(_caught, (node for node in trace if not (isinstance(node, Leave) and node.kind == "raise"))))


def _caught(node: Node) -> Node:
    if isinstance(node, Branch):
        return replace(node, then=caught(node.then), other=caught(node.other))
    return replace(node, body=caught(node.body)) if isinstance(node, Within) else node


def events(trace: Trace, *, elsewhere: bool = True) -> list[Event]:
    """Every event of a trace, once for each summary that holds it; on request without those in worker processes."""
    found: list[Event] = []
    _add_events(found, trace, set(), elsewhere)
    return found


def _add_events(found: list[Event], trace: Trace, seen: set[int], elsewhere: bool) -> None:
    for node in trace:
        if isinstance(node, Event):
            found.append(node)
        elif isinstance(node, Branch):
            _add_events(found, node.then, seen, elsewhere)
            _add_events(found, node.other, seen, elsewhere)
        elif isinstance(node, Within) and node.kind in ("worker", "worker-init") and not elsewhere:
            continue
        elif isinstance(node, Repeat | Within):
            _add_events(found, node.body, seen, elsewhere)
        elif isinstance(node, Enter) and id(node.summary) not in seen:
            seen.add(id(node.summary))
            _add_events(found, node.summary.trace, seen, elsewhere)


def draws(trace: Trace, family: str, seen: set[int] | None = None) -> bool:
    """Whether a trace draws; `seen` are summaries in which nothing was found."""
    seen = set() if seen is None else seen
    for node in trace:
        if isinstance(node, Event):
            found = node.kind == "draw" and family in node.families
        elif isinstance(node, Branch):
            found = draws(node.then, family, seen) or draws(node.other, family, seen)
        elif isinstance(node, Repeat | Within):
            found = draws(node.body, family, seen)
        elif isinstance(node, Enter) and id(node.summary) not in seen:
            seen.add(id(node.summary))
            found = draws(node.summary.trace, family, seen)
        else:
            continue
        if found:
            return True
    return False

"""The state of one run of the memory analysis, and the few operations on memory that everything else is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from torchdet_lint import ir
from torchdet_lint.analysis.memory.coverage import Running, fills_growth, gap, is_whole, written
from torchdet_lint.analysis.memory.values import (
    DONE,
    NOTHING,
    UNWRITTEN,
    Buffer,
    Place,
    Ref,
    State,
    Status,
    Use,
    Value,
    reach,
)
from torchdet_lint.project.modules import Project
from torchdet_lint.project.names import Names

if TYPE_CHECKING:
    from torchdet_lint.analysis.memory.classes import ClassInfo

STEPS = 60_000
"""How many statements one question may take; beyond it the analysis gives up silently."""


class TooLong(Exception):
    """The analysis of one unit took more steps than it may."""


@dataclass(eq=False)
class Analysis:
    """What one question about one unit has found so far."""

    project: Project
    names: Callable[[str], Names]
    evaluate: Callable[[Frame, State, ir.Expr], Value]
    execute: Callable[[Frame, State, ir.Body], State | None]
    steps: int = STEPS
    created: list[Use] = field(default_factory=list)
    committed: dict[Use, None] = field(default_factory=dict)
    dropped: set[Use] = field(default_factory=set)
    resited: dict[Use, tuple[Place, str]] = field(default_factory=dict)
    parameters: set[Buffer] = field(default_factory=set)
    attributes: dict[Buffer, tuple[ClassInfo | None, str]] = field(default_factory=dict)
    returning: dict[tuple[str, str], None] = field(default_factory=dict)
    active: list[ir.Function] = field(default_factory=list)
    inits: dict[tuple[str, int, str], dict[str, Value]] = field(default_factory=dict)

    def step(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise TooLong


@dataclass(eq=False)
class Frame:
    """One activation of a function, or the top level of a module; `root` names the outermost activation around it."""

    analysis: Analysis
    path: str
    unit: int
    names: Names
    root: object
    parameters: frozenset[str] = frozenset()
    self_name: str = ""
    info: ClassInfo | None = None
    depth: int = 0
    meta: bool = False
    emptying: Value | None = None
    dropping: ir.Expr | None = None
    loops: tuple[Running, ...] = ()
    enclosing: tuple[object, ...] = ()
    conditional: tuple[object, ...] = ()
    results: list[Value] = field(default_factory=list)
    exits: list[State] = field(default_factory=list)
    jumps: list[State] = field(default_factory=list)
    made_under: dict[Buffer, tuple[object, bool]] = field(default_factory=dict)
    """Under which condition memory was allocated, and whether it held."""
    shared: Callable[[str], bool] = lambda _name: False
    """Whether a name that is bound here is seen by code out of sight (globals). `dropping` is the expression whose value
    nobody takes. `emptying`: networks that are built now keep unwritten weights, and this is what they are."""

    @property
    def loops_now(self) -> tuple[object, ...]:
        """The loops around this point, those of the callers too."""
        return (*self.enclosing, *self.loops)

    def at(self, span: ir.Span) -> Place:
        return Place(self.path, self.unit, span)

    def evaluate(self, state: State, expr: ir.Expr) -> Value:
        return self.analysis.evaluate(self, state, expr)


Sizes: TypeAlias = "tuple[ir.Expr, ...] | None"


def allocate(frame: Frame, state: State, span: ir.Span, api: str, sizes: Sizes, *, pinned: bool = False) -> Value:
    buffer = Buffer(frame.at(span), api, sizes, frame.root, pinned=pinned)
    state.heap[buffer] = UNWRITTEN
    return Value(refs=(Ref(buffer),))


def place_grown(frame: Frame, state: State, span: ir.Span, api: str, sizes: Sizes) -> Value:
    """A tensor of which some elements are unwritten, and nobody knows which."""
    buffer = Buffer(frame.at(span), api, sizes, frame.root, grown=True)
    state.heap[buffer] = UNWRITTEN
    return Value(refs=(Ref(buffer),))


def place_flight(frame: Frame, state: State, span: ir.Span, api: str) -> Value:
    """A host tensor that a copy is filling while the program goes on."""
    buffer = Buffer(frame.at(span), api, None, frame.root, pinned=True)
    state.heap[buffer] = Status(flight=buffer)
    return Value(refs=(Ref(buffer),))


def place_pinned(frame: Frame, state: State, span: ir.Span) -> Value:
    """A tensor in pinned memory, with elements."""
    buffer = Buffer(frame.at(span), "", None, frame.root, pinned=True)
    state.heap[buffer] = DONE
    return Value(refs=(Ref(buffer),))


def read(frame: Frame, state: State, value: Value, span: ir.Span, phrase: str, guess: bool = False) -> Value:
    """A computation that looks at every tensor in the value; the result carries what unwritten memory went into it."""
    uses: list[Use] = []
    for ref in reach(value):
        status = state.heap.get(ref.buffer, DONE)
        if status.uses:
            uses += status.uses
            continue
        verdict = _verdict(frame, ref, status)
        if verdict:
            certain = verdict == "certain" and not value.maybe and _is_local(frame, ref.buffer)
            use = Use(status.flight or ref.buffer, frame.at(span), phrase, certain, guess, frame.conditional)
            frame.analysis.created.append(use)
            uses.append(use)
    return tainted(frame, state, uses)


def _verdict(frame: Frame, ref: Ref, status: Status) -> str:
    """How sure it is that a read sees something unwritten. Of a tensor that has grown the old part may be read."""
    if status.done or (ref.buffer.grown and ref.key is not None):
        return ""
    if ref.buffer.grown or status.flight is not None or not status.keys:
        return "certain"
    return gap(ref, status.keys, frame.root)


def _is_local(frame: Frame, buffer: Buffer) -> bool:
    """Whether no other method and no other code can have written the buffer before this one reads it."""
    if buffer in frame.analysis.parameters:
        return False
    return buffer not in frame.analysis.attributes or buffer.owner is frame.root


def tainted(frame: Frame, state: State, uses: Iterable[Use]) -> Value:
    """A fresh value that was computed from unwritten memory."""
    found = tuple(dict.fromkeys(uses))
    if not found:
        return NOTHING
    buffer = Buffer(None)
    state.heap[buffer] = Status(uses=found)
    return Value(refs=(Ref(buffer),))


def uses_in(state: State, value: Value) -> tuple[Use, ...]:
    return tuple(use for ref in reach(value) for use in state.heap.get(ref.buffer, DONE).uses)


def commit(frame: Frame, uses: Iterable[Use]) -> None:
    """The results of these uses matter to somebody. Uses that were only guessed are forgotten instead."""
    for use in uses:
        if use.guess:
            frame.analysis.dropped.add(use)
        else:
            frame.analysis.committed[use] = None


def escape(frame: Frame, state: State, value: Value) -> None:
    """Code out of sight gets the value: it may write the memory, and it uses what was computed."""
    for ref in reach(value):
        status = state.heap.get(ref.buffer)
        if status is not None:
            commit(frame, status.uses)
            state.heap[ref.buffer] = DONE


def write(frame: Frame, state: State, refs: Iterable[Ref], uses: tuple[Use, ...] = ()) -> None:
    """Something is stored in all of what the references see; `uses` is what went into it."""
    for ref in refs:
        status = state.heap.get(ref.buffer)
        if status is None or (status.done and not uses):
            continue
        whole = ref.key is None or is_whole(ref.key) or status.flight is not None
        whole = whole or (ref.buffer.grown and fills_growth(ref.key or (), ref.buffer))
        partial = None if whole or ref.key is None else written(ref.key, ref.buffer, frame.loops)
        if uses:
            taint(state, Value(refs=(ref,)), uses)
        elif partial is None:
            state.heap[ref.buffer] = DONE
        elif not status.uses:
            state.heap[ref.buffer] = Status(keys=tuple(dict.fromkeys((*status.keys, partial))))


def taint(state: State, value: Value, uses: tuple[Use, ...]) -> None:
    """The tensors themselves now hold what was computed from unwritten memory, as after `t += x`."""
    for ref in value.refs:
        status = state.heap.get(ref.buffer)
        if status is not None and uses:
            state.heap[ref.buffer] = Status(uses=tuple(dict.fromkeys((*status.uses, *uses))))

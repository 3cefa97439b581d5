"""What the memory analysis knows of values: buffers, views of them, containers of them, and how far each is written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from torchdet_lint import ir

Bare: TypeAlias = Any
"""An expression without spans, as nested tuples; two expressions written alike are equal."""

PART: Bare = ("part",)
"""The key of a view whose extent is not known, such as one piece of a split."""


class Place(NamedTuple):
    """Where something stands: a file, one of its units, and offsets inside that unit."""

    path: str
    unit: int
    span: ir.Span


@dataclass(frozen=True, slots=True, eq=False)
class Buffer:
    """One piece of memory that an allocating call returned without writing it; `sizes` is None when they are not plain.

    `owner` is the run (see `Frame.root`) that allocated it. A buffer without `place` stands for the result of a computation.
    `grown`: it is a tensor that had elements before, and got more. `pinned`: copies into it can run beside the program.
    """

    place: Place | None
    api: str = ""
    sizes: tuple[ir.Expr, ...] | None = None
    owner: object = None
    grown: bool = False
    pinned: bool = False


class Ref(NamedTuple):
    """A tensor that shares memory with a buffer: all of it when `key` is None, else the part under these indices."""

    buffer: Buffer
    key: tuple[Bare, ...] | None = None


@dataclass(frozen=True, slots=True)
class Value:
    """What an expression may be: tensors (`refs`), a display with known entries, a container whose elements are like
    `each`, or a module. `maybe` says that it may also be something that is of no interest here.
    """

    refs: tuple[Ref, ...] = ()
    entries: tuple[tuple[Any, Value], ...] | None = None
    each: Value | None = None
    module: Any = None
    maybe: bool = False

    def part(self, key: tuple[Bare, ...] = PART) -> Value:
        """A part of each of the tensors."""
        return Value(refs=tuple(deeper(ref, key) for ref in self.refs), maybe=self.maybe)


def deeper(ref: Ref, key: tuple[Bare, ...]) -> Ref:
    """`ref[key]`: the indices add up where those so far are single ones."""
    if ref.key is None or key == PART:
        return Ref(ref.buffer, key)
    single = all(isinstance(item, tuple) and item[0] == "Const" and isinstance(item[1], int) for item in ref.key)
    return Ref(ref.buffer, (*ref.key, *key) if single else PART)


@dataclass(frozen=True, slots=True)
class Raw:
    """`Value.module` of a network whose parameters are the unwritten memory `buffer`, as `to_empty` leaves them."""

    buffer: Buffer


NOTHING = Value()
TORCH_MODULE = "torch.nn"
"""`Value.module` of a layer or loss of torch; for a class of the project it is (path, unit, class)."""


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """A computation that took a buffer while (part of) it was unwritten; `loops` are the loops that it is conditional in;
    a `guess` counts only when the result is dropped.
    """

    buffer: Buffer
    at: Place
    phrase: str
    certain: bool
    guess: bool = False
    loops: tuple[object, ...] = ()


class Written(NamedTuple):
    """A partial write: the indices, and the run (see `Frame.root`) in which a loop over something unrelated to the size
    made it, or None.
    """

    key: tuple[Bare, ...]
    unrelated: object = None


class Status(NamedTuple):
    """How far a buffer is written. `done`: wholly, or no longer in sight. `uses`: it holds what these uses computed.
    `flight`: the copy to the host that may still be running.
    """

    keys: tuple[Written, ...] = ()
    done: bool = False
    uses: tuple[Use, ...] = ()
    flight: Buffer | None = None


UNWRITTEN = Status()
DONE = Status(done=True)


@dataclass(slots=True)
class State:
    """Names of the function, attributes of `self`, and the status of every buffer."""

    env: dict[str, Value] = field(default_factory=dict)
    fields: dict[str, Value] = field(default_factory=dict)
    heap: dict[Buffer, Status] = field(default_factory=dict)

    def copy(self) -> State:
        return State(dict(self.env), dict(self.fields), dict(self.heap))


def union(one: Value | None, two: Value | None) -> Value:
    """A value that is one or the other."""
    if one is None or two is None:
        return one or two or NOTHING
    if one == two:
        return one
    entries = one.entries if two.entries is None else two.entries
    each = union(one.each, two.each) if one.each or two.each else None
    if one.entries is not None and two.entries is not None:
        entries, each = _merge_entries(one.entries, two.entries, each)
    return Value(
        refs=tuple(dict.fromkeys((*one.refs, *two.refs))),
        entries=entries,
        each=each,
        module=one.module or two.module,
        maybe=one.maybe or two.maybe or bool(one.refs) != bool(two.refs),
    )


Entries: TypeAlias = tuple[tuple[Any, Value], ...]


def _merge_entries(one: Entries, two: Entries, each: Value | None) -> tuple[Entries | None, Value | None]:
    first, second = dict(one), dict(two)
    if first.keys() == second.keys():
        return tuple((key, union(value, second[key])) for key, value in first.items()), each
    return (), all_of([each, *first.values(), *second.values()])


def all_of(values: list[Value | None]) -> Value | None:
    """The union of the values that are there, or None."""
    found: Value | None = None
    for value in values:
        found = union(found, value) if value is not None else found
    return found


def elements(value: Value) -> Value:
    """What iterating over the value, or indexing it with an unknown index, gives."""
    inner = [item for _, item in value.entries or ()]
    inner += [Value(module=value.module)] if value.module == TORCH_MODULE else []
    rows = Value(refs=tuple(Ref(ref.buffer, PART) for ref in value.refs)) if value.refs else None
    return all_of([*inner, value.each, rows]) or NOTHING


def reach(value: Value) -> tuple[Ref, ...]:
    """Every tensor inside the value."""
    if value is NOTHING:
        return ()
    inner = [ref for _, item in value.entries or () for ref in reach(item)]
    inner += [Ref(value.module.buffer)] if isinstance(value.module, Raw) else []
    return (*value.refs, *inner, *(reach(value.each) if value.each else ()))


def join(states: list[State]) -> State | None:
    """The state where paths meet, or None when none arrives. A buffer counts as written when it is on any path."""
    if not states:
        return None
    first, *rest = states
    if not rest:
        return first
    joined = first.copy()
    for state in rest:
        for mine, other in ((joined.env, state.env), (joined.fields, state.fields)):
            for name in mine.keys() | other.keys():
                mine[name] = union(mine.get(name, NOTHING), other.get(name, NOTHING))
        for buffer, status in state.heap.items():
            joined.heap[buffer] = _join_status(joined.heap[buffer], status) if buffer in joined.heap else status
    return joined


def _join_status(one: Status, two: Status) -> Status:
    if one == two:
        return one
    if one.uses or two.uses:
        return Status(uses=tuple(dict.fromkeys((*one.uses, *two.uses))))
    if one.done or two.done:
        return DONE
    if one.flight or two.flight:
        return one if one.flight else two
    return Status(keys=tuple(dict.fromkeys((*one.keys, *two.keys))))


def bare(expr: Any) -> Bare:
    """The expression as nested tuples without spans, to compare what is written."""
    if not isinstance(expr, tuple):
        return expr
    fields = getattr(expr, "_fields", None)
    if fields is None:
        return tuple(bare(part) for part in expr)
    return (type(expr).__name__, *(bare(getattr(expr, name)) for name in fields if name != "span"))

"""Where two runs part: the first unequal effect of each stream, and the first unequal sources before it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from torchdet_lint.verify.difference import apart
from torchdet_lint.verify.record import SOURCES, Event, Record, Stream

_UNCOMPARED = ("/more", "/other")
"""Streams of tasks beyond those that get a name, and of threads that nobody has named."""

_TAIL = 10
"""A difference lasts when one of the last tenth of the effects differs."""


@dataclass(frozen=True)
class Divergence:
    """The first difference of a stream.

    `index` counts effects, `step` optimizer steps before it. `left` or `right` is None where that run had ended. `sources` are
    the first unequal sources before it, one of each kind, in the order in which they happened (the left run's event, or the
    right's where the left has none). `apart` is the greatest difference among sampled values, relative to the greater magnitude,
    where there are numbers to compare.
    """

    stream: str
    index: int
    step: int
    left: Event | None
    right: Event | None
    sources: tuple[Event, ...]
    apart: float | None
    lasting: bool

    @property
    def event(self) -> Event:
        """The effect at which the runs part."""
        event = self.left or self.right
        assert event is not None
        return event

    @property
    def place(self) -> str:
        """The user line to look at: the forward line of a backward operation."""
        return self.event.forward or self.event.place

    @property
    def kind(self) -> str:
        """`values`: the same operation with other values; `operations`: another operation; `length`: one run ends."""
        if self.left is None or self.right is None:
            return "length"
        return "values" if self.left.same_as[:3] == self.right.same_as[:3] else "operations"


@dataclass(frozen=True)
class Comparison:
    """All streams of two runs that part, the earliest first."""

    divergences: tuple[Divergence, ...] = ()

    @property
    def first(self) -> Divergence | None:
        """Where the runs part first."""
        return self.divergences[0] if self.divergences else None

    @property
    def differ(self) -> bool:
        """Whether there is any difference."""
        return bool(self.divergences)


def compare(left: Record, right: Record) -> Comparison:
    """Compares streams of the same name. Those of workers and threads may be missing in one: how far they came is chance."""
    found = []
    leading = _leading(left) | _leading(right)
    for name in sorted(left.streams.keys() | right.streams.keys()):
        if name.endswith(_UNCOMPARED):
            continue
        a, b = left.streams.get(name), right.streams.get(name)
        if a is None or b is None:
            if name in leading:
                found.append(_parted(a or Stream(name, ()), b or Stream(name, ()), left, right))
            continue
        found.append(_parted(a, b, left, right))
    parted = sorted(
        (divergence for divergence in found if divergence is not None), key=lambda divergence: divergence.event.time
    )
    return Comparison(tuple(parted) if any(divergence.stream in leading for divergence in parted) else ())


def _leading(record: Record) -> frozenset[str]:
    """The streams that a result comes from: those with optimizer steps, and main threads. What differs in a worker and never
    reaches one of these is no difference: how tasks are shared out among workers is chance.
    """
    stepping = {name for name, stream in record.streams.items() if any(event.kind == "STEP" for event in stream.events)}
    mains = {name for name, stream in record.streams.items() if stream.main and stream.effects}
    return frozenset(stepping | mains or record.streams)


def _parted(a: Stream, b: Stream, left: Record, right: Record) -> Divergence | None:
    ones, others = a.effects, b.effects
    for index, (one, other) in enumerate(zip_longest(ones, others)):
        if one is not None and other is not None:
            if one[1].same_as == other[1].same_as:
                continue
        elif not _whole(a, b):
            return None
        return None if _overwritten(a, b, index) else _divergence(a, b, index, (left, right))
    return None


_REDRAWN = 3
"""How often a weight is drawn at most: layers draw theirs when they are made, and their users draw them again in other ways."""


def _overwritten(a: Stream, b: Stream, index: int) -> bool:
    """Whether all that differs, from an effect on, are numbers that were drawn into tensors and then copied over before anything
    read them: initial weights of a network that loads others.
    """
    ones, others = a.effects[index:], b.effects[index:]
    if len(ones) != len(others):
        return False
    drawn = copied = 0
    for (at, one), (_, other) in zip(ones, others, strict=True):
        if one.same_as == other.same_as:
            copied += drawn > 0 and one.name.startswith("aten.copy_")
        elif one.same_as[:3] != other.same_as[:3] or not _in_place(one) or (copied and not _is_drawn(a, at)):
            return False
        else:
            drawn += _is_drawn(a, at)
    return 0 < drawn <= _REDRAWN * copied


def _in_place(event: Event) -> bool:
    """Whether an operation writes to the tensor that it is called on (`aten.normal_`, `aten.uniform_.default`)."""
    return event.kind == "OP" and event.name.removeprefix("aten.").partition(".")[0].endswith("_")


def _is_drawn(stream: Stream, index: int) -> bool:
    """Whether the effect at this index among all events has drawn what it wrote."""
    return index > 0 and stream.events[index - 1].kind == "RNG"


def _whole(a: Stream, b: Stream) -> bool:
    """Whether unequal lengths mean anything: both must be main threads, and neither been cut off by the clock."""
    ends = [stream.end.name if stream.end else "cut" for stream in (a, b)]
    return a.main and "seconds" not in ends and "cut" not in ends


def _divergence(a: Stream, b: Stream, index: int, records: tuple[Record, Record]) -> Divergence:
    one = a.effects[index] if index < len(a.effects) else None
    other = b.effects[index] if index < len(b.effects) else None
    sources = tuple(_unequal_sources(_before(a, one), _before(b, other))) or _elsewhere(a.name, one, other, records)
    return Divergence(
        stream=a.name,
        index=index,
        step=sum(1 for _, event in a.effects[:index] if event.kind == "STEP"),
        left=one[1] if one else None,
        right=other[1] if other else None,
        sources=sources,
        apart=apart(one[1].values, other[1].values) if one and other else None,
        lasting=_lasting(a, b, index),
    )


def _before(stream: Stream, effect: tuple[int, Event] | None) -> tuple[Event, ...]:
    return stream.events if effect is None else stream.events[: effect[0]]


def _unequal_sources(ones: tuple[Event, ...], others: tuple[Event, ...]) -> Iterator[Event]:
    """The first unequal source of each kind."""
    first: dict[str, Event] = {}
    for kind in SOURCES:
        pairs = zip_longest((e for e in ones if e.kind == kind), (e for e in others if e.kind == kind))
        for one, other in pairs:
            if one is None or other is None or one.same_as != other.same_as:
                first[kind] = one if one is not None else other
                break
    yield from sorted(first.values(), key=lambda event: event.time)


def _elsewhere(
    name: str, one: tuple[int, Event] | None, other: tuple[int, Event] | None, records: tuple[Record, Record]
) -> tuple[Event, ...]:
    """Unequal sources of other streams, of the time before: a worker is fed by its parent, and the parent by its workers."""
    found: list[Event] = []
    for key in records[0].streams.keys() & records[1].streams.keys() - {name}:
        sides = []
        for record, effect in zip(records, (one, other), strict=True):
            events = record.streams[key].events
            sides.append(tuple(e for e in events if effect is None or e.time <= effect[1].time))
        found += _unequal_sources(sides[0], sides[1])
    return tuple(sorted(found, key=lambda event: event.time)[:4])


READ_OUT = "aten._local_scalar_dense"
"""The operation behind `.item()`, `float(…)` and `if tensor:`."""


def _lasting(a: Stream, b: Stream, index: int) -> bool:
    """Whether the difference is still there near the end, or in a number that the program has read out."""
    ones, others = a.effects[index:], b.effects[index:]
    if len(ones) != len(others):
        return True
    start = len(ones) - max(1, len(ones) // _TAIL)
    return any(
        one.same_as != other.same_as and (at >= start or one.name.startswith(READ_OUT))
        for at, ((_, one), (_, other)) in enumerate(zip(ones, others, strict=True))
    )

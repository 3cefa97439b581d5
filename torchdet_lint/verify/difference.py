"""What differs between two records that were made apart: on two machines, with two versions, at two commits.

Unlike two runs of one experiment these may have other lines, more operations or fewer. Operations are laid beside each other by
what they are and which function they stand in; then their values are compared.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from torchdet_lint.verify.align import Block, align

ROUNDING = 1e-5
"""Values that are less apart, relative to the greater, are told from others: another order of the same sum gives as much."""


class Event(Protocol):
    """One effect of a stream (see `torchdet_lint.verify.record`); places are `path:line:function`."""

    @property
    def kind(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def place(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def forward(self) -> str: ...
    @property
    def values(self) -> str: ...


@dataclass(frozen=True)
class Difference:
    """The first difference of a stream.

    `kind`: "values", "rounding", "operations" (one side has others, or more), "length" (one side ends), "stream" (one side has no
    such stream). `left` and `right` are the events there, None where a side has none; `apart` is the greatest relative
    difference among sampled values. `more_left` and `more_right` count the operations there that only one side has.
    """

    kind: str
    index: int
    left: Event | None
    right: Event | None
    apart: float | None = None
    more_left: int = 0
    more_right: int = 0


@dataclass(frozen=True)
class StreamDifference:
    """A stream of both records: its first difference of all, its first in values, and counts over the whole of it.

    `aligned` operations are on both sides, `unequal` of them have other values, `moved` stand on another line; `left_only` and
    `right_only` are on one side.
    """

    name: str
    first: Difference | None
    first_values: Difference | None
    aligned: int
    unequal: int
    moved: int
    left_only: int
    right_only: int


def differences(left: Mapping[str, Sequence[Event]], right: Mapping[str, Sequence[Event]]) -> list[StreamDifference]:
    """Every stream of either record, by name, with the effects of each in order."""
    return [difference(name, left.get(name), right.get(name)) for name in sorted(left.keys() | right.keys())]


def difference(name: str, left: Sequence[Event] | None, right: Sequence[Event] | None) -> StreamDifference:
    """One stream; None for a side that does not have it."""
    if left is None or right is None:
        ones, others = left or (), right or ()
        first = Difference("stream", 0, next(iter(ones), None), next(iter(others), None))
        return StreamDifference(name, first, None, 0, 0, 0, len(ones), len(others))
    blocks = align([_what(event) for event in left], [_what(event) for event in right])
    pairs = [
        (at, left[at], right[block.right + at - block.left])
        for block in blocks
        if block.same
        for at in range(block.left, block.left_end)
    ]
    unequal = [(at, one, other) for at, one, other in pairs if one.digest != other.digest]
    values = _values(*unequal[0]) if unequal else None
    own = [block for block in blocks if not block.same]
    operations = _operations(own[0], left, right) if own else None
    return StreamDifference(
        name=name,
        first=_earlier(values, operations),
        first_values=values,
        aligned=len(pairs),
        unequal=len(unequal),
        moved=sum(one.place != other.place for _, one, other in pairs),
        left_only=sum(block.left_end - block.left for block in own),
        right_only=sum(block.right_end - block.right for block in own),
    )


def _what(event: Event) -> tuple[str, str, str]:
    """What an operation is, wherever its line has moved to."""
    path, _, rest = event.place.partition(":")
    return (event.kind, event.name, f"{path}:{rest.rpartition(':')[2]}")


def _values(index: int, one: Event, other: Event) -> Difference:
    distance = apart(one.values, other.values)
    rounding = distance is not None and 0 < distance < ROUNDING
    return Difference("rounding" if rounding else "values", index, one, other, distance)


def _operations(block: Block, left: Sequence[Event], right: Sequence[Event]) -> Difference:
    over = block.left == len(left) or block.right == len(right)
    return Difference(
        "length" if over else "operations",
        block.left,
        left[block.left] if block.left < len(left) else None,
        right[block.right] if block.right < len(right) else None,
        more_left=block.left_end - block.left,
        more_right=block.right_end - block.right,
    )


def _earlier(values: Difference | None, operations: Difference | None) -> Difference | None:
    if values is None or operations is None:
        return values or operations
    return values if values.index < operations.index else operations


def apart(left: str, right: str) -> float | None:
    """The greatest difference among sampled values, relative to the greater magnitude; None where there is nothing to compare."""
    try:
        ones, others = [float(text) for text in left.split()], [float(text) for text in right.split()]
    except ValueError:
        return None
    if not ones or len(ones) != len(others):
        return None
    return max(map(_relative, ones, others))


def _relative(one: float, other: float) -> float:
    if one == other or (math.isnan(one) and math.isnan(other)):
        return 0.0
    if not (math.isfinite(one) and math.isfinite(other)):
        return 1.0
    return abs(one - other) / max(abs(one), abs(other))


def as_text(found: Sequence[StreamDifference], left: str, right: str) -> str:
    """The differences for people; `left` and `right` are the names of the two records."""
    parted = [each for each in found if each.first is not None]
    if not parted:
        total = sum(each.aligned for each in found)
        return (
            f"no difference: {total:,} operations in {len(found)} stream{'s' if len(found) != 1 else ''} are the same\n"
        )
    return "\n".join(_paragraph(each, left, right) for each in parted)


_KINDS = {
    "values": "other values",
    "rounding": "other values, apart by rounding",
    "operations": "other operations",
    "length": "one side ends",
    "stream": "only one side has this stream",
}


def _paragraph(each: StreamDifference, left: str, right: str) -> str:
    first = each.first
    assert first is not None
    lines = [f"{each.name}: {_KINDS[first.kind]}{f', at operation {first.index:,}' if first.kind != 'stream' else ''}"]
    lines += _sides(first, left, right)
    later = each.first_values
    if later is not None and later is not first:
        lines.append(f"  first {_KINDS[later.kind]}, at operation {later.index:,}")
        lines += _sides(later, left, right)
    counts = f"  {each.aligned:,} operations on both sides, {each.unequal:,} with other values, {each.moved:,} on another line"
    lines.append(f"{counts}; {each.left_only:,} only in {left}, {each.right_only:,} only in {right}")
    return "\n".join(lines) + "\n"


def _sides(shown: Difference, left: str, right: str) -> list[str]:
    width = max(len(left), len(right))
    lines = []
    for name, event, more in ((left, shown.left, shown.more_left), (right, shown.right, shown.more_right)):
        extra = f" and {more - 1:,} more that the other side has not" if more > 1 else ""
        lines.append(f"    {name:<{width}}  {_event(event)}{extra}")
    if shown.apart is not None:
        said = f"{shown.apart:.1e} apart" if shown.apart else "equal"
        lines.append(f"    the sampled values are {said}")
    return lines


def _event(event: Event | None) -> str:
    if event is None:
        return "(nothing)"
    forward = f", backward of {event.forward}" if event.forward else ""
    return f"{event.name} at {event.place or '?'}{forward}"


def as_document(found: Sequence[StreamDifference]) -> dict[str, Any]:
    """The differences as values for JSON."""
    return {"schema": 1, "equal": all(each.first is None for each in found), "streams": [_row(each) for each in found]}


def _row(each: StreamDifference) -> dict[str, Any]:
    names = ("aligned", "unequal", "moved", "left_only", "right_only")
    counts = {name: getattr(each, name) for name in names}
    return {"stream": each.name, "first": _cell(each.first), "first_values": _cell(each.first_values), **counts}


def _cell(shown: Difference | None) -> dict[str, Any] | None:
    if shown is None:
        return None
    sides = {
        side: None if event is None else {"op": event.name, "line": event.place, "fwd": event.forward or None}
        for side, event in (("left", shown.left), ("right", shown.right))
    }
    return {"kind": shown.kind, "index": shown.index, "apart": shown.apart, **sides}

"""Numbers that repeat within one run: workers of one loader that got the same draws."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations, pairwise

from torchdet_lint.verify.record import Event, Stream

_MOST_WORKERS = 256
"""Seeds of one loader's workers are consecutive (`torch/utils/data/_utils/worker.py`: `base_seed + worker_id`)."""

_DRAWS = ("RNG", "RNGNP", "RNGPY")


Line = tuple[str, int]

_BELOW = 10
"""Lines below a draw within which an operation is taken to work with what was drawn."""

_RUN, _KINDS = 4, 3
"""So many whole numbers in a row, and so many different ones among them, are no coincidence."""


def repeated(streams: Mapping[str, Stream], draws: Collection[Line] = ()) -> frozenset[str]:
    """Places at which two workers of one loader got the same changing values, call by call. Workers see different items, so what
    agrees does not come from the data; constants do not change and do not count. Whole numbers count just below lines that are
    known to draw.
    """
    workers = [(seed, stream) for stream in streams.values() if (seed := _seed(stream)) is not None]
    found: set[str] = set()
    for (one, left), (other, right) in combinations(workers, 2):
        if 0 < abs(one - other) < _MOST_WORKERS:
            found.update(_same(left, right, draws))
    return frozenset(found)


def _seed(stream: Stream) -> int | None:
    """What a worker seeded torch with when it started."""
    if "/worker" not in stream.name:
        return None
    first = next((event for event in stream.events if event.name == "torch.manual_seed"), None)
    return int(first.values) if first is not None and first.values.isdecimal() else None


def _same(left: Stream, right: Stream, draws: Collection[Line]) -> Iterator[str]:
    ones, others = _values(left), _values(right)
    for key in ones.keys() & others.keys():
        size = min(len(ones[key]), len(others[key]))
        one, other = ones[key][:size], others[key][:size]
        if [event.digest for event in one] != [event.digest for event in other]:
            continue
        fractions = all(event.kind in _DRAWS or "." in event.values for event in one)
        if _change(one) if fractions else _look_drawn(one) and _is_below(key[1], draws):
            yield key[1]


def _values(stream: Stream) -> dict[tuple[str, str], list[Event]]:
    """Draws and tensors, by operation and place, in order."""
    found: dict[tuple[str, str], list[Event]] = defaultdict(list)
    for event in stream.events:
        if event.kind in _DRAWS or (event.kind in ("EXT", "OP") and event.values and event.place):
            found[event.name, event.place].append(event)
    return found


def _change(events: Sequence[Event]) -> bool:
    return len({event.digest for event in events}) > 1


def _look_drawn(events: Sequence[Event]) -> bool:
    """Whether whole numbers are neither few, nor count up or down. Labels may repeat by themselves: they do when batches are as
    long as there are classes.
    """
    if len(events) < _RUN or len({event.digest for event in events}) < _KINDS:
        return False
    numbers = [float(event.values.split()[0]) for event in events]
    return len({after - before for before, after in pairwise(numbers)}) > 1


def _is_below(place: str, draws: Collection[Line]) -> bool:
    path, line, _ = place.rsplit(":", 2)
    return any(path == file and 0 <= int(line) - at <= _BELOW for file, at in draws)

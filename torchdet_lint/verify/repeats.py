"""Numbers that repeat within one run: workers of one loader that got the same draws."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import combinations

from torchdet_lint.verify.record import Stream

_MOST_WORKERS = 256
"""Seeds of one loader's workers are consecutive (`torch/utils/data/_utils/worker.py`: `base_seed + worker_id`)."""

_DRAWS = ("RNG", "RNGNP", "RNGPY")


def repeated(streams: Mapping[str, Stream]) -> frozenset[str]:
    """Places at which two workers of one loader got the same changing values, call by call. Workers see different items, so what
    agrees does not come from the data; constants do not change and do not count.
    """
    workers = [(seed, stream) for stream in streams.values() if (seed := _seed(stream)) is not None]
    found: set[str] = set()
    for (one, left), (other, right) in combinations(workers, 2):
        if 0 < abs(one - other) < _MOST_WORKERS:
            found.update(_same(left, right))
    return frozenset(found)


def _seed(stream: Stream) -> int | None:
    """What a worker seeded torch with when it started."""
    if "/worker" not in stream.name:
        return None
    first = next((event for event in stream.events if event.name == "torch.manual_seed"), None)
    return int(first.values) if first is not None and first.values.isdecimal() else None


def _same(left: Stream, right: Stream) -> Iterator[str]:
    ones, others = _values(left), _values(right)
    for place in ones.keys() & others.keys():
        size = min(len(ones[place]), len(others[place]))
        if size > 1 and ones[place][:size] == others[place][:size] and len(set(ones[place][:size])) > 1:
            yield place[1]


def _values(stream: Stream) -> dict[tuple[str, str], list[str]]:
    """Digests of draws and of tensors of fractions, by operation and place, in order. Whole numbers may repeat by themselves:
    labels do, when batches are as long as there are classes.
    """
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for event in stream.events:
        if event.kind in _DRAWS or (event.kind in ("EXT", "OP") and "." in event.values and event.place):
            found[event.name, event.place].append(event.digest)
    return found

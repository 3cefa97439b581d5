"""Random numbers that repeat although they should not, as one record shows it: seeds set again, orders drawn again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from torchdet_lint.verify.record import Record, Stream

_DRAWS = ("RNG", "RNGPY", "RNGNP")

_ORDERS = ("randperm", "multinomial")
"""Operations that samplers draw an order with."""

_CALLS = {"torch.manual_seed": "RNG", "numpy.random.seed": "RNGNP", "random.seed": "RNGPY"}
"""What draws from the generator that a call seeds."""


def reseeded(record: Record) -> Iterator[tuple[str, int]]:
    """Places at which a generator was set to the same seed again after something had drawn from it, and how often. Ranks and
    workers that seed alike are counted apart.
    """
    yield from _most(map(_seedings, record.streams.values()))


def _seedings(stream: Stream) -> Counter[tuple[str, ...]]:
    counts: Counter[tuple[str, ...]] = Counter()
    drawn: set[str] = set()
    for event in stream.events:
        if event.kind in _DRAWS:
            drawn.add(event.kind)
        elif event.kind == "SEED" and event.place and (kind := _CALLS.get(event.name)):
            key = (
                event.place,
                event.name,
                event.digest,
            )  # a library's function seeds all families on one line of yours
            if not counts[key] or kind in drawn:
                counts[key] += 1
            drawn.discard(kind)
    return counts


def same_orders(record: Record) -> Iterator[tuple[str, int]]:
    """Places at which an order was drawn from the same state of a generator again, and how often: each epoch has the same one.
    That every rank draws the same one is what samplers of ranks do.
    """
    yield from _most(_orders(stream) for stream in record.streams.values() if stream.main)


def _orders(stream: Stream) -> Counter[tuple[str, ...]]:
    return Counter(
        (event.place, event.name, event.digest)
        for event in stream.events
        if event.kind == "RNG" and event.place and any(order in event.name for order in _ORDERS)
    )


def _most(counted: Iterable[Counter[tuple[str, ...]]]) -> Iterator[tuple[str, int]]:
    """The places that were counted more than once in one stream, with the highest of their counts."""
    found: dict[str, int] = {}
    for counts in counted:
        for (place, *_), count in counts.items():
            found[place] = max(count, found.get(place, 0))
    return ((place, count) for place, count in found.items() if count > 1)


def never_seeded(record: Record) -> Iterator[tuple[str, int]]:
    """Places that drew from a `torch.Generator` that nobody has seeded: it starts with the same constant everywhere."""
    for draw in record.ledger.draws:
        if draw.generator == "torch.Generator" and draw.place:
            yield draw.place, draw.times

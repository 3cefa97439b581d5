"""Random numbers that repeat although they should not, as one record shows it: seeds set again, orders drawn again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from torchdet_lint.verify.record import Record

_DRAWS = ("RNG", "RNGPY", "RNGNP")

_ORDERS = ("randperm", "multinomial")
"""Operations that samplers draw an order with."""

_CALLS = {"torch.manual_seed": "RNG", "numpy.random.seed": "RNGNP", "random.seed": "RNGPY"}
"""What draws from the generator that a call seeds."""


def reseeded(record: Record) -> Iterator[tuple[str, int]]:
    """Places at which a generator was set to the same seed again after something had drawn from it, and how often."""
    counts: Counter[tuple[str, str]] = Counter()
    for stream in record.streams.values():
        drawn: set[str] = set()
        for event in stream.events:
            if event.kind in _DRAWS:
                drawn.add(event.kind)
            elif event.kind == "SEED" and event.place and (kind := _CALLS.get(event.name)):
                key = (event.place, event.digest)
                if not counts[key] or kind in drawn:
                    counts[key] += 1
                drawn.discard(kind)
    for (place, _), count in counts.items():
        if count > 1:
            yield place, count


def same_orders(record: Record) -> Iterator[tuple[str, int]]:
    """Places at which an order was drawn from the same state of a generator again, and how often: each epoch has the same one."""
    counts = Counter(
        (event.place, event.name, event.digest)
        for stream in record.streams.values()
        if stream.main
        for event in stream.events
        if event.kind == "RNG" and event.place and any(order in event.name for order in _ORDERS)
    )
    for (place, _, _), count in counts.items():
        if count > 1:
            yield place, count


def never_seeded(record: Record) -> Iterator[tuple[str, int]]:
    """Places that drew from a `torch.Generator` that nobody has seeded: it starts with the same constant everywhere."""
    for draw in record.ledger.draws:
        if draw.generator == "torch.Generator" and draw.place:
            yield draw.place, draw.times

"""What repeats within one record."""

from __future__ import annotations

import pytest

from tests.verify.conftest import event, record, stream
from torchdet_lint.verify.frozen import reseeded, same_orders
from torchdet_lint.verify.record import Event

SEEDED = event("SEED", "7", "t.py:4:main", "torch.manual_seed")
DRAW = event("RNG", "d", "t.py:5:main", "aten.randn")
ORDERS = [event("RNG", state, "t.py:9:main", "aten.randperm") for state in "ab"]


@pytest.mark.parametrize(
    ("events", "found"),
    [
        ([SEEDED, DRAW, SEEDED, DRAW], [("t.py:4:main", 2)]),
        ([SEEDED, DRAW], []),
        ([SEEDED, SEEDED, DRAW], []),  # nothing drew between
        ([DRAW, SEEDED, DRAW], []),
    ],
)
def test_seeds_set_again(events: list[Event], found: list[tuple[str, int]]) -> None:
    assert list(reseeded(record(stream("rank0", *events)))) == found
    ranks = record(stream("rank0", *events), stream("rank1", *events))
    assert list(reseeded(ranks)) == found, "each rank for itself"


@pytest.mark.parametrize(
    ("events", "found"),
    [([ORDERS[0]] * 3, [("t.py:9:main", 3)]), ([ORDERS[0], ORDERS[1]], []), ([ORDERS[0], DRAW, DRAW], [])],
)
def test_orders_drawn_again(events: list[Event], found: list[tuple[str, int]]) -> None:
    assert list(same_orders(record(stream("rank0", *events)))) == found
    ranks = record(stream("rank0", *events), stream("rank1", *events))
    assert list(same_orders(ranks)) == found, "all ranks draw the order of an epoch alike"

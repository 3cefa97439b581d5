"""Workers that got the same numbers."""

from __future__ import annotations

import pytest

from tests.verify.conftest import event, stream
from torchdet_lint.verify.record import Stream
from torchdet_lint.verify.repeats import repeated

NOISE = "data.py:9:D.__getitem__"


def worker(number: int, seed: int, *digests: str) -> Stream:
    seeding = event("SEED", "s", "", "torch.manual_seed", values=str(seed))
    draws = [event("EXT", digest, NOISE, "input", values="0.25 7") for digest in digests]
    labels = [event("EXT", str(digit), "data.py:6:D.__getitem__", "input", values=str(digit)) for digit in range(3)]
    constant = [event("OP", "c", "data.py:8:D.__getitem__", "aten.zeros")] * 3
    data = [event("OP", f"{number}{digest}", "data.py:7:D.__getitem__", "aten.add", values="0.5") for digest in digests]
    return stream(f"rank0/worker{number}", seeding, *draws, *labels, *constant, *data)


@pytest.mark.parametrize(
    ("left", "right", "found"),
    [
        (worker(1, 70, "a", "b"), worker(2, 71, "a", "b", "c"), {NOISE}),
        (worker(1, 70, "a", "b"), worker(2, 71, "a", "c"), set()),
        (worker(1, 70, "a", "a"), worker(2, 71, "a", "a"), set()),  # a constant
        (worker(1, 70, "a"), worker(2, 71, "a"), set()),  # too few to tell
        (worker(1, 70, "a", "b"), worker(3, 9_000_000, "a", "b"), set()),  # another epoch's worker
    ],
)
def test_repeats(left: Stream, right: Stream, found: set[str]) -> None:
    assert repeated({left.name: left, right.name: right}) == found


def drawing(number: int, numbers: list[float]) -> Stream:
    seeding = event("SEED", "s", "", "torch.manual_seed", values=str(70 + number))
    turned = [event("OP", f"d{each}", "data.py:13:Rotate.__call__", "aten.add", values=f"{each:g}") for each in numbers]
    return stream(f"rank0/worker{number}", seeding, *turned)


@pytest.mark.parametrize(
    ("numbers", "draw", "counts"),
    [
        ([-23, -24, -23, -22], 12, True),
        ([-23, -24, -23, -22], 14, False),  # the operation stands above the draw
        ([-23, -24, -23, -22], 1, False),  # far below it
        ([-23, -24, -23], 12, False),  # few
        ([0, 1, 0, 1, 1], 12, False),  # of two kinds
        ([0, 1, 2, 3, 4], 12, False),  # counted
    ],
)
def test_whole_numbers_count_below_a_draw(numbers: list[float], draw: int, counts: bool) -> None:
    streams = {one.name: one for one in (drawing(1, numbers), drawing(2, numbers))}
    assert bool(repeated(streams, [("data.py", draw)])) is counts
    assert not repeated(streams)

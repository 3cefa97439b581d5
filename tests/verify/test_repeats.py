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

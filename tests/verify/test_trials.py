"""What trials make of the records of their runs, without any program."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.verify.conftest import event, record, run_of, stream
from torchdet_lint.verify.factors import Setting
from torchdet_lint.verify.record import Event, Ledger, Record
from torchdet_lint.verify.running import Run
from torchdet_lint.verify.trials import Tried, Wanted, tried


def effects(values: Sequence[int], *, stepped: bool) -> list[Event]:
    """An operation for each step, which another number sets apart, and the steps."""
    found = [event("OP", "0", "t.py:1:<module>", "aten.empty")]
    for number, value in enumerate(values, 1):
        found.append(event("OP", str(value), "t.py:5:<module>", "aten.randn"))
        if stepped:
            found.append(event("STEP", str(number), "t.py:6:<module>", "SGD", values=str(value)))
    return found


def record_of(values: Sequence[int], saves: int, *, stepped: bool = True, saved_at: int = 0) -> Record:
    facts = {"torch": "2.13.0", "saves": saves, **({"saved-at": saved_at} if saved_at else {})}
    return record(stream("rank0", *effects(values, stepped=stepped)), ledger=Ledger(facts=facts))


def resume(base: Record, rest: Record) -> Tried:
    def run(setting: Setting) -> Run:
        assert setting.more == ("--twice",)
        assert not setting.goes_on
        return run_of(setting, rest)

    (found,) = tried(run, base, Wanted(resume=("--twice",)), residual=False)
    return found


@pytest.mark.parametrize(
    ("values", "saves", "stepped", "holds"),
    [
        ([1, 2, 3, 4], 2, True, True),
        ([1, 2, 1, 2], 2, True, False),  # it draws anew what it has drawn before
        ([1, 2, 3, 4], 2, False, True),
        ([1, 2, 1, 2], 2, False, False),
        ([1, 2, 1, 2], 1, True, None),  # these arguments make it save no more often
        ([1, 2], 2, True, None),  # it does less
    ],
)
def test_a_program_that_stops_and_resumes_by_itself(
    values: list[int], saves: int, stepped: bool, holds: bool | None
) -> None:
    base = record_of([1, 2, 3, 4], 1, stepped=stepped, saved_at=4 if stepped else 0)
    found = resume(base, record_of(values, saves, stepped=stepped))
    assert found.holds is holds, found.detail
    assert (found.divergence is not None) is (holds is False)


@pytest.mark.parametrize("rank", ["rank0", "rank1"])
def test_every_rank_should_go_on(rank: str) -> None:
    def ranks(values: dict[str, list[int]], saved_at: int = 0) -> Record:
        facts = {"torch": "2.13.0", "saves": 1, **({"saved-at": saved_at} if saved_at else {})}
        streams = (stream(name, *effects(numbers, stepped=True)) for name, numbers in values.items())
        return record(*streams, ledger=Ledger(facts=facts))

    base = ranks({"rank0": [1, 2, 3, 4], "rank1": [1, 2, 3, 4]}, saved_at=2)
    rest = ranks({"rank0": [3, 4], "rank1": [3, 4], rank: [3, 9]})

    def run(setting: Setting) -> Run:
        return run_of(setting, rest)

    (found,) = tried(run, base, Wanted(resume=("--resume",)), residual=False)
    assert found.holds is False
    assert found.divergence is not None
    assert (found.divergence.stream, found.divergence.step) == (rank, 3)

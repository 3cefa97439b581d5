"""The first difference of two records."""

from __future__ import annotations

import pytest

from tests.verify.conftest import event, record, stream
from torchdet_lint.verify.compare import compare
from torchdet_lint.verify.record import Event, Record


def test_equal_runs() -> None:
    one = record(stream("rank0", event("OP"), event("BW"), event("STEP")))
    assert not compare(one, one).differ


def test_sources_are_no_difference() -> None:
    left = record(stream("rank0", event("TIME", "1"), event("OP")))
    right = record(stream("rank0", event("TIME", "2"), event("OP")))
    assert not compare(left, right).differ


def test_first_unequal_effect_with_its_sources() -> None:
    def run(clock: str, seed: str, draw: str) -> object:
        return record(
            stream(
                "rank0",
                event("OP"),
                event("STEP"),
                event("TIME", clock, "train.py:4:f"),
                event("SEED", seed, "train.py:5:f"),
                event("OP", draw, "train.py:6:f", values=f"1 {draw}"),
                event("PID", draw, "train.py:9:f"),
            )
        )

    first = compare(run("1", "7", "2"), run("2", "8", "4")).first  # type: ignore[arg-type]
    assert first is not None
    assert (first.place, first.index, first.step, first.kind) == ("train.py:6:f", 2, 1, "values")
    assert [source.kind for source in first.sources] == ["TIME", "SEED"]
    assert first.apart == 0.5


def test_a_backward_operation_is_placed_at_its_forward_line() -> None:
    left = record(stream("rank0", event("BW", "1", "train.py:9:f", forward="net.py:3:g")))
    right = record(stream("rank0", event("BW", "2", "train.py:9:f", forward="net.py:3:g")))
    first = compare(left, right).first
    assert first is not None
    assert first.place == "net.py:3:g"


@pytest.mark.parametrize(("end", "differ"), [("exit", True), ("seconds", False), ("", False)])
def test_unequal_lengths_count_where_nothing_cut_them(end: str, differ: bool) -> None:
    left = record(stream("rank0", event("OP"), event("OP"), end=end))
    right = record(stream("rank0", event("OP"), end=end))
    comparison = compare(left, right)
    assert comparison.differ is differ
    if comparison.first is not None:
        assert comparison.first.kind == "length"


def test_workers_are_compared_as_far_as_both_went() -> None:
    main = stream("rank0", event("OP"))
    left = record(main, stream("rank0/worker1", event("OP"), event("OP")))
    right = record(main, stream("rank0/worker1", event("OP")), stream("rank0/worker2", event("OP")))
    assert not compare(left, right).differ


def test_the_earliest_stream_comes_first_and_finds_sources_of_others() -> None:
    def run(draw: str) -> object:
        return record(
            stream("rank0", event("EXT", draw, "train.py:20:f"), start=100),
            stream("rank0/worker1", event("ENT", draw, "data.py:3:f"), event("OP", draw, "data.py:4:f"), start=10),
        )

    comparison = compare(run("1"), run("2"))  # type: ignore[arg-type]
    assert [one.stream for one in comparison.divergences] == ["rank0/worker1", "rank0"]
    assert [source.place for source in comparison.divergences[1].sources] == ["data.py:3:f"]


def test_a_difference_that_does_not_last() -> None:
    left = record(stream("rank0", event("OP", "1"), *[event("OP", "5")] * 20))
    right = record(stream("rank0", event("OP", "2"), *[event("OP", "5")] * 20))
    first = compare(left, right).first
    assert first is not None
    assert not first.lasting


@pytest.mark.parametrize(("name", "lasts"), [("aten._local_scalar_dense", True), ("aten.add.Tensor", False)])
def test_a_number_that_is_read_out_lasts(name: str, lasts: bool) -> None:
    runs = [
        record(stream("rank0", event("OP", each), event("OP", each, name=name), *[event("OP", "5")] * 20))
        for each in "12"
    ]
    first = compare(runs[0], runs[1]).first
    assert first is not None
    assert first.lasting is lasts


def test_not_a_number_against_a_number_is_far_apart() -> None:
    left = record(stream("rank0", event("OP", "1", values="nan 1")))
    right = record(stream("rank0", event("OP", "2", values="0 1")))
    first = compare(left, right).first
    assert first is not None
    assert first.apart == 1


def drawn(digest: str) -> tuple[Event, ...]:
    """Initial weights: numbers that are drawn into a tensor, and moved to where they should lie."""
    source = event("RNG", digest, "net.py:3:f", "aten.normal_")
    return (
        source,
        event("OP", digest, "net.py:3:f", "aten.normal_"),
        event("OP", digest, "net.py:3:f", "aten.mul_.Tensor"),
    )


LOADED = event("OP", "7", "net.py:9:f", "aten.copy_")


@pytest.mark.parametrize(
    ("between", "after", "differ"),
    [
        ([], [LOADED, LOADED, event("OP", "5", "net.py:12:f")], False),
        ([], [LOADED, event("OP", "5", "net.py:12:f")], False),  # one tensor that was drawn twice
        ([], [], True),  # who knows who gets the weights
        (["aten.mean"], [LOADED, LOADED], True),  # they are read before
        ([], [LOADED, LOADED, "aten.sum"], True),
        ([], [LOADED, LOADED, "aten.add_.Tensor"], True),  # what differs in the end is no initial weight
    ],
)
def test_initial_weights_that_are_loaded_over_are_no_difference(
    between: list[str], after: list[Event | str], differ: bool
) -> None:
    def run(digest: str) -> Record:
        def made(what: Event | str) -> Event:
            return what if isinstance(what, Event) else event("OP", digest, "net.py:20:f", what)

        first = [*drawn(digest), *drawn(digest + "2")]
        return record(stream("rank0", event("OP"), *first, *map(made, between), *map(made, after)))

    assert compare(run("1"), run("3")).differ is differ


def test_many_draws_and_few_copies_are_a_difference() -> None:
    def run(digest: str) -> Record:
        return record(stream("rank0", *drawn(digest) * 7, LOADED, LOADED))

    assert compare(run("1"), run("3")).differ

"""Streams of two records laid beside each other."""

from __future__ import annotations

import time
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torchdet_lint.verify.align import Block, align
from torchdet_lint.verify.difference import apart, as_document, as_text, difference, differences


class Event(NamedTuple):
    kind: str = "OP"
    name: str = "aten.add"
    place: str = "train.py:3:main"
    digest: str = "d"
    forward: str = ""
    values: str = ""


def ops(text: str, *, line: int = 1, **more: str) -> list[Event]:
    """One operation for each letter, each on its own line."""
    return [Event(name=letter, place=f"train.py:{line + at}:main", **more) for at, letter in enumerate(text)]


def other_blocks(left: str, right: str) -> list[tuple[str, str]]:
    return [(left[b.left : b.left_end], right[b.right : b.right_end]) for b in align(left, right) if not b.same]


@pytest.mark.parametrize(
    ("left", "right", "own"),
    [
        ("abcdefgh", "abcdefgh", []),
        ("abcdefgh", "abcXdefgh", [("", "X")]),
        ("abcXYdefgh", "abcdefgh", [("XY", "")]),
        ("abcXdefgh", "abcYZdefgh", [("X", "YZ")]),
        ("abcabcabcabc", "abcabcXabcabc", [("", "X")]),
        ("abcdefabcdef", "abcdef", [("abcdef", "")]),
        ("", "abc", [("", "abc")]),
        ("abc", "", [("abc", "")]),
        ("abc", "xyz", [("abc", "xyz")]),
        ("aXbXcXd", "aYbYcYd", [("X", "Y"), ("X", "Y"), ("X", "Y")]),
        ("fwdbwdstep" * 4, "fwddropbwdstep" * 4, [("", "drop")] * 4),
    ],
)
def test_what_only_one_side_has(left: str, right: str, own: list[tuple[str, str]]) -> None:
    assert [(len(a), len(b)) for a, b in other_blocks(left, right)] == [(len(a), len(b)) for a, b in own]


@settings(max_examples=200, deadline=None)
@given(st.text("abc", max_size=40), st.text("abc", max_size=40))
def test_blocks_cover_both_sides_and_say_the_truth(left: str, right: str) -> None:
    i = j = 0
    for block in align(left, right):
        assert (block.left, block.right) == (i, j)
        assert block.left_end > i or block.right_end > j
        if block.same:
            assert left[i : block.left_end] == right[j : block.right_end]
        i, j = block.left_end, block.right_end
    assert (i, j) == (len(left), len(right))


def test_equal_sequences_are_one_block() -> None:
    assert align("abc", "abc") == [Block(True, 0, 3, 0, 3)]


def test_time_grows_with_length() -> None:
    def seconds(count: int) -> float:
        left = list(range(20)) * count
        right = [*left[:50], "x", *left[50 : len(left) // 2], *left[len(left) // 2 + 7 :]]
        start = time.process_time()
        align(left, right)
        return time.process_time() - start

    small = min(seconds(500) for _ in range(3))
    assert seconds(5000) < 40 * small + 0.5


def test_never_together_again_is_not_quadratic() -> None:
    start = time.process_time()
    assert align(range(20_000), range(20_000, 40_000)) == [Block(False, 0, 20_000, 0, 20_000)]
    assert time.process_time() - start < 5


def test_other_values() -> None:
    left, right = ops("abcdef", values="1.0 2.0"), ops("abcdef", values="1.0 2.0")
    right[3] = right[3]._replace(digest="e", values="1.0 2.5")
    found = difference("rank0", left, right)
    assert found.first is not None
    assert (found.first.kind, found.first.index, found.first.apart) == ("values", 3, 0.2)
    assert (found.aligned, found.unequal, found.moved) == (6, 1, 0)


def test_rounding_is_told_from_other_values() -> None:
    one, other = Event(digest="1", values="1.0 3.0"), Event(digest="2", values="1.0 3.0000001")
    found = difference("rank0", [one], [other])
    assert found.first is not None
    assert found.first.kind == "rounding"
    assert difference("rank0", [one], [other._replace(values="1.0 3.0")]).first.kind == "values"  # type: ignore[union-attr]


def test_lines_that_have_moved_are_no_difference() -> None:
    found = difference("rank0", ops("abcdef"), ops("abcdef", line=40))
    assert (found.first, found.moved) == (None, 6)


def test_operations_that_one_side_has_more_come_with_values_behind_them() -> None:
    left, right = ops("abcdefghij"), ops("abcXXdefghij")
    right[9] = right[9]._replace(digest="e")
    found = difference("rank0", left, right)
    assert found.first is not None
    assert found.first_values is not None
    assert (found.first.kind, found.first.index, found.first.more_right) == ("operations", 3, 2)
    assert (found.first_values.kind, found.first_values.index) == ("values", 7)
    assert (found.left_only, found.right_only, found.aligned) == (0, 2, 10)


def test_one_side_ends() -> None:
    found = difference("rank0", ops("abcdef"), ops("abc"))
    assert found.first is not None
    assert (found.first.kind, found.first.index, found.first.right) == ("length", 3, None)


def test_streams_that_one_side_lacks() -> None:
    found = differences({"rank0": ops("ab")}, {"rank0": ops("ab"), "rank1": ops("c")})
    assert [(each.name, each.first.kind if each.first else "") for each in found] == [
        ("rank0", ""),
        ("rank1", "stream"),
    ]


def test_distances() -> None:
    assert apart("1 2", "1 2") == 0.0
    assert apart("nan", "nan") == 0.0
    assert apart("inf", "1") == 1.0
    assert apart("", "") is None
    assert apart("1", "1 2") is None
    assert apart("x", "1") is None


def test_words() -> None:
    left, right = ops("abcdef", values="1.0"), ops("abXcdef", values="1.0")
    right[4] = right[4]._replace(digest="e", values="1.5", forward="train.py:9:forward")
    assert as_text(differences({"rank0": left}, {"rank0": right}), "old", "new") == (
        "rank0: other operations, at operation 2\n"
        "    old  c at train.py:3:main\n"
        "    new  X at train.py:3:main\n"
        "  first other values, at operation 3\n"
        "    old  d at train.py:4:main\n"
        "    new  d at train.py:5:main, backward of train.py:9:forward\n"
        "    the sampled values are 3.3e-01 apart\n"
        "  6 operations on both sides, 1 with other values, 4 on another line; 0 only in old, 1 only in new\n"
    )
    same = differences({"rank0": left}, {"rank0": left})
    assert as_text(same, "old", "new") == "no difference: 6 operations in 1 stream are the same\n"
    assert as_document(same)["equal"] is True
    assert as_document(differences({"a": left}, {"a": right}))["streams"][0]["first"]["left"]["op"] == "c"

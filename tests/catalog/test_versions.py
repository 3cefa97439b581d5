from __future__ import annotations

import pytest

from torchdet_lint.catalog.errors import VersionError
from torchdet_lint.catalog.versions import (
    ANY,
    NEWEST_TORCH,
    Interval,
    exactly,
    parse_interval,
    parse_requirement,
    parse_version,
    series,
)


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("2.3.1+cu118", (2, 3, 1)),
        ("2.10", (2, 10)),
        ("2.0.0", (2,)),
        ("v1.9", (1, 9)),
        ("2.4.0a0+git1234", (2, 4)),
        ("1.9.0rc1", (1, 9)),
        (" 1.8.2.post3 ", (1, 8, 2)),
    ],
)
def test_versions(text: str, version: tuple[int, ...]) -> None:
    assert parse_version(text) == version


@pytest.mark.parametrize("text", ["", "new", "cu118"])
def test_no_versions(text: str) -> None:
    with pytest.raises(VersionError, match="is no version"):
        parse_version(text)


def test_versions_are_ordered() -> None:
    texts = ["1.4", "1.8", "1.8.1", "1.8.10", "1.9.0", "1.13", "2", "2.0.1", "2.9", "2.10", NEWEST_TORCH]
    assert sorted(texts, key=parse_version) == texts


@pytest.mark.parametrize(
    ("version", "spec", "expected"),
    [
        ("1.9.0", ">=1.9", True),
        ("1.8.1", ">=1.9", False),
        ("2.0", ">=1.9,<2.0", False),
        ("1.13.1", "torch>=1.9,<2.0", True),
        ("2.3.1+cu118", "<=2.3.1", True),
        ("2.3.1", ">2.3.1", False),
        ("2.3.2", ">2.3.1", True),
        ("2.3.1", "!=2.3.1", False),
        ("2.3.1", "==2.3.*", True),
        ("2.4", "==2.3.*", False),
        ("2.9", "~=2.3", True),
        ("2.4", "~=2.3.1", False),
        ("2.4", "", True),
        ("2.4", "torch", True),
    ],
)
def test_satisfies(version: str, spec: str, expected: bool) -> None:
    assert exactly(parse_version(version)).newest_satisfies(spec) is expected


@pytest.mark.parametrize("spec", [">=", ">=x", "1.9 or 2.0", "=>1.9", "torch two"])
def test_conditions_that_cannot_be_read(spec: str) -> None:
    with pytest.raises(VersionError, match="no version condition"):
        ANY.newest_satisfies(spec)


@pytest.mark.parametrize(
    ("line", "name", "low", "high"),
    [
        ("torch==1.8.0", "torch", ((1, 8), 0), ((1, 8), 1)),
        ("torch>=1.4,<1.9  # old", "torch", ((1, 4), 0), ((1, 9), 0)),
        ("Torch_Vision [all] >= 0.3 ; python_version < '3.9'", "torch-vision", ((0, 3), 0), None),
        ("torch (>=1.0,<=1.2)", "torch", ((1,), 0), ((1, 2), 1)),
        ("pytorch=1.8.0=py3.8_cuda11.1", "pytorch", ((1, 8), 0), ((1, 8, 1), 0)),
        ("pytorch=1.8", "pytorch", ((1, 8), 0), ((1, 9), 0)),
        ("torch>=1.9 <2", "torch", ((1, 9), 0), ((2,), 0)),
        ("torch==2.3.1+cu118", "torch", ((2, 3, 1), 0), ((2, 3, 1), 1)),
        ("torch", "torch", ((), 0), None),
        ("torch @ https://example.org/torch-2.0.whl", "torch", ((), 0), None),
    ],
)
def test_requirements(line: str, name: str, low: object, high: object) -> None:
    assert parse_requirement(line) == (name, (low, high))


@pytest.mark.parametrize(
    "line", ["", "# torch", "-r base.txt", "--index-url https://x", "torch>=", "./wheels/torch.whl"]
)
def test_lines_that_are_no_requirements(line: str) -> None:
    assert parse_requirement(line) is None


@pytest.mark.parametrize(
    ("condition", "inside", "outside"),
    [
        ("^1.8", ["1.8", "1.13"], ["1.7", "2.0"]),
        ("^0.3.1", ["0.3.1", "0.3.9"], ["0.4", "0.3"]),
        ("~1.8", ["1.8.5"], ["1.9"]),
        ("^1.8 || ^2.0", ["1.8", "1.13", "2.9"], ["3.0", "1.7"]),
        ("1.8.*", ["1.8.1"], ["1.9"]),
        ("*", ["0.1", "9"], []),
    ],
)
def test_conditions_of_poetry(condition: str, inside: list[str], outside: list[str]) -> None:
    interval = parse_interval(condition)
    assert all(interval.has(parse_version(text)) for text in inside)
    assert not any(interval.has(parse_version(text)) for text in outside)


def test_the_newest_version_decides() -> None:
    allowed = parse_interval(">=1.4,<1.9")
    assert allowed.newest_satisfies(">=1.8")
    assert not allowed.newest_satisfies("<1.8")
    assert not allowed.newest_satisfies(">=1.9")
    assert allowed.newest_satisfies("<1.9")


def test_an_open_bound_has_the_newest_of_all() -> None:
    assert parse_interval(">=1.4").newest_satisfies(">=1.9")
    assert not parse_interval(">=1.4").newest_satisfies(">=1.9,<2")


def test_one_version() -> None:
    pinned = exactly(parse_version("1.8.0"))
    for spec, expected in ((">=1.8", True), ("<1.8.1", True), ("<1.8", False), ("!=1.8", False), ("==1.8.0", True)):
        assert pinned.newest_satisfies(spec) is expected


def test_series() -> None:
    assert series("2.1").has((2, 1, 3))
    assert not series("2.1").has((2, 2))
    assert series("2.1.0") == exactly((2, 1))
    assert series("2").has((2, 13))


def test_union_and_intersection() -> None:
    old, new = parse_interval(">=1.4,<1.9"), parse_interval(">=2")
    assert (old & new).empty
    assert old | new == Interval(((1, 4), 0), None)
    assert ANY & old == old
    assert ANY | old == ANY

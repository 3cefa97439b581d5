"""Blobs that outlive a run: found again, dropped in time, and never wrong, whatever happens to their files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchdet_lint.cache import folder as folders
from torchdet_lint.cache.record import packed, unpacked
from torchdet_lint.cache.shelf import DAY, KEPT, Shelf

STAMP = b"s" * 16
KEYS = [bytes([index]) * 16 for index in range(200)]


def shelf(folder: Path, stamp: bytes = STAMP, day: int = 100) -> Shelf:
    return Shelf(str(folder / "cache"), "units", stamp, now=day * DAY)


def filled(folder: Path) -> None:
    first = shelf(folder)
    for key in KEYS:
        first.put(key, b"blob of " + key)
    first.flush()


def test_blobs_are_found_again(tmp_path: Path) -> None:
    filled(tmp_path)
    again = shelf(tmp_path)
    assert [again.get(key) for key in KEYS] == [b"blob of " + key for key in KEYS]
    assert again.get(b"?" * 15 + b"!") is None


def test_another_version_finds_nothing(tmp_path: Path) -> None:
    filled(tmp_path)
    assert shelf(tmp_path, stamp=b"t" * 16).get(KEYS[0]) is None


def test_without_a_folder_nothing_is_written_or_known() -> None:
    nowhere = Shelf(None, "units", b"")
    nowhere.put(KEYS[0], b"x")
    nowhere.flush()
    assert Shelf(None, "units", b"").get(KEYS[0]) is None


def test_what_nobody_asks_for_is_dropped(tmp_path: Path) -> None:
    filled(tmp_path)
    later = shelf(tmp_path, day=100 + KEPT - 1)
    assert later.get(KEYS[0]) is not None
    later.flush()
    latest = shelf(tmp_path, day=100 + KEPT + 1)
    latest.put(KEYS[64], b"new")  # of the same file as KEYS[0]
    latest.flush()
    found = shelf(tmp_path, day=100 + KEPT + 1)
    assert found.get(KEYS[0]) is not None
    assert found.get(KEYS[64]) == b"new"
    assert found.get(KEYS[128]) is None


def damages(data: bytes) -> dict[str, bytes]:
    return {
        "empty": b"",
        "cut": data[: len(data) // 2],
        "one bit": data[:-3] + bytes([data[-3] ^ 1]) + data[-2:],
        "other head": b"x" + data[1:],
        "text": b"not a cache\n" * 10,
    }


@pytest.mark.parametrize("damage", damages(b"0123456789"))
def test_a_damaged_file_is_as_good_as_none(tmp_path: Path, damage: str) -> None:
    filled(tmp_path)
    path = tmp_path / "cache" / "shelves" / "units-00"
    path.write_bytes(damages(path.read_bytes())[damage])
    again = shelf(tmp_path)
    assert again.get(KEYS[0]) is None
    assert again.get(KEYS[1]) == b"blob of " + KEYS[1]
    again.put(KEYS[0], b"mended")
    again.flush()
    assert shelf(tmp_path).get(KEYS[0]) == b"mended"


@given(st.binary(max_size=200))
def test_no_bytes_make_a_record_fail(data: bytes) -> None:
    assert unpacked(STAMP, data) is None
    whole = b"".join(packed(STAMP, (1, "x", {b"k": (2, b"blob")})))
    assert unpacked(STAMP, whole) == (1, "x", {b"k": (2, b"blob")})
    assert unpacked(STAMP, whole[:-1] + data[:1] + b"\0\0") is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_place_that_may_not_be_written_to_is_left(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        filled(tmp_path)
        assert shelf(tmp_path).get(KEYS[0]) is None
    finally:
        tmp_path.chmod(0o700)


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("in the way")
    filled(tmp_path)
    assert shelf(tmp_path).get(KEYS[0]) is None
    assert (tmp_path / "cache").read_text() == "in the way"


def test_two_runs_at_once_leave_a_whole_file(tmp_path: Path) -> None:
    one, two = shelf(tmp_path), shelf(tmp_path)
    one.put(KEYS[0], b"one")
    two.put(KEYS[64], b"two")
    one.flush()
    two.flush()
    found = shelf(tmp_path)
    assert found.get(KEYS[64]) == b"two"
    assert found.get(KEYS[0]) in (None, b"one")
    assert not [name for name in os.listdir(tmp_path / "cache" / "shelves") if name.endswith(".tmp")]


def test_the_folder_keeps_itself_out_of_repositories(tmp_path: Path) -> None:
    filled(tmp_path)
    assert (tmp_path / "cache" / ".gitignore").read_text() == "*\n"
    assert folders.is_cache(str(tmp_path / "cache"))


def test_removing_a_cache_leaves_what_others_put_there(tmp_path: Path) -> None:
    filled(tmp_path)
    (tmp_path / "cache" / "mine.txt").write_text("keep me")
    assert folders.remove(str(tmp_path / "cache")) > 0
    assert os.listdir(tmp_path / "cache") == ["mine.txt"]
    assert not folders.is_cache(str(tmp_path / "cache"))


def test_what_is_spilt_is_read_again(tmp_path: Path) -> None:
    one = shelf(tmp_path)
    one.put(KEYS[0], b"blob")
    one.spill()
    assert not one._parts
    assert one.get(KEYS[0]) == b"blob"
    nowhere = Shelf(None, "units", b"")
    nowhere.put(KEYS[0], b"blob")
    nowhere.spill()
    assert nowhere.get(KEYS[0]) == b"blob", "what has no folder cannot be read again"

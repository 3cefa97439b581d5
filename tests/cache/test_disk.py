"""What a run has looked at, and whether that is still so."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from torchdet_lint import disk

OLD = time.time() - 3600


def aged(path: Path, at: float = OLD) -> Path:
    os.utime(path, (at, at))
    return path


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with an old file, a folder, and a link to nothing."""
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "inner").mkdir()
    (tmp_path / "dangling").symlink_to("nowhere")
    for path in (tmp_path / "a.py", tmp_path / "inner", tmp_path):
        aged(path)
    return tmp_path


def look_at_all(place: Path) -> disk.Looks:
    with disk.Looks() as looks:
        assert disk.read(str(place / "a.py")) == b"x = 1\n"
        assert disk.names(str(place)) == ["a.py", "dangling", "inner"]
        assert disk.is_folder(str(place / "inner"))
        assert not disk.is_file(str(place / "inner"))
        assert disk.exists(str(place / "dangling"))
        assert not disk.is_file(str(place / "dangling"))
        assert not disk.exists(str(place / "pyproject.toml"))
        with pytest.raises(OSError):
            disk.read(str(place / "gone.py"))
    return looks


def rewrite_same_size(place: Path) -> None:
    (place / "a.py").write_text("x = 2\n")


CHANGES: dict[str, Callable[[Path], object]] = {
    "a file rewritten": rewrite_same_size,
    "a file deleted": lambda place: (place / "a.py").unlink(),
    "a file added": lambda place: (place / "b.py").write_text(""),
    "a file that was missing": lambda place: (place / "gone.py").write_text(""),
    "a configuration that was missing": lambda place: (place / "pyproject.toml").write_text(""),
    "a folder that became a file": lambda place: ((place / "inner").rmdir(), (place / "inner").write_text("")),
    "a link that leads somewhere now": lambda place: (place / "nowhere").write_text(""),
}


def test_nothing_has_changed(place: Path) -> None:
    looks = look_at_all(place)
    assert looks.complete
    assert disk.unchanged(looks.seen)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_every_change_is_seen(place: Path, change: Callable[[Path], object]) -> None:
    looks = look_at_all(place)
    change(place)
    assert not disk.unchanged(looks.seen)


def test_what_is_written_again_is_the_same(place: Path) -> None:
    """As after another branch was checked out, and this one again, or in a fresh clone."""
    looks = look_at_all(place)
    (place / "a.py").unlink()
    (place / "a.py").write_text("x = 1\n")
    assert disk.unchanged(looks.seen)


def test_caches_come_and_go(place: Path) -> None:
    looks = look_at_all(place)
    for name in ("__pycache__", ".mypy_cache", ".torchdet_lint_cache"):
        (place / name).mkdir()
    assert disk.unchanged(looks.seen)


def test_a_young_file_is_known_by_its_contents(tmp_path: Path) -> None:
    """Within one tick of the file system's clock a change leaves no trace in the time."""
    path = tmp_path / "a.py"
    path.write_text("x = 1\n")
    now = path.stat().st_mtime_ns
    with disk.Looks() as looks:
        disk.read(str(path))
    assert disk.unchanged(looks.seen)
    path.write_text("x = 2\n")
    os.utime(path, ns=(now, now))
    assert not disk.unchanged(looks.seen)


def test_what_is_written_in_place_with_the_same_size_and_time_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `cp -p` and `rsync --inplace` do it, where all files have one date."""
    monkeypatch.setattr(disk, "YOUNG", 0)
    path = tmp_path / "a.py"
    path.write_text("x = 1\n")
    aged(path, 1e9)
    time.sleep(0.05)
    with disk.Looks() as looks:
        disk.read(str(path))
    assert disk.unchanged(looks.seen)
    path.write_text("x = 2\n")
    aged(path, 1e9)
    assert not disk.unchanged(looks.seen)


def test_a_young_folder_is_known_by_its_names(tmp_path: Path) -> None:
    with disk.Looks() as looks:
        disk.names(str(tmp_path))
    now = tmp_path.stat().st_mtime_ns
    (tmp_path / "a.py").write_text("")
    os.utime(tmp_path, ns=(now, now))
    assert not disk.unchanged(looks.seen)


def test_the_first_look_counts(place: Path) -> None:
    """What changes while a run lasts was read as it was before, or after: a later run must not trust either."""
    with disk.Looks() as looks:
        disk.read(str(place / "a.py"))
        (place / "a.py").write_text("y = 12\n")
        disk.read(str(place / "a.py"))
    assert not disk.unchanged(looks.seen)


def test_what_cannot_be_traced_says_so(place: Path) -> None:
    with disk.Looks() as looks:
        disk.untraceable()
    assert not looks.complete
    with disk.Looks() as looks:
        disk.seen_file(str(place / "a.py"), None, "")
    assert not looks.complete


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_no_longer_be_read_has_changed(place: Path) -> None:
    looks = look_at_all(place)
    (place / "a.py").chmod(0o000)
    assert not disk.unchanged(looks.seen)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_cannot_be_traced(place: Path) -> None:
    (place / "a.py").chmod(0o000)
    with disk.Looks() as looks, pytest.raises(PermissionError):
        disk.read(str(place / "a.py"))
    assert not looks.complete


def test_nothing_is_recorded_outside(place: Path) -> None:
    with disk.Looks() as looks:
        pass
    disk.read(str(place / "a.py"))
    assert looks.seen == {}


def test_a_path_that_no_system_knows() -> None:
    with pytest.raises(OSError):
        disk.read("a\0b")
    assert not disk.exists("a\0b")
    assert not disk.is_file("a\0b")

"""Copies of a user's folder: what is copied, linked, left out, and refused."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from torchdet_lint.verify import scratch
from torchdet_lint.verify.scratch import ScratchError, make_scratch, remove_scratch, scratch_copy

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "LARGE", 1000)
    monkeypatch.setattr(scratch, "MOST_COPIED", 3000)
    monkeypatch.setattr(scratch, "MOST_COPIED_UNGUARDED", 5000)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    for name, size in (("train.py", 10), ("data/a.bin", 500), ("data/b.bin", 2000), ("data/deep/c.txt", 5)):
        write(folder / name, size)
    return folder


def write(path: Path, size: int = 1) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size)


def test_small_files_are_copied_and_large_ones_linked(home: Path, tmp_path: Path) -> None:
    made = make_scratch(str(home), str(tmp_path / "into"), guarded=True)
    copy = Path(made.path)
    assert copy.name == "home"
    assert (copy / "train.py").read_bytes() == b"x" * 10
    assert not (copy / "train.py").is_symlink()
    assert (copy / "data/deep/c.txt").read_bytes() == b"x" * 5
    assert (copy / "data/b.bin").is_symlink()
    assert (copy / "data/b.bin").resolve() == home / "data/b.bin"
    assert made.notes == ("1 large file (0 MB, data/b.bin the largest): linked, can be read but not written",)


def test_nothing_is_linked_where_links_could_be_written_through(home: Path, tmp_path: Path) -> None:
    write(home / ".git/HEAD")
    write(home / "huge.bin", 4000)
    os.symlink(str(tmp_path), home / "outside")
    made = make_scratch(str(home), str(tmp_path / "into"), guarded=False)
    copy = Path(made.path)
    assert not (copy / "data/b.bin").is_symlink()
    assert (copy / "data/b.bin").exists()
    assert not any((copy / name).is_symlink() or (copy / name).exists() for name in ("huge.bin", "outside", ".git"))
    assert made.notes == (
        "1 large file (0 MB, huge.bin the largest): left out of the copy",
        "links that lead out of the folder are left out of the copy: outside",
        "left out of the copy: .git",
    )


def test_together_small_files_are_copied_up_to_a_limit(home: Path, tmp_path: Path) -> None:
    for number in range(5):
        write(home / f"part{number}.bin", 900)
    made = make_scratch(str(home), str(tmp_path / "into"), guarded=True)
    linked = sorted(path.name for path in Path(made.path).iterdir() if path.is_symlink())
    assert linked == ["part2.bin", "part3.bin", "part4.bin"]


def test_caches_and_environments_are_left_out(home: Path, tmp_path: Path) -> None:
    for name in ("__pycache__/a.pyc", ".mypy_cache/x", "venv/bin/python", "myenv/pyvenv.cfg", "pkg/__pycache__/b.pyc"):
        write(home / name)
    copy = Path(scratch_copy(str(home), str(tmp_path / "into")))
    assert sorted(path.name for path in copy.iterdir()) == ["data", "pkg", "train.py"]
    assert list((copy / "pkg").iterdir()) == []


def test_links_inside_lead_to_the_copy_and_outside_to_the_original(home: Path, tmp_path: Path) -> None:
    write(tmp_path / "store/set.bin")
    os.symlink("train.py", home / "near")
    os.symlink(str(home / "train.py"), home / "absolute")
    os.symlink("../train.py", home / "data" / "up")
    os.symlink("../store", home / "store")
    os.symlink("nowhere", home / "broken")
    made = make_scratch(str(home), str(tmp_path / "into"), guarded=True)
    copy = Path(made.path)
    for name in ("near", "absolute", "data/up"):
        assert (copy / name).resolve() == copy / "train.py"
    assert (copy / "store").resolve() == tmp_path / "store"
    assert os.readlink(copy / "broken") == "nowhere"


def test_a_copy_keeps_ages_and_can_be_written(home: Path, tmp_path: Path) -> None:
    os.utime(home / "train.py", ns=(10**18, 10**18))
    (home / "train.py").chmod(0o555)
    copy = Path(scratch_copy(str(home), str(tmp_path / "into"))) / "train.py"
    assert copy.stat().st_mtime_ns == 10**18
    assert copy.stat().st_mode & 0o777 == 0o755


def test_neighbours_up_to_the_repository_are_linked(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    for name in (".git/HEAD", "data/set.bin", "tools/lib/util.py", "tools/scripts/train.py", "tools/__pycache__/x.pyc"):
        write(root / name)
    copy = Path(make_scratch(str(root / "tools/scripts"), str(tmp_path / "into"), guarded=True).path)
    assert (copy / "../../data/set.bin").read_bytes() == b"x"
    assert (copy / "../lib/util.py").read_bytes() == b"x"
    assert (copy.parent.parent / ".git").resolve() == root / ".git"
    assert not (copy / "train.py").is_symlink()
    assert not (copy.parent / "__pycache__").exists()


def test_two_copies_are_two(home: Path, tmp_path: Path) -> None:
    first, second = (scratch_copy(str(home), str(tmp_path / "into")) for _ in range(2))
    (Path(first) / "train.py").write_text("changed")
    assert (Path(second) / "train.py").read_bytes() == b"x" * 10


@pytest.mark.skipif(not hasattr(os, "mkfifo") or sys.platform == "darwin", reason="no pipes in folders")
def test_what_cannot_be_read_is_left_out_and_said(home: Path, tmp_path: Path) -> None:
    os.mkfifo(home / "pipe")
    made = make_scratch(str(home), str(tmp_path / "into"), guarded=True)
    assert not (Path(made.path) / "pipe").exists()
    assert "left out of the copy, since they cannot be read: pipe" in made.notes


def test_too_much_is_refused_in_one_line(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "MOST_ENTRIES", 4)
    with pytest.raises(ScratchError, match=r"more than 4 files lie below it; run from a smaller folder"):
        scratch_copy(str(home), str(tmp_path / "into"))
    with pytest.raises(ScratchError, match="there is no such folder"):
        scratch_copy(str(home / "missing"), str(tmp_path / "into"))
    with pytest.raises(ScratchError, match="cannot lie inside of it"):
        scratch_copy(str(home), str(home / "into"))


def test_removing_follows_no_links_and_enters_closed_folders(home: Path, tmp_path: Path) -> None:
    made = make_scratch(str(home), str(tmp_path / "into"), guarded=True)
    os.symlink(str(home), Path(made.path) / "back")
    (Path(made.path) / "data").chmod(0)
    remove_scratch(made.top)
    assert not Path(made.top).exists()
    assert (home / "data/b.bin").exists()

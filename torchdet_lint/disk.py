"""Looks at the file system: all on which an outcome depends go through here, so that a later run can tell whether anything
that the outcome depends on has changed.

A look is recorded as a signature of what was there: nothing, a file with these times and this size, a folder with these names.
Nothing but the standard library's cheapest modules is imported: this is on the way of the run that only repeats an earlier one.
"""

from __future__ import annotations

import os
import stat
import time
from _blake2 import blake2b  # `hashlib` would give the same function, and load OpenSSL for it

TYPE_CHECKING = False  # `typing` takes longer to import than what stands here takes to run
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from typing_extensions import Self

    Look: TypeAlias = tuple[Any, ...]
    """("kind", type), ("link", type), ("file", times, digest) or ("folder", times, digest). Where the times are the same, the
    digest is; () are the times of what was too young to be known by them.
    """

YOUNG = 2_000_000_000
"""Nanoseconds. Something that was changed within this time before a look can change again without another time stamp (file
systems count in steps of up to two seconds), so that only its contents tell."""


class Looks:
    """What this process looks at while the recording is entered. `complete` is false when the outcome depends on something that
    no look can tell.
    """

    def __init__(self) -> None:
        self.seen: dict[tuple[str, str], Look] = {}
        try:
            self._cwd = os.getcwd()
        except OSError:  # it is gone
            self._cwd = ""
        self.complete = bool(self._cwd)

    def note(self, path: str, look: Look) -> None:
        """Keeps the first look at a path: if it changes during the run, later runs see that it has changed since."""
        self.seen.setdefault((os.path.join(self._cwd, path), look[0]), look)

    def __enter__(self) -> Self:
        _recordings.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Ends the recording before its time: for a process that lives on."""
        if self in _recordings:
            _recordings.remove(self)


_recordings: list[Looks] = []
_CACHES = frozenset(("__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".torchdet_lint_cache"))


def untraceable() -> None:
    """Says that the outcome depends on something that is not recorded."""
    for looks in _recordings:
        looks.complete = False


def _note(path: str, look: Look) -> None:
    for looks in _recordings:
        looks.note(path, look)


def read(path: str) -> bytes:
    """The contents of a file. Raises OSError, also for a path that no system knows (with a null character)."""
    before = _stat(path) if _recordings else None
    try:
        with open(path, "rb", buffering=0) as file:
            data = file.readall()
    except ValueError as error:
        raise OSError(str(error)) from None
    except OSError:
        _missed(path, before)
        raise
    if before is not None:
        _note(path, _file(before, content_digest(data)))
    return data


def seen_file(path: str, before: os.stat_result | None, digest: str) -> None:
    """Records that a file was read elsewhere (by a worker): what `os.stat` gave before, and the digest of the contents."""
    if before is None:
        untraceable()
    elif _recordings:
        _note(path, _file(before, digest))


def names(folder: str) -> list[str]:
    """The names in a folder, sorted. Raises OSError."""
    return sorted(entry.name for entry in entries(folder))


def entries(folder: str) -> list[os.DirEntry[str]]:
    """What is in a folder. Raises OSError."""
    before = _stat(folder) if _recordings else None
    try:
        with os.scandir(folder) as listing:
            found = list(listing)
    except OSError:
        _missed(folder, before)
        raise
    if before is not None:
        _note(folder, _folder(before, [entry.name for entry in found]))
    return found


def is_file(path: str) -> bool:
    return _is(path, stat.S_IFREG)


def is_folder(path: str) -> bool:
    return _is(path, stat.S_IFDIR)


def exists(path: str) -> bool:
    """Whether there is something of that name, even if it is a link to nothing."""
    kind = _own_kind(path)
    _note(path, ("link", kind))
    return kind != 0


def unchanged(seen: dict[tuple[str, str], Look]) -> bool:
    """Whether every look would give the same now."""
    for (path, kind), look in seen.items():
        if kind in ("file", "folder"):
            now = _stat(path)
            if now is None or (
                _times(now) != look[1] and (_contents(path) if kind == "file" else _inside(path)) != look[2]
            ):
                return False
        elif look[1] != (_kind(_stat(path)) if kind == "kind" else _own_kind(path)):
            return False
    return True


def content_digest(data: bytes) -> str:
    """A name for these bytes: 32 hexadecimal digits."""
    return blake2b(data, digest_size=16).hexdigest()


def _missed(path: str, before: os.stat_result | None) -> None:
    """Records that there is nothing; what is there and cannot be opened may become readable without a trace."""
    if before is None:
        _note(path, ("kind", 0))
    else:
        untraceable()


def _is(path: str, wanted: int) -> bool:
    kind = _kind(_stat(path))
    _note(path, ("kind", kind))
    return kind == wanted


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (OSError, ValueError):
        return None


def _own_kind(path: str) -> int:
    try:
        return stat.S_IFMT(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return 0


def _kind(found: os.stat_result | None) -> int:
    return 0 if found is None else stat.S_IFMT(found.st_mode)


def _times(found: os.stat_result) -> tuple[int, int, int, int, int]:
    """The time of the last change of state is there for what is written in place with the times of something else (`cp -p`,
    `rsync`, archives of which all files have one date): nobody can set it back.
    """
    return (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_mode, found.st_ino)


def _file(found: os.stat_result, digest: str) -> Look:
    return ("file", () if _young(found) else _times(found), digest)


def _folder(found: os.stat_result, inside: list[str]) -> Look:
    return ("folder", () if _young(found) else _times(found), _digest_of_names(inside))


def _young(found: os.stat_result) -> bool:
    return max(found.st_mtime_ns, found.st_ctime_ns) > time.time_ns() - YOUNG


def _contents(path: str) -> str:
    try:
        with open(path, "rb", buffering=0) as file:
            return content_digest(file.readall())
    except OSError:
        return ""


def _inside(folder: str) -> str:
    try:
        return _digest_of_names(os.listdir(folder))
    except OSError:
        return ""


def _digest_of_names(inside: list[str]) -> str:
    """What other tools keep beside the code, and this one, comes and goes and is never looked into."""
    names = sorted(name for name in inside if name not in _CACHES)
    return content_digest("\0".join(names).encode("utf-8", "surrogateescape"))

"""The folder that results are kept in."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # `typing` takes longer to import than what stands here takes to run
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NAME = ".torchdet_lint_cache"
VARIABLE = "TORCHDET_LINT_CACHE_DIR"

_TAG = "CACHEDIR.TAG"
_SIGNATURE = b"Signature: 8a477f597d28d172789f06886806bc55"
"""What backup programs look for: https://bford.info/cachedir/"""


def default_folder(root: str) -> str:
    """The cache of a project, where nobody has chosen another place."""
    return os.path.join(root, NAME)


def nearest(folder: str) -> str | None:
    """The cache in a folder or in the nearest one above it."""
    while True:
        candidate = os.path.join(folder, NAME)
        if os.path.isdir(candidate):
            return candidate
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def write(folder: str, name: str, pieces: Sequence[bytes]) -> bool:
    """Writes a file of the cache beside its place and moves it there; false when that cannot be done."""
    target = os.path.join(folder, name)
    beside = f"{target}.{os.getpid()}.tmp"
    try:
        if not os.path.isdir(os.path.dirname(target)):
            prepare(folder)
            os.makedirs(os.path.dirname(target), exist_ok=True)
        try:
            with open(beside, "wb") as file:
                file.writelines(pieces)
            os.replace(beside, target)
        except OSError:
            if os.path.exists(beside):
                os.unlink(beside)
            return False
    except OSError:
        return False
    return True


def read(folder: str, name: str) -> bytes:
    """A file of the cache; nothing where it cannot be read."""
    try:
        with open(os.path.join(folder, name), "rb", buffering=0) as file:
            return file.readall()
    except OSError:
        return b""


def prepare(folder: str) -> None:
    """Makes the folder, with what keeps it out of repositories and backups, if that can be done."""
    try:
        os.makedirs(folder, exist_ok=True)
        for name, data in ((".gitignore", b"*\n"), (_TAG, _SIGNATURE + b"\n# This is the cache of torchdet-lint.\n")):
            path = os.path.join(folder, name)
            if not os.path.exists(path):
                with open(path, "wb") as file:
                    file.write(data)
    except OSError:
        pass  # a place that may not be written to; whoever writes a file there will see it too


def is_cache(folder: str) -> bool:
    """Whether a folder is one that this tool made."""
    return read(folder, _TAG).startswith(_SIGNATURE)


def obstacle(folder: str) -> str:
    """What speaks against an existing place as a cache, "" where nothing does. A cache keeps everything in its folder out of
    repositories, and what is in it is not checked, so that nothing else may be there.
    """
    try:
        if not os.path.lexists(folder):
            return ""
        if not os.path.isdir(folder):
            return "is no folder"
        if is_cache(folder) or {*os.listdir(folder)} <= {"runs", "shelves", ".gitignore", ".gitkeep", _TAG}:
            return ""
    except OSError:
        return ""  # nothing can be kept there, and nothing needs to be
    return "holds other things"


def remove(folder: str) -> int:
    """Deletes a cache, but nothing that this tool did not put there, a link to the folder either; returns the bytes freed.
    Raises OSError.
    """
    freed = 0
    for path in tuple(_own(folder)):
        freed += os.path.getsize(path)
        os.unlink(path)
    for place in (os.path.join(folder, "runs"), os.path.join(folder, "shelves"), folder):
        if os.path.isdir(place) and not os.path.islink(place) and not os.listdir(place):
            os.rmdir(place)
    return freed


def _own(folder: str) -> Iterator[str]:
    for inside in ("runs", "shelves"):
        place = os.path.join(folder, inside)
        if os.path.isdir(place):
            yield from (os.path.join(place, name) for name in sorted(os.listdir(place)))
    yield from (path for name in (".gitignore", _TAG) if os.path.isfile(path := os.path.join(folder, name)))

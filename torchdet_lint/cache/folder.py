"""The folder that results are kept in."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

NAME = ".torchdet_lint_cache"
VARIABLE = "TORCHDET_LINT_CACHE_DIR"

_TAG = "CACHEDIR.TAG"
_SIGNATURE = b"Signature: 8a477f597d28d172789f06886806bc55"
"""What backup programs look for: https://bford.info/cachedir/"""


def chosen(option: str | None, environ: Mapping[str, str]) -> str | None:
    """The folder that the command line or the environment names, absolute; None where neither does."""
    named = option or environ.get(VARIABLE)
    return os.path.abspath(os.path.expanduser(named)) if named else None


def named_in(argv: Sequence[str]) -> str | None:
    """The value of `--cache-dir` among arguments, found without parsing them."""
    for index, text in enumerate(argv):
        if text.startswith("--cache-dir="):
            return text.partition("=")[2]
        if text == "--cache-dir" and index + 1 < len(argv):
            return argv[index + 1]
    return None


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
            _make(folder)
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


def _make(folder: str) -> None:
    """The folder with what keeps it out of repositories and backups."""
    os.makedirs(folder, exist_ok=True)
    for name, data in ((".gitignore", b"*\n"), (_TAG, _SIGNATURE + b"\n# This is the cache of torchdet-lint.\n")):
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            with open(path, "wb") as file:
                file.write(data)


def is_cache(folder: str) -> bool:
    """Whether a folder is one that this tool made."""
    return read(folder, _TAG).startswith(_SIGNATURE)


def remove(folder: str) -> int:
    """Deletes a cache, but nothing in it that this tool did not put there; returns the bytes freed. Raises OSError."""
    freed = 0
    for path in tuple(_own(folder)):
        freed += os.path.getsize(path)
        os.unlink(path)
    for inside in ("runs", "shelves", ""):
        place = os.path.join(folder, inside)
        if os.path.isdir(place) and not os.listdir(place):
            os.rmdir(place)
    return freed


def _own(folder: str) -> Iterator[str]:
    for inside in ("runs", "shelves"):
        place = os.path.join(folder, inside)
        if os.path.isdir(place):
            yield from (os.path.join(place, name) for name in sorted(os.listdir(place)))
    yield from (path for name in (".gitignore", _TAG) if os.path.isfile(path := os.path.join(folder, name)))

"""What earlier runs have made of the same bytes: files taken apart, units lowered, parts of a project judged.

It lies in a folder (`kept_in`), or is held by a process that runs again and again (`Memory`). Either way its keys are what
things were made from, so that it cannot matter whether that stood in a file or in an editor's buffer.
"""

from __future__ import annotations

import os
from _blake2 import blake2b  # `hashlib` would give the same function, and load OpenSSL for it
from dataclasses import dataclass, field
from typing import Protocol

from torchdet_lint.cache.shelf import Shelf
from torchdet_lint.cache.stamp import stamp

_SHELVES = ("sources", "units", "parts")

RUNS = 40
"""For how many runs a process keeps what none of them asked for: some more than a hand takes back with `undo`."""


class Blobs(Protocol):
    """Blobs by the digest of what they were made from."""

    def get(self, key: bytes) -> bytes | None: ...

    def put(self, key: bytes, blob: bytes) -> None: ...

    def spill(self) -> None:
        """In the middle of a run: lets go of what can be had again."""

    def flush(self) -> None:
        """At the end of a run: writes what is new."""


@dataclass
class Kept:
    """Where blobs are kept; unless `keeps`, nothing is known and nothing is written.

    `useful` says whether an earlier run may have left something. `added` collects what this process has made, for a process
    that started it and will write.
    """

    sources: Blobs
    units: Blobs
    parts: Blobs
    keeps: bool = False
    useful: bool = False
    added: list[tuple[bytes, bytes]] = field(default_factory=list)

    def put_unit(self, key: bytes, body: bytes) -> None:
        if self.keeps:
            self.units.put(key, body)
            self.added.append((key, body))

    def flush(self) -> None:
        """Writes what is new."""
        for shelf in (self.sources, self.units, self.parts):
            shelf.flush()


def kept_in(folder: str | None) -> Kept:
    """What is kept in a folder; None for no cache."""
    here = stamp() if folder is not None else b""
    sources, units, parts = (Shelf(folder, name, here) for name in _SHELVES)
    useful = folder is not None and os.path.isdir(os.path.join(folder, "shelves"))
    return Kept(sources, units, parts, keeps=folder is not None, useful=useful)


class Memory:
    """What the runs of one process have made, for its next ones. What a cache folder holds, if there is one, is known too.

    Only runs on what is on the disk may add to the folder (`lasting`): every state of a buffer while somebody types would
    make it grow, and nobody would ever ask for most of them again.
    """

    def __init__(self, folder: str | None) -> None:
        below = kept_in(folder)
        self._folder = folder
        self._shelves = [_Recent(each) for each in (below.sources, below.units, below.parts)]

    def kept(self, *, lasting: bool) -> Kept:
        """For one run."""
        for each in self._shelves:
            each.lasting = lasting and self._folder is not None
        sources, units, parts = self._shelves
        return Kept(sources, units, parts, keeps=True, useful=True)


class _Recent:
    """Blobs in memory, for some runs after the last one that asked for them, above a shelf."""

    def __init__(self, below: Blobs) -> None:
        self.lasting = False
        self._below = below
        self._blobs: dict[bytes, tuple[int, bytes]] = {}
        self._run = 0

    def get(self, key: bytes) -> bytes | None:
        found = self._blobs.get(key)
        if found is None:
            return self._below.get(key)
        self._blobs[key] = (self._run, found[1])
        if self.lasting:  # what was typed before is what is on the disk now
            self._below.put(key, found[1])
        return found[1]

    def put(self, key: bytes, blob: bytes) -> None:
        self._blobs[key] = (self._run, blob)
        if self.lasting:
            self._below.put(key, blob)

    def spill(self) -> None:
        pass  # the next run asks again

    def flush(self) -> None:
        """After each run."""
        if self.lasting:
            self._below.flush()
        self._run += 1
        self._blobs = {key: value for key, value in self._blobs.items() if value[0] >= self._run - RUNS}


def key_of(*parts: bytes | str) -> bytes:
    """A key for what these were the source of; where one ends and the next begins counts."""
    made = blake2b(digest_size=16)
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        made.update(len(data).to_bytes(8, "little"))
        made.update(data)
    return made.digest()

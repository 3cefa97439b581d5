"""Blobs by the digest of what they were made from, in a fixed number of files that are rewritten when something is added."""

from __future__ import annotations

import time
from typing import Any

from torchdet_lint.cache import folder as folders
from torchdet_lint.cache.record import packed, unpacked

DAY = 86_400
KEPT = 30
"""Days after which a blob that no run has asked for is dropped."""

_WAYS = 64
"""How many files a shelf has: adding a blob rewrites this part of it."""


class Shelf:
    """One kind of blobs in a cache folder. A fault of any kind makes it forget, and never more than that.

    Two runs at once may each overwrite what the other has added; both are right, and the next run adds again.
    """

    def __init__(self, folder: str | None, name: str, stamp: bytes, now: float | None = None) -> None:
        self._folder, self._name, self._stamp = folder, name, stamp
        self._today = int((time.time() if now is None else now) // DAY)
        self._parts: dict[int, dict[bytes, tuple[int, bytes]]] = {}
        self._changed: set[int] = set()

    def get(self, key: bytes) -> bytes | None:
        """The blob that was put under a key."""
        way = key[0] % _WAYS
        part = self._part(way)
        found = part.get(key)
        if found is None:
            return None
        day, blob = found
        if day != self._today:  # so that what is in use stays
            part[key] = (self._today, blob)
            self._changed.add(way)
        return blob

    def put(self, key: bytes, blob: bytes) -> None:
        way = key[0] % _WAYS
        self._part(way)[key] = (self._today, blob)
        self._changed.add(way)

    def spill(self) -> None:
        """Lets go of all, after writing what has been added: whoever asks again reads again."""
        self.flush()
        if self._folder is not None:
            self._parts.clear()

    def flush(self) -> None:
        """Writes what has been added."""
        if self._folder is None:
            return
        for way in sorted(self._changed):
            kept = {key: value for key, value in self._parts[way].items() if value[0] > self._today - KEPT}
            if not folders.write(self._folder, self._file(way), packed(self._stamp, kept)):
                break  # a full disk, or a place that may not be written to
        self._changed.clear()

    def _part(self, way: int) -> dict[bytes, tuple[int, bytes]]:
        if way not in self._parts:
            found: Any = None
            if self._folder is not None:
                found = unpacked(self._stamp, folders.read(self._folder, self._file(way)))
            self._parts[way] = found if isinstance(found, dict) else {}
        return self._parts[way]

    def _file(self, way: int) -> str:
        return f"shelves/{self._name}-{way:02x}"

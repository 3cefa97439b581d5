"""What earlier runs have made of the same bytes: files taken apart, units lowered, parts of a project judged."""

from __future__ import annotations

import os
from _blake2 import blake2b  # `hashlib` would give the same function, and load OpenSSL for it
from dataclasses import dataclass, field

from torchdet_lint.cache.shelf import Shelf
from torchdet_lint.cache.stamp import stamp


@dataclass
class Kept:
    """The shelves of a cache folder; without one, nothing is known and nothing is written.

    `added` collects what this process has made, for a process that started it and will write.
    """

    sources: Shelf
    units: Shelf
    parts: Shelf
    folder: str | None = None
    added: list[tuple[bytes, bytes]] = field(default_factory=list)

    @property
    def useful(self) -> bool:
        """Whether an earlier run may have left something."""
        return self.folder is not None and os.path.isdir(os.path.join(self.folder, "shelves"))

    def put_unit(self, key: bytes, body: bytes) -> None:
        if self.folder is not None:
            self.units.put(key, body)
            self.added.append((key, body))

    def flush(self) -> None:
        """Writes what is new."""
        for shelf in (self.sources, self.units, self.parts):
            shelf.flush()


def kept_in(folder: str | None) -> Kept:
    """What is kept in a folder; None for no cache."""
    here = stamp() if folder is not None else b""
    return Kept(Shelf(folder, "sources", here), Shelf(folder, "units", here), Shelf(folder, "parts", here), folder)


def key_of(*parts: bytes | str) -> bytes:
    """A key for what these were the source of; where one ends and the next begins counts."""
    made = blake2b(digest_size=16)
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        made.update(len(data).to_bytes(8, "little"))
        made.update(data)
    return made.digest()

"""One file that would be written or changed."""

from __future__ import annotations

import os
import re
from typing import NamedTuple


class Step(NamedTuple):
    """What becomes of the file at `path`, shown as `name`: from `before` (None where there is none) to `after`.

    Where nothing is to be done `after` is None, and `note` says why; `refused` where that is because it cannot be done.
    """

    name: str
    path: str
    before: bytes | None
    after: bytes | None
    note: str = ""
    refused: bool = False


class Place(NamedTuple):
    """A file of the project, with its contents where there is one."""

    name: str
    path: str
    before: bytes | None

    def to(self, after: bytes) -> Step:
        return Step(self.name, self.path, self.before, after)

    def kept(self, why: str) -> Step:
        """It is left alone, as it should be."""
        return Step(self.name, self.path, self.before, None, why)

    def refused(self, why: str) -> Step:
        """It is left alone, though something should be written."""
        return Step(self.name, self.path, self.before, None, why, refused=True)


def place(root: str, name: str) -> Place:
    """Raises OSError for a file that is there and cannot be read."""
    path = os.path.join(root, *name.split("/"))
    if not os.path.lexists(path):
        return Place(name, path, None)
    with open(path, "rb") as file:
        return Place(name, path, file.read())


def repository(folder: str) -> str:
    """The folder of the git repository around a folder, where hooks and workflows are looked for; else the folder itself."""
    at = folder
    while not os.path.lexists(os.path.join(at, ".git")):
        parent = os.path.dirname(at)
        if parent == at:
            return folder
        at = parent
    return at


def line_end(data: bytes) -> bytes:
    """How lines end in a file: as most of them do."""
    return b"\r\n" if data.count(b"\r\n") * 2 > data.count(b"\n") else b"\n"


def appended(before: bytes, text: str) -> bytes:
    """A text at the end of a file, an empty line before it, with the line ends of the file."""
    end = line_end(before)
    lead = b"" if not before.strip() else b"" if before.endswith((b"\n", b"\r")) else end
    gap = b"" if not before.strip() or re.search(rb"(?:\r?\n)[ \t]*\r?\n\Z", before) else end
    return before + lead + gap + text.encode().replace(b"\n", end)

"""Unified diffs, as far as comments need them: which lines of which files a change adds, and which it shows.

The form is git's (https://git-scm.com/docs/diff-format#generate_patch_text_with_p), and what plain `diff -u` writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from torchdet_lint.engine.scope import printable
from torchdet_lint.review.errors import ReviewError

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPED = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}
_PREFIXES = ("a/", "b/", "i/", "w/", "c/", "o/")


class Hunk(NamedTuple):
    """A piece of a diff. `lines` maps the lines of the new file that it shows to those of the old one, None for added lines;
    `removed` are the lines of the old file that are gone.
    """

    lines: Mapping[int, int | None]
    removed: frozenset[int]

    def shows_old(self, line: int) -> bool:
        """Whether a line of the old file is among those that it shows."""
        return line in self.removed or line in self.lines.values()


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a change does to one file. `old_path` is None for a new file."""

    path: str
    old_path: str | None
    hunks: tuple[Hunk, ...] = ()

    def hunk_of(self, line: int) -> int | None:
        """The index of the hunk that shows a line of the new file."""
        return next((index for index, hunk in enumerate(self.hunks) if line in hunk.lines), None)

    def added(self, line: int) -> bool:
        """Whether a line of the new file is added or changed."""
        return any(hunk.lines.get(line, line) is None for hunk in self.hunks)

    def old_line(self, line: int) -> int | None:
        """The line of the old file that a shown line was; None for an added one."""
        return next((hunk.lines[line] for hunk in self.hunks if line in hunk.lines), None)

    def shown(self, first: int, last: int) -> bool:
        """Whether one hunk shows all of these lines."""
        index = self.hunk_of(first)
        return index is not None and all(line in self.hunks[index].lines for line in range(first, last + 1))


@dataclass(frozen=True, slots=True)
class Change:
    """A change: its files by new path, those that are gone left out; and the old path of every file that has another one."""

    files: Mapping[str, FileChange] = field(default_factory=dict)

    @property
    def renames(self) -> dict[str, str]:
        """New paths by the old ones."""
        return {
            each.old_path: path
            for path, each in self.files.items()
            if each.old_path is not None and each.old_path != path
        }


def parse(text: str, source: str = "the diff") -> Change:
    """Reads a diff. Raises ReviewError for one that is damaged or of another kind; an empty one changes nothing."""
    lines = text.split("\n")
    found: dict[str, FileChange] = {}
    reader = _Reader(lines, source)
    for change in reader.files():
        found[change.path] = change
    if not reader.seen and text.strip():
        raise ReviewError(f"{source}: no unified diff; make one with `git diff BASE...HEAD`")
    return Change(found)


def whole(path: str, lines: int) -> FileChange:
    """A file that is new as a whole."""
    return FileChange(path, None, (Hunk(dict.fromkeys(range(1, lines + 1)), frozenset()),) if lines else ())


class _Reader:
    """Goes through the lines of a diff once. `seen` says whether anything in it was of a diff."""

    def __init__(self, lines: list[str], source: str) -> None:
        self._lines = lines
        self._source = source
        self._at = 0
        self.seen = False

    def files(self) -> Iterator[FileChange]:
        names = _Names()
        hunks: list[Hunk] = []
        for line in self._headers():
            if line.startswith(("diff --cc ", "diff --combined ", "@@@")):
                raise ReviewError(
                    f"{self._source}:{self._at}: a combined diff of a merge; make one with `git diff BASE...HEAD`"
                )
            if line.startswith("diff ") or (line.startswith("--- ") and names.complete):
                yield from names.change(hunks)
                names, hunks = _Names(), []
            if line.startswith("@@ "):
                hunks.append(self._hunk(line))
            else:
                names.read(line)
        yield from names.change(hunks)

    def _headers(self) -> Iterator[str]:
        """The lines that stand outside of hunks."""
        while self._at < len(self._lines):
            line = self._lines[self._at].removesuffix("\r")
            self._at += 1
            self.seen = self.seen or line.startswith(("diff --", "+++ ", "@@ "))
            yield line

    def _hunk(self, head: str) -> Hunk:
        """Reads a hunk up to the last line that its head promises."""
        at = self._at
        match = _HUNK.match(head)
        if match is None:
            raise ReviewError(f"{self._source}:{at}: not the head of a hunk: {head[:60]}")
        old, old_left, new, new_left = (int(each) if each is not None else 1 for each in match.groups())
        lines: dict[int, int | None] = {}
        removed: set[int] = set()
        while old_left > 0 or new_left > 0:
            line = self._lines[self._at] if self._at < len(self._lines) else None
            kind = " " if line in ("", "\r") and self._at + 1 < len(self._lines) else (line or "")[:1]
            if kind not in (" ", "+", "-", "\\") or line is None:
                raise ReviewError(f"{self._source}:{self._at + 1}: the hunk of line {at} ends too early")
            self._at += 1
            if kind in " +":
                lines[new] = old if kind == " " else None
                new, new_left = new + 1, new_left - 1
            if kind in " -":
                removed |= {old} if kind == "-" else set()
                old, old_left = old + 1, old_left - 1
        return Hunk(lines, frozenset(removed))


class _Names:
    """The names in the header of one file."""

    def __init__(self) -> None:
        self._old: str | None = None
        self._new: str | None = None
        self._renamed: str | None = None
        self._fresh = False
        self.complete = False
        """Whether both names have been read, so that the next ones are those of another file."""

    def read(self, line: str) -> None:
        if line.startswith("rename from "):
            self._renamed = _name(line[12:], prefixed=False)
        elif line.startswith("rename to "):
            self._new = _name(line[10:], prefixed=False)
        elif line.startswith("--- "):
            self._old = _name(line[4:])
            self._fresh = self._old is None
        elif line.startswith("+++ "):
            self._new = _name(line[4:])
            self.complete = True

    def change(self, hunks: list[Hunk]) -> Iterator[FileChange]:
        """What was read, unless it is no file or one that is gone."""
        if self._new is not None:
            yield FileChange(self._new, None if self._fresh else self._renamed or self._old or self._new, tuple(hunks))


def _name(text: str, prefixed: bool = True) -> str | None:
    """A path of a header line: without its prefix, its time stamp and its quotes; None for no file."""
    if text.startswith('"'):
        data = text.rstrip().strip('"').encode("utf-8", "surrogateescape")
        text = _ESCAPE.sub(_unescaped, data).decode("utf-8", "surrogateescape")
    else:
        text = text.partition("\t")[0]
    if text == "/dev/null":
        return None
    return printable(text[2:] if prefixed and text.startswith(_PREFIXES) else text)


def _unescaped(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return bytes([int(code, 8) & 255]) if len(code) == 3 else _ESCAPED.get(code, code)

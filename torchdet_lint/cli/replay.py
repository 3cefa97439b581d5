"""Runs whose outcome is known: the same command, and nothing that it looked at has changed since.

A run that repeats an earlier one imports neither click nor the engine: that is most of what a hook takes.
"""

from __future__ import annotations

import os
import sys
from zlib import crc32

from torchdet_lint import disk
from torchdet_lint.cache import folder as folders
from torchdet_lint.cache.record import packed, unpacked
from torchdet_lint.cache.stamp import stamp

TYPE_CHECKING = False  # `typing` takes longer to import than what stands here takes to run
if TYPE_CHECKING:
    from collections.abc import Sequence

    Known = tuple[int, str]
    """The exit status and what stood on standard output."""

KEPT = 32
"""How many runs a cache remembers; a hook is run with ever other files."""

_ENVIRONMENT = ("NO_COLOR", "FORCE_COLOR", "TERM", "HOME", "USERPROFILE")


class Session:
    """One run of the command line, while it is recorded."""

    def __init__(self, argv: Sequence[str], looks: disk.Looks) -> None:
        self.looks = looks
        self._argv = tuple(argv)
        self._tried = ""

    def known(self) -> Known | None:
        """The outcome, where it is known without parsing the arguments."""
        if "--no-cache" in self._argv or "-n" in self._argv:
            return None
        folder = _likely(self._argv)
        return self.known_in(folder) if folder is not None else None

    def known_in(self, folder: str) -> Known | None:
        """The outcome, where an earlier run has left it in this cache."""
        folder = os.path.abspath(folder)
        if folder == self._tried or not os.path.isdir(folder):
            return None
        self._tried = folder
        key = self._key()
        found = unpacked(stamp(), folders.read(folder, _file(key)))
        if not isinstance(found, tuple) or found[0] != key or not disk.unchanged(found[1]):
            return None
        return found[2], found[3]

    def keep(self, folder: str, status: int, text: str) -> None:
        """Remembers the outcome."""
        if self.looks.complete:
            key = self._key()
            if folders.write(folder, _file(key), packed(stamp(), (key, self.looks.seen, status, text))):
                _forget_oldest(os.path.join(folder, "runs"))

    def _key(self) -> tuple[object, ...]:
        """All that an outcome depends on, besides files."""
        terminal = sys.stdout is not None and sys.stdout.isatty()
        environment = tuple(os.environ.get(name) for name in _ENVIRONMENT)
        return (self._argv, os.getcwd(), terminal, environment, tuple(sys.path))


def _likely(argv: Sequence[str]) -> str | None:
    """Where the cache probably is. Where it is not, nothing is found, and the run finds out."""
    for index, text in enumerate(argv):
        if text.startswith("--cache-dir="):
            return text.partition("=")[2]
        if text == "--cache-dir" and index + 1 < len(argv):
            return argv[index + 1]
    try:
        return os.environ.get(folders.VARIABLE) or folders.nearest(os.getcwd())
    except OSError:  # the working directory is gone
        return None


def _file(key: tuple[object, ...]) -> str:
    return f"runs/{crc32(repr(key).encode('utf-8', 'backslashreplace')):08x}"


def _forget_oldest(folder: str) -> None:
    try:
        with os.scandir(folder) as listing:
            runs = sorted((entry.stat().st_mtime_ns, entry.path) for entry in listing)
        for _, path in runs[:-KEPT]:
            os.unlink(path)
    except OSError:
        pass  # another run has just done it

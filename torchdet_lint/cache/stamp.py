"""What kept results hold for: this tool as it is installed, this Python, this libcst."""

from __future__ import annotations

import os
import sys
from _blake2 import blake2b  # `hashlib` would give the same function, and load OpenSSL for it

from torchdet_lint import __version__

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def stamp() -> bytes:
    """16 bytes that differ wherever results could: the version, the times and sizes of the tool's own files and of its
    rules, the version of Python, and that of libcst. They are worked out once for a process.
    """
    if not _known:
        _known.append(_stamp())
    return _known[0]


_known: list[bytes] = []


def _stamp() -> bytes:
    name = (__version__, sys.version, sys.platform, sys.executable, _libcst(), _tree(_PACKAGE), _tree(_rules()))
    return blake2b(repr(name).encode("utf-8", "backslashreplace"), digest_size=16).digest()


def _rules() -> str:
    """The rules of a checkout; those of a wheel lie in the package."""
    beside = os.path.join(os.path.dirname(_PACKAGE), "rules")
    return beside if os.path.isfile(os.path.join(beside, "_families.toml")) else ""


def _tree(folder: str) -> tuple[tuple[str, int, int], ...]:
    """(path, time, size) of the files below a folder that decide what is found, or how a page looks."""
    found = []
    todo = [folder] if folder else []
    while todo:
        with os.scandir(todo.pop()) as listing:
            for entry in listing:
                if entry.name.endswith((".py", ".toml", ".css", ".js")):
                    status = entry.stat()
                    found.append((entry.path, status.st_mtime_ns, status.st_size))
                elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
                    todo.append(entry.path)
    return tuple(sorted(found))


def _libcst() -> tuple[str, ...]:
    """The names of libcst's metadata folders: importing it to ask for its version takes longer than many runs."""
    return tuple(name for place in sys.path for name in _names(place or ".") if name.startswith("libcst-"))


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []

"""A copy of a user's folder to run in, so that whatever the program writes or deletes is not theirs.

Code and small files are copied. Large files, and all where there are very many, are linked: the box lets nobody write through
a link. Where it cannot prevent that (no Landlock) nothing is linked, and what is too much to copy is left out.
"""

from __future__ import annotations

import itertools
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from torchdet_lint.verify import landlock

LARGE = 16 << 20
"""Bytes from which a file is linked rather than copied."""

MOST_COPIED = 512 << 20
"""Bytes that are copied altogether, the smallest files first; what is beyond is linked."""

MOST_COPIED_UNGUARDED = 4 << 30
"""The same where nothing can be linked."""

MOST_ENTRIES = 200_000
"""Files and folders in a copy; a folder in which there are more is too large to be run in."""

LEFT_OUT = frozenset((
    "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".torchdet_lint_cache", ".hypothesis", ".ipynb_checkpoints",
    ".tox", ".nox", ".eggs", ".venv", "venv", "node_modules", ".idea", ".vscode", ".DS_Store",
))  # fmt: skip
"""Names of caches and environments, which no program misses."""

_HISTORY = (".git", ".hg", ".svn")
"""Linked where that is safe, since programs ask for their commit; else left out."""


class ScratchError(OSError):
    """A folder that cannot be copied; the text is one line for people."""


class Scratch(NamedTuple):
    """`path` is where the folder's copy is, `top` what is to be removed with it, `notes` what is not as in the original."""

    path: str
    top: str
    notes: tuple[str, ...]


class _File(NamedTuple):
    size: int
    name: str
    """From the folder."""
    mode: int
    changed: tuple[int, int]


class _Content(NamedTuple):
    folders: list[str]
    files: list[_File]
    links: list[tuple[str, str]]
    """(name, what it leads to): as written where that lies in the folder, else from the root."""
    history: list[str]
    skipped: list[str]
    """Sockets, pipes, devices, and what may not be read."""


def scratch_copy(folder: str, into: str) -> str:
    """Makes a copy of `folder` below `into` and returns its path; see `make_scratch`."""
    return make_scratch(folder, into).path


def make_scratch(folder: str, into: str, *, guarded: bool | None = None) -> Scratch:
    """Makes a copy of `folder` in a new place below `into` (which must not lie in it).

    What lies beside the folder, up to the root of its repository, is linked where links are safe, so that `../data` leads where
    it did. `guarded` says whether what runs there cannot write through links: whether this system has Landlock, if None. The
    original is only read. Raises ScratchError for what cannot be copied.
    """
    source = os.path.realpath(folder)
    if not os.path.isdir(source):
        raise ScratchError(f"{folder}: there is no such folder")
    os.makedirs(into, exist_ok=True)
    top = os.path.join(os.path.realpath(into), "run")
    if _within(top, source):
        raise ScratchError(f"{into}: a copy of {folder} cannot lie inside of it")
    safe = landlock.abi() > 0 if guarded is None else guarded
    content = _content(source)
    top = _fresh(top)
    try:
        target = _surroundings(source, top) if safe else os.path.join(top, os.path.basename(source) or "root")
        os.makedirs(target, exist_ok=True)
        notes = _fill(source, target, content, safe=safe)
    except OSError as error:  # the disk is full, a name is too long
        remove_scratch(top)
        raise ScratchError(f"{folder}: cannot be copied: {error.strerror or error}") from error
    return Scratch(target, top, tuple(notes))


def remove_scratch(path: str) -> None:
    """Removes a copy, folders that may not be entered too. Links are removed, not what they lead to. Never raises."""
    for place, folders, _ in os.walk(path):
        for name in folders:
            inner = os.path.join(place, name)
            if not os.path.islink(inner) and not os.access(inner, os.R_OK | os.W_OK | os.X_OK):
                try:
                    os.chmod(inner, stat.S_IRWXU)
                except OSError:
                    pass  # then rmtree leaves it, and there is nothing better to do
    shutil.rmtree(path, ignore_errors=True)


def _fresh(wanted: str) -> str:
    """A folder of this name, numbered where there is one already. Short: sockets in it have paths of at most 107 bytes."""
    for number in range(1, 1_000_000):
        path = f"{wanted}{number}"
        try:
            os.mkdir(path)
        except FileExistsError:
            continue
        return path
    raise ScratchError(f"{wanted}: too many copies lie here")


def _content(source: str) -> _Content:
    content = _Content([], [], [], [], [])
    todo = [""]
    count = 0
    while todo:
        inner = todo.pop()
        try:
            entries = sorted(os.scandir(os.path.join(source, inner)), key=lambda entry: entry.name)
        except OSError:
            content.skipped.append(inner)
            continue
        count += len(entries)
        if count > MOST_ENTRIES:
            raise ScratchError(
                f"{source}: more than {MOST_ENTRIES:,} files lie below it; run from a smaller folder, or keep data outside of it"
            )
        for entry in entries:
            name = os.path.join(inner, entry.name)
            if entry.name in _HISTORY:
                content.history.append(name)
            elif entry.is_symlink():
                content.links.append((name, _leads_to(source, name)))
            elif entry.is_dir() and not _is_environment(entry):
                content.folders.append(name)
                todo.append(name)
            elif not entry.is_dir():
                _add_file(content, entry, name)
    return content


def _add_file(content: _Content, entry: os.DirEntry[str], name: str) -> None:
    if entry.name in LEFT_OUT:
        return
    try:
        info = entry.stat(follow_symlinks=False)
    except OSError:  # somebody has removed it since it was listed
        return
    if stat.S_ISREG(info.st_mode) and os.access(entry.path, os.R_OK):
        content.files.append(_File(info.st_size, name, info.st_mode, (info.st_atime_ns, info.st_mtime_ns)))
    else:
        content.skipped.append(name)


def _is_environment(entry: os.DirEntry[str]) -> bool:
    """Whether a folder is a cache or a virtual environment, by its name or by what marks it."""
    return entry.name in LEFT_OUT or os.path.exists(os.path.join(entry.path, "pyvenv.cfg"))


def _leads_to(source: str, name: str) -> str:
    """What the copy of a symbolic link leads to: its copy when it leads to something in the folder, else the original."""
    written = os.readlink(os.path.join(source, name))
    real = os.path.normpath(os.path.join(os.path.dirname(os.path.join(source, name)), written))
    if _within(real, source):
        return os.path.relpath(real, os.path.dirname(os.path.join(source, name)))
    return real


def _fill(source: str, target: str, content: _Content, *, safe: bool) -> list[str]:
    """Writes the copy; returns what is to be told about it."""
    for name in content.folders:
        os.mkdir(os.path.join(target, name))
    copied, rest = _divide(content.files, safe=safe)
    for file in copied:
        _copy(file, source, target)
    for name, leads_to in content.links:
        if safe or not os.path.isabs(leads_to):
            os.symlink(leads_to, os.path.join(target, name))
    if safe:
        for name in (*(file.name for file in rest), *content.history):
            os.symlink(os.path.join(source, name), os.path.join(target, name))
    return list(_notes(content, rest, safe=safe))


def _copy(file: _File, source: str, target: str) -> None:
    to = os.path.join(target, file.name)
    try:
        shutil.copyfile(os.path.join(source, file.name), to)
    except FileNotFoundError:
        return  # somebody has removed it since it was listed
    os.chmod(to, stat.S_IMODE(file.mode) | stat.S_IWUSR)
    os.utime(to, ns=file.changed)  # programs go by age, to find the newest checkpoint or a stale build


def _divide(files: Sequence[_File], *, safe: bool) -> tuple[list[_File], list[_File]]:
    """The files that are copied, and the rest."""
    budget = MOST_COPIED if safe else MOST_COPIED_UNGUARDED
    copied: list[_File] = []
    rest: list[_File] = []
    for file in sorted(files):
        fits = file.size <= budget and (file.size < LARGE or not safe)
        (copied if fits else rest).append(file)
        budget -= file.size if fits else 0
    return copied, rest


def _notes(content: _Content, rest: Sequence[_File], *, safe: bool) -> Iterator[str]:
    if rest:
        size = sum(file.size for file in rest) / 1e6
        what = f"{len(rest)} large file{'s' if len(rest) > 1 else ''} ({size:,.0f} MB, {rest[-1].name} the largest)"
        yield f"{what}: linked, can be read but not written" if safe else f"{what}: left out of the copy"
    outside = [name for name, leads_to in content.links if os.path.isabs(leads_to)]
    if outside and not safe:
        yield f"links that lead out of the folder are left out of the copy: {outside[0]}{_more(outside)}"
    if content.history and not safe:
        yield f"left out of the copy: {', '.join(content.history[:3])}"
    if content.skipped:
        yield f"left out of the copy, since they cannot be read: {content.skipped[0]}{_more(content.skipped)}"


def _more(names: Sequence[str]) -> str:
    return f" and {len(names) - 1} more" if len(names) > 1 else ""


def _surroundings(source: str, top: str) -> str:
    """Rebuilds the folders between the repository's root and `source` below `top`, with links to what lies beside them; returns
    where the copy of `source` belongs.
    """
    chain = _chain(source)
    place = top
    for outer, inner in itertools.pairwise([*chain, source]):
        place = os.path.join(place, os.path.basename(outer) or "root")
        os.mkdir(place)
        for name in _names(outer):
            if name != os.path.basename(inner) and name not in LEFT_OUT:
                os.symlink(os.path.join(outer, name), os.path.join(place, name))
    return os.path.join(place, os.path.basename(source) or "root")


def _chain(source: str) -> list[str]:
    """The folders from the root of the repository down to above `source`; none when it is the root, or in no repository."""
    chain: list[str] = []
    place = source
    while not any(os.path.exists(os.path.join(place, name)) for name in _HISTORY):
        above = os.path.dirname(place)
        if above == place:
            return []
        chain.insert(0, above)
        place = above
    return chain


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(os.path.join(folder, ""))

"""What a run is about: the project's root, the files that make up the project, and those among them that are reported.

Inside the engine a file is known by its path relative to the root ("key"), so that nothing that is found depends on the
working directory; how users see it ("display") is put in at the end (see `torchdet_lint.engine.places`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from torchdet_lint.config import Anchored, Settings, any_matches
from torchdet_lint.engine.options import Options
from torchdet_lint.source import Discovery, discover

MARKERS = (".git", "pyproject.toml", "torchdet-lint.toml", ".torchdet-lint.toml", "setup.py", "setup.cfg")
"""A folder with one of these is the root of a project."""


class Entry(NamedTuple):
    """One file: how it is named inside and outside of the engine, its absolute path, and its bytes where they do not come
    from there."""

    key: str
    display: str
    path: str
    reported: bool
    data: bytes | None = None


class Scope(NamedTuple):
    """`root` is absolute; `entries` are sorted by key."""

    root: str
    entries: tuple[Entry, ...]
    problems: tuple[str, ...]


def reported(options: Options) -> Discovery:
    """The files that a run reports, and what could not be read on the way."""
    if options.stdin is not None:
        return Discovery((), ())
    settings = options.settings.project
    return _discover([_absolute(options.cwd, path) for path in options.paths], options, settings.force_exclude)


def scope(options: Options) -> Scope:
    """The whole project that the run's files belong to."""
    named = [_absolute(options.cwd, path) for path in options.paths]
    if options.stdin is not None:
        named = [_absolute(options.cwd, options.stdin.filename)]
    root, whole = project_root(options.cwd, named)
    wanted = reported(options)
    around = _discover([root] if whole else _near(root), options, force=False)
    entries = {
        path: Entry(_key(path, root), display_of(path, options.cwd), path, reported=False) for _, path in around.files
    }
    given = {_absolute(options.cwd, path): path for path in options.paths}
    for _, path in wanted.files:
        entries[path] = Entry(_key(path, root), display_of(path, options.cwd, given), path, reported=True)
    if options.stdin is not None and not _excluded(options.settings.project, named[0]):
        display = display_of(named[0], options.cwd, {named[0]: options.stdin.filename})
        entries[named[0]] = Entry(_key(named[0], root), display, named[0], reported=True, data=options.stdin.data)
    return Scope(root, tuple(sorted(entries.values())), wanted.problems)


def project_root(cwd: str, named: Sequence[str]) -> tuple[str, bool]:
    """The root of the project that absolute paths belong to, and whether all of it is looked at.

    Where the working directory is inside a project and holds the paths, it decides, so that the same project is seen
    whichever of its files are passed; else the folder that the paths share. A root is the nearest folder with one of
    `MARKERS`, but never the home folder or one above it. Where there is none, the shared folder is the root, and only
    what a script there would find beside itself is looked at: it may be anything, such as `/tmp`.
    """
    shared = _shared(named) if named else cwd
    places = (cwd, shared) if all(_inside(path, cwd) for path in named) else (shared,)
    for place in places:
        found = _marked(place)
        if found is not None:
            return found, True
    return shared, False


def display_of(path: str, cwd: str, given: dict[str, str] | None = None) -> str:
    """An absolute path as users see it: relative to the working directory where it is inside, else below the path that
    was `given` (from absolute paths to what was written), else by way of `..`."""
    if _inside(path, cwd):
        return _printable(os.path.relpath(path, cwd))
    for absolute, written in (given or {}).items():
        if _inside(path, absolute):
            return _printable(os.path.normpath(os.path.join(written, os.path.relpath(path, absolute))))
    try:
        return _printable(os.path.relpath(path, cwd))
    except ValueError:  # on another drive
        return _printable(path)


def _discover(paths: Sequence[str], options: Options, force: bool) -> Discovery:
    """`source.discover` under the settings: plain names and plain paths keep the search out of folders, and what takes a
    glob to know is dropped afterwards."""
    settings = options.settings.project
    pruned, globs = [], []
    for glob in (*settings.exclude, *settings.extend_exclude):
        if set(glob.text) & set("*?["):
            globs.append(glob)
        elif "/" in glob.text.rstrip("/"):
            pruned.append(os.path.join(glob.base, glob.text.removeprefix("./").strip("/")))
        elif all(_inside(path, glob.base) for path in paths):
            pruned.append(glob.text)
        else:
            globs.append(glob)
    found = discover(
        paths, root=options.settings.root, exclude=pruned, respect_gitignore=settings.respect_gitignore, force_exclude=force
    )
    if not globs:
        return found
    tops = sorted(paths, key=len, reverse=True)
    return found._replace(files=tuple(file for file in found.files if not _dropped(file.path, tuple(globs), tops, force)))


def _dropped(path: str, globs: tuple[Anchored, ...], tops: Iterable[str], force: bool) -> bool:
    """Whether globs exclude a file, apart from what its user named: that is looked into whatever excludes it."""
    top = next((top for top in tops if _inside(path, top)), "")
    return any_matches(globs, path, "" if force else top)


def _excluded(settings: Settings, path: str) -> bool:
    return settings.force_exclude and any_matches((*settings.exclude, *settings.extend_exclude), path)


def _near(root: str) -> list[str]:
    """What a script in the folder can import from it: the modules and packages that lie there."""
    try:
        with os.scandir(root) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError:
        return []
    return [
        entry.path
        for entry in entries
        if (entry.name.endswith((".py", ".pyi")) and entry.is_file())
        or (entry.name.isidentifier() and os.path.isfile(os.path.join(entry.path, "__init__.py")))
    ]


def _marked(folder: str) -> str | None:
    home = os.path.expanduser("~")
    while not _inside(home, folder) and os.path.dirname(folder) != folder:
        if any(os.path.lexists(os.path.join(folder, marker)) for marker in MARKERS):
            return folder
        folder = os.path.dirname(folder)
    return None


def _shared(paths: Sequence[str]) -> str:
    folders = [path if os.path.isdir(path) else os.path.dirname(path) for path in paths]
    try:
        return os.path.commonpath(folders)
    except ValueError:  # on several drives
        return folders[0]


def _absolute(cwd: str, path: str) -> str:
    return os.path.normpath(os.path.join(cwd, path))


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _key(path: str, root: str) -> str:
    try:
        return _printable(os.path.relpath(path, root))
    except ValueError:
        return _printable(path)


def _printable(path: str) -> str:
    """With forward slashes, and with bytes that are no UTF-8 as `\\xff`, since a report could not hold them."""
    return path.replace(os.sep, "/").encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")

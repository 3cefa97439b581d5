"""What a run is about: the project's root, the files that make up the project, and those among them that are reported.

Inside the engine a file is known by its path relative to the root ("key"), so that nothing that is found depends on the
working directory; how users see it ("display") is put in at the end (see `torchdet_lint.engine.places`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from glob import escape
from typing import NamedTuple

from torchdet_lint import disk
from torchdet_lint.config import Anchored, Settings, any_matches
from torchdet_lint.engine.options import Files, Options
from torchdet_lint.source import Discovery, File, discover

MARKERS = (".git", "pyproject.toml", "torchdet-lint.toml", ".torchdet-lint.toml", "setup.py", "setup.cfg")
"""A folder with one of these is the root of a project."""


class Entry(NamedTuple):
    """One file: how it is named inside and outside of the engine, its absolute path, and its bytes where they do not come
    from there. `twin` is the key of the reported file that it is a link to, if it is one: what is found in both is said there.
    """

    key: str
    display: str
    path: str
    reported: bool
    data: bytes | None = None
    twin: str = ""


class Scope(NamedTuple):
    """`root` is absolute; `entries` are sorted by key."""

    root: str
    entries: tuple[Entry, ...]
    problems: tuple[str, ...]


def reported_files(options: Options) -> Files:
    """The files that a run reports, without a look at the rest of the project."""
    root, _ = project_root(options.cwd, _named(options))
    found = _reported(options, root)
    paths = {file.path for file in found.files}
    twins = {file.path for file in found.files if file.link and _target(file.path, root) in paths - {file.path}}
    entries = _named_entries(options, found, root)
    return Files(tuple(sorted(entry.display for entry in entries if entry.path not in twins)), found.problems)


def root_of(cwd: str, paths: Sequence[str]) -> str:
    """The root of the project that paths, given in the folder `cwd`, belong to."""
    return project_root(cwd, [_absolute(cwd, path) for path in paths])[0]


def scope(options: Options) -> Scope:
    """The whole project that the run's files belong to."""
    root, whole = project_root(options.cwd, _named(options))
    around = _discover([root] if whole else _near(root), options, root, force=False)
    entries = {
        path: Entry(_key(path, root), display_of(path, options.cwd), path, False, options.contents.get(path))
        for _, path, _ in around.files
    }
    wanted = _reported(options, root)
    entries.update((entry.path, entry) for entry in _named_entries(options, wanted, root))
    for link in (file.path for file in wanted.files if file.link):
        target = entries.get(_target(link, root))
        if target is not None and target.reported and target.path != link:
            entries[link] = entries[link]._replace(twin=target.key, data=target.data)
    return Scope(root, tuple(sorted(entries.values())), wanted.problems)


def _target(link: str, root: str) -> str:
    """Where a link leads, by way of the root, which may be behind a link itself."""
    return os.path.normpath(os.path.join(root, os.path.relpath(os.path.realpath(link), os.path.realpath(root))))


def _named(options: Options) -> list[str]:
    """The absolute paths that the run is about."""
    paths = options.paths if options.stdin is None else (options.stdin.filename,)
    return [_absolute(options.cwd, path) for path in paths]


def _reported(options: Options, root: str) -> Discovery:
    """The files among and below the paths, and what could not be read on the way."""
    settings = options.settings.project
    if options.stdin is None:
        named = _named(options)
        unsaved = [path for path in named if path in options.contents and not disk.exists(path)]
        found = _discover([path for path in named if path not in unsaved], options, root, settings.force_exclude)
        return found._replace(files=(*found.files, *_not_excluded(unsaved, settings, root)))
    return Discovery(_not_excluded(_named(options), settings, root), ())


def _not_excluded(paths: Iterable[str], settings: Settings, root: str) -> tuple[File, ...]:
    """Files that are not on the disk, so that no search finds them."""
    force, excluded = settings.force_exclude, _exclusions(settings)
    return tuple(File(path, path) for path in paths if not (force and any_matches(excluded, path, root)))


def _exclusions(settings: Settings) -> tuple[Anchored, ...]:
    """What is excluded; the defaults hold everywhere, wherever the configuration would anchor them."""
    usual = settings.origin("exclude") == "default"
    exclude = tuple(Anchored("", each.text) for each in settings.exclude) if usual else settings.exclude
    return (*exclude, *settings.extend_exclude)


def _named_entries(options: Options, found: Discovery, root: str) -> Iterator[Entry]:
    written = (options.stdin.filename,) if options.stdin is not None else options.paths
    given = dict(zip(_named(options), written, strict=True))
    stdin = None if options.stdin is None else options.stdin.data
    for _, path, _ in found.files:
        data = options.contents.get(path, stdin)
        yield Entry(_key(path, root), display_of(path, options.cwd, given), path, reported=True, data=data)


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


def display_of(path: str, cwd: str, given: Mapping[str, str] | None = None) -> str:
    """An absolute path as users see it: relative to the working directory where it is inside, else below the path that
    was `given` (from absolute paths to what was written), else by way of `..`.
    """
    if _inside(path, cwd):
        return printable(os.path.relpath(path, cwd))
    for absolute, written in (given or {}).items():
        if _inside(path, absolute):
            return printable(os.path.normpath(os.path.join(written, os.path.relpath(path, absolute))))
    try:
        return printable(os.path.relpath(path, cwd))
    except ValueError:  # on another drive
        return printable(path)


def _discover(paths: Sequence[str], options: Options, root: str, force: bool) -> Discovery:
    """`source.discover` under the settings: plain names and plain paths keep the search out of folders, and what takes a
    glob to know is dropped afterwards.
    """
    settings = options.settings.project
    pruned, globs = ([] if options.cache_dir is None else [escape(options.cache_dir)]), []
    for glob in _exclusions(settings):
        if set(glob.text) & set("*?["):
            globs.append(glob)
        elif "/" in glob.text.rstrip("/"):
            pruned.append(os.path.join(glob.base, glob.text.removeprefix("./").strip("/")))
        elif not glob.base or _inside(root, glob.base):
            pruned.append(glob.text)
        else:
            globs.append(glob)
    found = discover(
        paths, root=root, exclude=pruned, respect_gitignore=settings.respect_gitignore, force_exclude=force
    )
    tops = [root] if force else sorted(paths, key=len, reverse=True)
    kept = tuple(file for file in found.files if not _dropped(file.path, tuple(globs), tops))
    return found._replace(files=kept) if globs else found


def _dropped(path: str, globs: tuple[Anchored, ...], tops: Iterable[str]) -> bool:
    """Whether globs exclude a file, or a folder around it that is below the first of `tops` that holds it: what users name
    is looked into whatever excludes it.
    """
    return any_matches(globs, path, next((top for top in tops if _inside(path, top)), ""))


def _near(root: str) -> list[str]:
    """What a script in the folder can import from it: the modules and packages that lie there."""
    try:
        entries = sorted(disk.entries(root), key=lambda entry: entry.name)
    except OSError:
        return []
    return [
        entry.path
        for entry in entries
        if (entry.name.endswith((".py", ".pyi")) and entry.is_file())
        or (entry.name.isidentifier() and disk.is_file(os.path.join(entry.path, "__init__.py")))
    ]


def _marked(folder: str) -> str | None:
    home = os.path.expanduser("~")
    while not _inside(home, folder) and os.path.dirname(folder) != folder:
        if any(disk.exists(os.path.join(folder, marker)) for marker in MARKERS):
            return folder
        folder = os.path.dirname(folder)
    return None


def _shared(paths: Sequence[str]) -> str:
    folders = [path if disk.is_folder(path) else os.path.dirname(path) for path in paths]
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
        return printable(os.path.relpath(path, root))
    except ValueError:
        return printable(path)


def printable(path: str) -> str:
    """With forward slashes, and with bytes that are no UTF-8 as `\\xff`, since a report could not hold them."""
    return path.replace(os.sep, "/").encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")

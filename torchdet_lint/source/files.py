"""The search for source files."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from fnmatch import translate
from typing import NamedTuple

from torchdet_lint import disk
from torchdet_lint.source.gitignore import Chain, ignored, rules_above, rules_of

EXTENSIONS = (".py", ".pyi", ".ipynb")

DEFAULT_EXCLUDE = (
    ".bzr", ".direnv", ".eggs", ".git", ".git-rewrite", ".hg", ".ipynb_checkpoints", ".mypy_cache", ".nox", ".pants.d",
    ".pyenv", ".pytest_cache", ".pytype", ".ruff_cache", ".svn", ".torchdet_lint_cache", ".tox", ".venv", ".vscode",
    "__pycache__", "__pypackages__", "_build", "buck-out", "build", "dist", "node_modules", "site-packages", "venv",
)  # fmt: skip
"""Names of folders in which a project keeps what it did not write; ruff's list, and a few of this tool's."""


class File(NamedTuple):
    """`display` is the path as reported: relative to the working directory where it lies in there, with forward
    slashes, and printable (bytes that are no UTF-8 are escaped). `path` opens the file from anywhere. `link` says that it
    is a symbolic link to a file, found by searching.
    """

    display: str
    path: str
    link: bool = False


class Discovery(NamedTuple):
    """The files, sorted by display path; and what could not be read, a line each."""

    files: tuple[File, ...]
    problems: tuple[str, ...]


class _Excludes:
    """Patterns without a slash are for names, others for paths relative to the root, or absolute ones."""

    __slots__ = ("_names", "_paths", "_patterns", "_root")

    def __init__(self, patterns: Sequence[str], root: str) -> None:
        wanted = [pattern.rstrip("/") for pattern in patterns if pattern.rstrip("/")]
        plain = [each for each in wanted if "/" not in each]
        self._names = frozenset(each for each in plain if not set(each) & set("*?["))
        self._patterns = _any_of([each for each in plain if each not in self._names])
        self._paths = _any_of([os.path.join(root, each).replace(os.sep, "/") for each in wanted if "/" in each])

    def match(self, name: str, path: str) -> bool:
        if name in self._names or (self._patterns is not None and self._patterns.match(name)):
            return True
        return self._paths is not None and self._paths.match(path.replace(os.sep, "/")) is not None


def _any_of(patterns: list[str]) -> re.Pattern[str] | None:
    return (
        re.compile("|".join(translate(os.path.normpath(each).replace(os.sep, "/")) for each in patterns))
        if patterns
        else None
    )


class _Folder(NamedTuple):
    path: str  # absolute
    display: str
    real: str
    chain: Chain


def discover(
    paths: Sequence[str],
    *,
    root: str | os.PathLike[str],
    exclude: Sequence[str] = DEFAULT_EXCLUDE,
    extend_exclude: Sequence[str] = (),
    respect_gitignore: bool = True,
    force_exclude: bool = False,
) -> Discovery:
    """The source files among and below the paths.

    A path that is named is taken whatever its extension, and whatever excludes it, unless `force_exclude`; then the
    folders between it and `root` are asked about too. Folders are searched for `EXTENSIONS`; a symbolic link to a
    folder is followed once.
    """
    base = os.path.abspath(root)
    search = _Search(_Excludes((*exclude, *extend_exclude), base), base, respect_gitignore, force_exclude)
    for path in paths:
        search.add(path)
    return Discovery(tuple(sorted(search.found.values())), tuple(search.problems))


class _Search:
    def __init__(self, excludes: _Excludes, root: str, gitignore: bool, force: bool) -> None:
        self.found: dict[str, File] = {}
        self.problems: list[str] = []
        self._excludes, self._root, self._gitignore, self._force = excludes, root, gitignore, force
        self._visited: set[str] = set()

    def add(self, given: str) -> None:
        """Takes a path that was named: a file as it is, a folder with what is below."""
        path = os.path.abspath(given)
        display = shown(path, given)
        if not disk.exists(path):
            self.problems.append(f"{display}: no such file or folder")
        elif self._force and self._is_excluded(path):
            pass
        elif disk.is_folder(path):
            # Ignore files that ignore the folder itself have nothing to say about it: it was named.
            above = rules_above(path) if self._gitignore else ()
            chain = tuple(rules for rules in above if not ignored((rules,), path, True))
            self._walk(_Folder(path, "" if display == "." else display, os.path.realpath(path), chain))
        elif disk.is_file(path):
            self.found[path] = File(display, path)
        else:
            self.problems.append(f"{display}: neither a file nor a folder")

    def _walk(self, top: _Folder) -> None:
        """Folders before links to folders, so that a file is reported by its own path where both lead to it."""
        pending, links = [top], [_Folder("", "", "", ())][:0]
        while pending or links:
            folder = pending.pop() if pending else links.pop(0)
            if folder.real in self._visited:
                continue
            self._visited.add(folder.real)
            try:
                entries = disk.entries(folder.path)
            except OSError as error:
                self.problems.append(f"{folder.display or '.'}: cannot read the folder: {error.strerror or error}")
                continue
            chain = self._chain(folder, {entry.name for entry in entries}) if self._gitignore else ()
            found_links = []
            for entry in entries:
                below = self._take(entry, folder, chain)
                if below and below.real:
                    pending.append(below)
                elif below:
                    found_links.append(below._replace(real=os.path.realpath(below.path)))
            links += sorted(found_links, key=lambda link: link.path)

    def _take(self, entry: os.DirEntry[str], folder: _Folder, chain: Chain) -> _Folder | None:
        """Keeps a source file; returns a folder to search, with `real` left empty for a link."""
        name = entry.name
        is_folder = entry.is_dir(follow_symlinks=False)
        is_link = not is_folder and entry.is_symlink() and os.path.isdir(entry.path)
        if not (is_folder or is_link or (name.endswith(EXTENSIONS) and os.path.isfile(entry.path))):
            return None
        if self._excludes.match(name, entry.path) or (chain and ignored(chain, entry.path, is_folder)):
            return None
        display = f"{folder.display.rstrip('/')}/{_printable(name)}" if folder.display else _printable(name)
        if is_folder or is_link:
            return _Folder(entry.path, display, "" if is_link else os.path.join(folder.real, name), chain)
        self.found.setdefault(entry.path, File(display, entry.path, entry.is_symlink()))
        return None

    @staticmethod
    def _chain(folder: _Folder, names: set[str]) -> Chain:
        chain = folder.chain
        if ".git" in names:  # a repository of its own, whatever is around it
            chain = rules_of(os.path.join(folder.path, ".git", "info"), "exclude", base=folder.path)
        return chain + rules_of(folder.path) if ".gitignore" in names else chain

    def _is_excluded(self, path: str) -> bool:
        """Whether patterns or ignore files exclude the path, or a folder between the root and it."""
        at, is_folder = path, disk.is_folder(path)
        while True:
            parent = os.path.dirname(at)
            if self._excludes.match(os.path.basename(at), at):
                return True
            if self._gitignore and ignored(rules_above(parent) + rules_of(parent), at, is_folder):
                return True
            if parent == at or not parent.startswith(self._root):
                return False
            at, is_folder = parent, True


def shown(path: str, given: str) -> str:
    """An absolute path as reported: relative to the working directory if it lies in there, else as it was given."""
    here = os.path.join(os.getcwd(), "")
    if path + os.sep == here:
        return "."
    inside = path[len(here) :] if path.startswith(here) else given
    return _printable(inside.replace(os.sep, "/"))


def _printable(name: str) -> str:
    """Bytes of a file name that are no UTF-8 as `\\xff`; a path with them could not be written to a report."""
    if name.isascii():
        return name
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")

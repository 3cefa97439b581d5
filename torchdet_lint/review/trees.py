"""A commit as a folder that can be analysed, somewhere else than in the work tree.

Blobs are read as they are stored: no filter, hook or attribute of the repository runs or hides anything (`git archive` would
leave out what `export-ignore` names). The folder lies below another one at the same path as the work tree, so that
configuration files above the work tree are found from it too.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from torchdet_lint.config.files import NAMES
from torchdet_lint.review.errors import ReviewError
from torchdet_lint.review.git import Repository

CODE = (".py", ".pyi", ".ipynb")
CONFIGURATION = (".toml", ".gitignore")
"""Files whose names end like this decide which rules are on where, and which files are looked at."""

LARGEST = 200_000
"""Bytes of files that are no code: those that say something about a project (`setup.cfg`, `requirements.txt`) are small."""


class Blob(NamedTuple):
    path: str
    name: str
    size: int


class Tree(NamedTuple):
    """A commit on the disk: the folder that stands for the work tree, and the paths of all files of the commit from there."""

    top: str
    files: frozenset[str]


def tree_of(repo: Repository, commit: str, below: str) -> Tree:
    """Writes what an analysis looks at to its place below a folder. Raises ReviewError."""
    blobs = list(_blobs(repo.git("ls-tree", "-r", "-z", "-l", "--full-tree", commit)))
    top = mirrored(repo.top, below)
    os.makedirs(os.path.join(top, ".git", "info"), exist_ok=True)  # what marks the root of a project
    excluded = repo.asks("rev-parse", "--git-path", "info/exclude")
    if excluded and os.path.isfile(path := os.path.join(repo.cwd, excluded)):
        shutil.copyfile(path, os.path.join(top, ".git", "info", "exclude"))
    _copy_configuration_above(repo.top, below)
    wanted = [blob for blob in blobs if blob.path.endswith(CODE) or blob.size <= LARGEST]
    for blob, data in zip(wanted, _contents(repo, wanted), strict=True):
        _write(os.path.join(top, *blob.path.split("/")), data)
    os.makedirs(os.path.join(top, repo.prefix), exist_ok=True)
    return Tree(top, frozenset(blob.path for blob in blobs))


def configured_like(tree: Tree, top: str, files: Iterable[str]) -> None:
    """Puts the configuration of another tree, among its `files`, in the place of this one's: what the configuration itself
    changes is not what code changed.
    """
    for path in filter(_is_configuration, tree.files):
        target = os.path.join(tree.top, *path.split("/"))
        if os.path.lexists(target):
            os.unlink(target)
    for path in filter(_is_configuration, files):
        source = os.path.join(top, *path.split("/"))
        if os.path.isfile(source):
            with open(source, "rb") as file:
                _write(os.path.join(tree.top, *path.split("/")), file.read())


def mirrored(path: str, below: str) -> str:
    """The place of an absolute path below a folder."""
    return os.path.join(below, os.path.splitdrive(path)[1].lstrip(os.sep))


def _is_configuration(path: str) -> bool:
    return path.endswith(CONFIGURATION)


def _copy_configuration_above(top: str, below: str) -> None:
    folder = os.path.dirname(top)
    while folder != os.path.dirname(folder):
        for name in NAMES:
            source = os.path.join(folder, name)
            if os.path.isfile(source):
                target = os.path.join(mirrored(folder, below), name)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copyfile(source, target)
        folder = os.path.dirname(folder)


def _blobs(listing: bytes) -> Iterator[Blob]:
    """The regular files of `git ls-tree -r -z -l`: `mode type name size TAB path`. Links are not followed out of the tree, and
    what a submodule holds is another project.
    """
    for entry in listing.split(b"\0"):
        head, _, path = entry.partition(b"\t")
        shown = path.decode("utf-8", "surrogateescape")
        if head.startswith(b"100") and _stays_inside(shown):
            _, _, name, size = head.split()
            yield Blob(shown, name.decode(), int(size) if size.isdigit() else 0)


def _stays_inside(path: str) -> bool:
    """Whether a path is one that git itself would check out: whoever forges objects can name things `../x` in them."""
    windows = os.sep == "\\"
    parts = (path.replace("\\", "/") if windows else path).split("/")
    return not any(part in ("", ".", "..") or part.lower() == ".git" or (windows and ":" in part) for part in parts)


def _contents(repo: Repository, blobs: list[Blob]) -> Iterator[bytes]:
    """The bytes of blobs, in order, as `git cat-file --batch` writes them: `name type size LF bytes LF`."""
    data = memoryview(repo.git("cat-file", "--batch", data="".join(f"{blob.name}\n" for blob in blobs).encode()))
    at = 0
    for blob in blobs:
        end = at + data[at : at + 200].tobytes().index(b"\n")
        said = data[at:end].tobytes().split()
        if len(said) != 3:
            raise ReviewError(
                f"{blob.path} of the base is not in this clone ({said[-1].decode()}); fetch it without a filter"
            )
        start, at = end + 1, end + 1 + int(said[2]) + 1
        yield data[start : at - 1].tobytes()


def _write(path: str, data: bytes) -> None:
    """Writes a file of the tree; what this file system cannot hold (a name with a colon, two names in one case) is left out."""
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
    except (OSError, ValueError):
        pass

"""A review from revisions to findings: both sides are analysed, and compared."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from posixpath import join, normpath
from typing import NamedTuple, TypeAlias

from torchdet_lint import engine
from torchdet_lint.engine.options import Options, Progress, Result, no_excerpt
from torchdet_lint.engine.scope import printable
from torchdet_lint.finding import Finding, Location
from torchdet_lint.review import git, trees
from torchdet_lint.review.compare import Excerpt, Noted, Side, compared, on_changed_lines
from torchdet_lint.review.diff import Change, FileChange, parse, whole
from torchdet_lint.review.errors import ReviewError
from torchdet_lint.review.git import Repository


class Folder(NamedTuple):
    """A folder that stands for the work tree at `real`; the same folder where it is the work tree itself."""

    top: str
    cwd: str
    real: str

    def at(self, path: str) -> str:
        """An absolute path of the work tree in this one, where there is something; else the path itself."""
        if self.top == self.real or os.path.relpath(path, self.real).startswith(os.pardir):
            return path
        here = os.path.join(self.top, os.path.relpath(path, self.real))
        return here if os.path.exists(here) else path


OptionsFor: TypeAlias = Callable[[Folder, tuple[str, ...]], Options]
"""The options of a run on some paths in a folder, under the settings of the command line."""

Tried: TypeAlias = Callable[[Sequence[Finding], str], Sequence[Finding]]
"""Findings with evidence, in their order; their paths are relative to the folder that is given, which still stands."""


def untried(findings: Sequence[Finding], _top: str) -> Sequence[Finding]:
    """Findings as they are."""
    return findings


@dataclass(frozen=True, slots=True)
class Review:
    """What a review has to say. `noted` have paths from the top of the repository; the commits are "" where there are none."""

    noted: tuple[Noted, ...]
    change: Change
    excerpt: Excerpt
    problems: tuple[str, ...] = ()
    base: str = ""
    start: str = ""
    head: str = ""
    options: Options | None = None


def reviewed_diff(
    text: str,
    source: str,
    cwd: str,
    options_for: OptionsFor,
    paths: tuple[str, ...],
    progress: Progress,
    tried: Tried = untried,
) -> Review:
    """What stands on the lines that a diff adds to the files as they are. Its paths are from the top of the repository or,
    outside of any, from the working directory.
    """
    change = parse(text, source)
    try:
        repo = git.repository(cwd)
    except ReviewError:
        repo = Repository(cwd, cwd, "")
    options = options_for(Folder(repo.top, cwd, repo.top), paths)
    result = engine.run(options, progress)
    side = _side(result, repo.prefix)
    noted = _with_evidence(on_changed_lines(side, change), repo.top, tried)
    return Review(noted, change, side.excerpt, result.problems, options=options)


def reviewed(
    repo: Repository,
    base: str,
    head: str | None,
    options_for: OptionsFor,
    paths: tuple[str, ...],
    progress: Progress,
    tried: Tried = untried,
) -> Review:
    """What the way from a base to a head introduces, as pull requests count it: from where they part. Without `head` the head is
    the work tree as it is, files that git does not know yet included.
    """
    start = git.commit(repo, base)
    tip = git.commit(repo, head or "HEAD")
    parted = git.merge_base(repo, start, tip)
    named = [
        normpath(join(repo.prefix, path.replace(os.sep, "/")))
        for path in paths
        if os.path.isfile(os.path.join(repo.cwd, path))
    ]
    change = parse(git.diff(repo, parted, None if head is None else tip, named).decode("utf-8", "surrogateescape"))
    if head is None:
        change = _with_untracked(change, repo, named)
    with ExitStack() as stack:
        ours = _head(repo, None if head is None else tip, options_for, paths, stack, progress)
        before = _base(repo, parted, ours, change, options_for, paths, stack, progress)
        for path in paths:
            if not any(os.path.lexists(os.path.join(each.folder.cwd, path)) for each in (ours, before)):
                raise ReviewError(f"no such file or folder on either side of the change: {path}")
        files = {*map(printable, before.files), *change.files}
        side = ours.side._replace(findings=[each for each in ours.side.findings if each.location.path in files])
        noted = _with_evidence(compared(before.side, side, change), ours.folder.top, tried)
    problems = tuple(dict.fromkeys((*ours.problems, *(f"in the base: {each}" for each in before.problems))))
    return Review(noted, change, side.excerpt, problems, parted, start, tip, ours.options)


def _with_evidence(noted: Sequence[Noted], top: str, tried: Tried) -> tuple[Noted, ...]:
    findings = tried([each.finding for each in noted], top)
    return tuple(each._replace(finding=finding) for each, finding in zip(noted, findings, strict=True))


class _Analysed(NamedTuple):
    side: Side
    problems: tuple[str, ...]
    files: frozenset[str]
    folder: Folder
    options: Options | None = None


def _head(
    repo: Repository,
    commit: str | None,
    options_for: OptionsFor,
    paths: tuple[str, ...],
    stack: ExitStack,
    progress: Progress,
) -> _Analysed:
    if commit is None:
        folder = Folder(repo.top, repo.cwd, repo.top)
        listed = repo.git("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--full-name", "--", ":(top)")
        files = frozenset(listed.decode("utf-8", "surrogateescape").split("\0"))
    else:
        tree = trees.tree_of(repo, commit, _temporary(stack))
        folder, files = _folder(tree, repo), tree.files
    return _analysed(folder, repo, files, _there(folder, paths), options_for, progress)


def _base(
    repo: Repository,
    commit: str,
    head: _Analysed,
    change: Change,
    options_for: OptionsFor,
    paths: tuple[str, ...],
    stack: ExitStack,
    progress: Progress,
) -> _Analysed:
    """The base under the configuration of the head. It is written only when the head has been read, in case that temporary files
    lie inside of the work tree.
    """
    tree = trees.tree_of(repo, commit, _temporary(stack))
    trees.configured_like(tree, head.folder.top, head.files)
    folder = _folder(tree, repo)
    wanted = _there(folder, (*paths, *_old_names(paths, repo.prefix, change)))
    return _analysed(folder, repo, tree.files, wanted, options_for, progress)


def _analysed(
    folder: Folder,
    repo: Repository,
    files: frozenset[str],
    paths: tuple[str, ...],
    options_for: OptionsFor,
    progress: Progress,
) -> _Analysed:
    if not paths:
        return _Analysed(Side((), no_excerpt), (), files, folder)
    options = options_for(folder, paths)
    result = engine.run(options, progress)
    return _Analysed(_side(result, repo.prefix), result.problems, files, folder, options)


def _old_names(paths: Iterable[str], prefix: str, change: Change) -> list[str]:
    """What files that are named were called in the base, from the working directory."""
    old = {new: path for path, new in change.renames.items()}
    named = [normpath(join(prefix, path.replace(os.sep, "/"))) for path in paths]
    return [os.path.relpath(old[path], prefix or ".") for path in named if path in old]


def _with_untracked(change: Change, repo: Repository, named: list[str]) -> Change:
    files: dict[str, FileChange] = dict(change.files)
    for path in git.untracked(repo, named):
        try:
            with open(os.path.join(repo.top, path), "rb") as file:
                data = file.read()
        except OSError:
            continue
        shown = printable(path)
        files.setdefault(shown, whole(shown, data.count(b"\n") + (not data.endswith(b"\n"))))
    return Change(files)


def _folder(tree: trees.Tree, repo: Repository) -> Folder:
    return Folder(tree.top, os.path.join(tree.top, *repo.prefix.split("/")[:-1]), repo.top)


def _there(folder: Folder, paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(path for path in dict.fromkeys(paths) if os.path.lexists(os.path.join(folder.cwd, path)))


def _temporary(stack: ExitStack) -> str:
    made = stack.enter_context(tempfile.TemporaryDirectory(prefix="torchdet-lint-", ignore_cleanup_errors=True))
    return os.path.realpath(made)


def _side(result: Result, prefix: str) -> Side:
    """A result with paths from the top of the repository."""
    shown: dict[str, str] = {}

    def moved(at: Location) -> Location:
        path = normpath(join(prefix, at.path))
        shown[path] = at.path
        return at._replace(path=path)

    findings = sorted((_moved(each, moved) for each in result.findings), key=lambda each: each.sort_key)
    names: Mapping[str, str] = shown

    def excerpt(at: Location) -> tuple[str, ...]:
        return result.excerpt(at._replace(path=names.get(at.path, at.path)))

    return Side(findings, excerpt)


def _moved(finding: Finding, moved: Callable[[Location], Location]) -> Finding:
    fix = finding.fix
    if fix is not None:
        edits, imports = (
            tuple(each._replace(location=moved(each.location)) for each in part) for part in (fix.edits, fix.imports)
        )
        fix = replace(fix, edits=edits, imports=imports)
    related = tuple(each._replace(location=moved(each.location)) for each in finding.related)
    return replace(finding, location=moved(finding.location), related=related, fix=fix)

"""Which paths git would ignore, so that a search for files passes them by."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from torchdet_lint import disk

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


class Rules(NamedTuple):
    """The patterns of one ignore file; `base` is the folder that they are relative to, ending in a separator."""

    base: str
    spec: GitIgnoreSpec


Chain: TypeAlias = tuple[Rules, ...]
"""From the outermost ignore file to the innermost; the innermost that says something about a path decides."""


def rules_of(folder: str, name: str = ".gitignore", base: str | None = None) -> Chain:
    """The rules of the ignore file in a folder; none where it is missing, unreadable or empty."""
    try:
        lines = disk.read(os.path.join(folder, name)).decode("utf-8", "surrogateescape").splitlines()
    except OSError:
        return ()
    if not any(line.strip() and not line.startswith("#") for line in lines):
        return ()
    return (Rules(os.path.join(base or folder, ""), _spec(lines)),)


def _spec(lines: list[str]) -> GitIgnoreSpec:
    # pathspec is imported where it is needed only: most runs meet no ignore file.
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return GitIgnoreSpec.from_lines(line for line in lines if _is_pattern(line))


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def rules_above(folder: str) -> Chain:
    """The rules that hold in a folder from outside of it: of the folders above it up to the root of its git repository,
    and the repository's own `info/exclude`. None outside of a repository.
    """
    above: list[str] = []
    at = folder
    while not disk.exists(os.path.join(at, ".git")):
        parent = os.path.dirname(at)
        if parent == at:
            return ()
        at = parent
        above.append(at)
    chain = rules_of(os.path.join(at, ".git", "info"), "exclude", base=at)
    for outer in reversed(above):
        chain += rules_of(outer)
    return chain


def ignored(chain: Chain, path: str, is_folder: bool) -> bool:
    """Whether the rules ignore an absolute path."""
    for rules in reversed(chain):
        relative = path[len(rules.base) :] + ("/" if is_folder else "")
        verdict = rules.spec.check_file(relative.replace(os.sep, "/")).include
        if verdict is not None:
            return verdict
    return False

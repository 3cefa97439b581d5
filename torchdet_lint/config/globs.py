"""Paths and globs as configuration writes them: relative to a folder, matched the way `.gitignore` lines are.

A glob with no slash inside (`*.pb.py`, `legacy`) matches a file or folder of that name at any depth below the folder; one
with a slash (`src/legacy/*.py`) starts at the folder. `*` and `?` stop at slashes, `**` does not. What matches a folder matches
everything in it.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import NamedTuple


class Anchored(NamedTuple):
    """A path, glob or entry point, with the absolute folder that it is relative to."""

    base: str
    text: str

    @property
    def path(self) -> str:
        """The absolute path, for values that are not globs; `~` is expanded."""
        return os.path.normpath(os.path.join(self.base, os.path.expanduser(self.text)))

    def matches(self, path: str, within: str = "") -> bool:
        """Whether the glob matches the absolute `path`, or a folder above it that is inside of the base and of `within`.

        A walk that starts at a folder the user named passes it as `within`: naming an excluded folder looks into it.
        """
        anchored, pattern = _compiled(self.text)
        parts, base = _parts(path), _parts(self.base)
        if parts[: len(base)] != base:
            return False
        first = max(len(base), len(_parts(within)))
        if not anchored:
            return any(pattern.fullmatch(part) for part in parts[first:])
        return any(pattern.fullmatch("/".join(parts[len(base) : end])) for end in range(first + 1, len(parts) + 1))


def any_matches(globs: tuple[Anchored, ...], path: str, within: str = "") -> bool:
    """Whether one of the globs matches, as in `Anchored.matches`."""
    return any(glob.matches(path, within) for glob in globs)


def _parts(path: str) -> list[str]:
    return [part for part in path.replace(os.sep, "/").split("/") if part]


@lru_cache(maxsize=512)
def _compiled(glob: str) -> tuple[bool, re.Pattern[str]]:
    text = glob.replace(os.sep, "/").rstrip("/")
    text = text.removeprefix("./")
    return "/" in text, re.compile(_regex(text.lstrip("/")))


def _regex(glob: str) -> str:
    out, at = [], 0
    while at < len(glob):
        if glob.startswith("**/", at):
            out.append("(?:.*/)?")
            at += 3
        elif glob.startswith("**", at):
            out.append(".*")
            at += 2
        elif glob[at] == "[" and (end := glob.find("]", at + 2)) > 0:
            out.append(_one_of(glob[at + 1 : end]))
            at = end + 1
        else:
            out.append({"*": "[^/]*", "?": "[^/]"}.get(glob[at]) or re.escape(glob[at]))
            at += 1
    return "".join(out)


def _one_of(inside: str) -> str:
    """The regular expression of `[inside]`; a range that runs backwards holds nothing."""
    negated = inside[0] in "!^"
    chars, parts = inside[negated:], []
    for single, low, high in re.findall(r"(.)(?!-.)|(.)-(.)", chars, re.DOTALL):
        if single:
            parts.append(re.escape(single))
        elif low <= high:
            parts.append(f"{re.escape(low)}-{re.escape(high)}")
    if not parts:
        return "[^/]" if negated else "(?!)"
    return f"(?!/)[{'^' * negated}{''.join(parts)}]"

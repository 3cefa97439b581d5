"""What goes into a run and what comes out of it, as frozen values.

The engine has three entrances, each a function of `Options`: `run` lints, `programs` describes the entry points, and
`files` only lists what would be checked.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from torchdet_lint.card import ProgramCard
from torchdet_lint.config import SettingsFor
from torchdet_lint.finding import Finding, Location

if TYPE_CHECKING:
    from torchdet_lint.engine.kept import Memory

Progress: TypeAlias = Callable[[str, int, int], None]
"""`progress(stage, done, total)`: called now and then, from the main process only; total is 0 where it is not known. What it
raises ends the run, if it is no `Exception`.
"""


def silent(_stage: str, _done: int, _total: int) -> None:
    """The progress function that shows nothing."""


class Stdin(NamedTuple):
    """A file whose contents come from elsewhere (standard input, an editor's buffer); `filename` is taken for its path."""

    filename: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Options:
    """One run.

    `paths` are files and folders as the user wrote them, which exist; with `stdin` they are empty. `settings` answers
    what is configured for a path. `jobs` is the number of worker processes, 0 for as many as there are processors.
    Nothing is read from a cache or written to one unless `cache` is true; `cache_dir` is the folder that the command line names
    for it, if any. With `suppressions` false suppression comments hide nothing.
    `contents` are the bytes of files, by absolute path, that are taken for what is on the disk, whether or not there is
    something. `memory` is what a process that runs again and again has in place of a cache. With `cards` the result describes
    the programs too.
    """

    paths: tuple[str, ...]
    settings: SettingsFor
    stdin: Stdin | None = None
    jobs: int = 0
    cache: bool = False
    cache_dir: str | None = None
    suppressions: bool = True
    cwd: str = field(default_factory=os.getcwd)
    contents: Mapping[str, bytes] = field(default_factory=dict)
    cards: bool = False
    memory: Memory | None = None
    lasting: bool = True
    """Whether what is analysed is what is on the disk, so that a `memory` may put it into its cache folder."""


class Work(NamedTuple):
    """What a run has done, and what it took from the cache: files and parts of the project that earlier runs knew, and units
    that libcst parsed.
    """

    files: int = 0
    files_known: int = 0
    parts: int = 0
    parts_known: int = 0
    parsed: int = 0


def no_excerpt(_place: Location) -> tuple[str, ...]:
    """The excerpt function for places whose text is not at hand."""
    return ()


@dataclass(frozen=True, slots=True)
class Result:
    """What a run found.

    `findings` are those to be shown: selected, not suppressed, with the severities of the configuration, at or above
    `min-severity` and `min-confidence`, in the order of `Finding.sort_key`. `files` are the paths that were checked, sorted.
    `problems` are things that kept a part of the project from being checked, one line each; they make a run fail.
    `suppressed` counts the findings that comments hide, `programs` the entry points, `work` what it took. `excerpt(place)`
    gives the lines `place.line` to `place.end_line` as they were analysed, without line ends, and () where they are no longer
    at hand. `paths` are the absolute paths of `files`; `digests` name the bytes that were analysed of those that could be read.
    `known` counts the findings that a baseline holds. Where comments hide nothing, `excused` has what they
    would hide: their reasons by fingerprint. `cards` describe the programs, where the options ask for that.
    """

    findings: tuple[Finding, ...]
    files: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    suppressed: int = 0
    programs: int = 0
    work: Work = Work()
    excerpt: Callable[[Location], tuple[str, ...]] = no_excerpt
    paths: Mapping[str, str] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    known: int = 0
    excused: Mapping[str, str] | None = None
    cards: tuple[ProgramCard, ...] = ()


class Files(NamedTuple):
    """The paths that a run would check, sorted, and what kept others from being seen."""

    files: tuple[str, ...]
    problems: tuple[str, ...] = ()


class Programs(NamedTuple):
    """The cards of a project's programs, by path, and what kept parts of it from being read."""

    cards: tuple[ProgramCard, ...]
    problems: tuple[str, ...] = ()

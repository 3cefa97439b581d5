"""A run from paths to findings, step by step."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from torchdet_lint.card import ProgramCard
from torchdet_lint.catalog.rules import Catalog
from torchdet_lint.config import Settings
from torchdet_lint.config.policy import Policy, catalog_for, policy
from torchdet_lint.engine.fingerprint import fingerprinted
from torchdet_lint.engine.load import Loaded, load_all
from torchdet_lint.engine.options import Options, Programs, Progress, Result
from torchdet_lint.engine.places import Displayed, excerpt
from torchdet_lint.engine.scope import Entry, Scope, scope
from torchdet_lint.engine.scripts import scripts
from torchdet_lint.engine.suppression import UNUSED, Selectors, judge
from torchdet_lint.engine.tables import apis_for
from torchdet_lint.engine.unreadable import unreadable
from torchdet_lint.engine.versions import versions_by_file
from torchdet_lint.finding import Finding, Location
from torchdet_lint.project.modules import Project

if TYPE_CHECKING:
    from torchdet_lint.checks import Context, Facts


class Run:
    """One run: everything that its steps share."""

    def __init__(self, options: Options, progress: Progress) -> None:
        settings = options.settings.project
        self.options = options
        self.progress = progress
        self.catalog: Catalog = catalog_for(settings)
        self.scope: Scope = scope(options)
        self.reported: dict[str, Entry] = {entry.key: entry for entry in self.scope.entries if entry.reported}
        self.policies = Policies(options, self.catalog)
        self.displayed = Displayed({entry.key: entry.display for entry in self.scope.entries})
        self.problems: list[str] = list(self.scope.problems)
        self.loaded = Loaded()

    def context(self) -> Context:
        """Reads every file, and gives what the checks need."""
        from torchdet_lint.checks import Context

        settings = self.options.settings.project
        apis = apis_for(settings)
        self.loaded = load_all(self.scope.entries, apis, self.options.jobs, self.progress)
        self.progress("linking", 0, 0)
        sources = _import_folders(settings, self.scope.root)
        project = Project(self.loaded.sources.values(), self.loaded.lower, sources)
        versions = versions_by_file(self.scope.root, settings.target_torch)
        return Context(
            project=project,
            apis=apis,
            catalog=self.catalog,
            versions=versions(""),
            codes=frozenset[str]().union(*(self.policies.of(entry).codes for entry in self.reported.values())),
            scripts=scripts(self.scope.root, project, settings, sources),
            tests_are_programs=settings.tests_are_programs,
            versions_for=versions,
            reported=None if len(self.reported) == len(self.scope.entries) else frozenset(self.reported),
        )

    def facts(self) -> Facts | None:
        """Everything that is known of the project; None after an internal error, which is noted."""
        from torchdet_lint.checks import gather

        context = self.context()
        try:
            facts = gather(context, self.progress)
            for _, error in facts.troubles:
                self.trouble(error, "analysing a program")
            return facts
        except Exception as error:  # noqa: BLE001 (the files that cannot be read are still told)
            self.trouble(error, "analysing the project")
            return None

    def trouble(self, error: Exception, doing: str) -> None:
        """Notes an error of our own: the rest of the run is worth having."""
        frame = error.__traceback__
        while frame is not None and frame.tb_next is not None:
            frame = frame.tb_next
        where = f" at {os.path.basename(frame.tb_frame.f_code.co_filename)}:{frame.tb_lineno}" if frame else ""
        text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        self.problems.append(
            f"internal error while {doing}: {' '.join(text.split())}{where}; findings are missing (please report this)"
        )


class Policies:
    """The policy of each file, made once for each configuration."""

    def __init__(self, options: Options, catalog: Catalog) -> None:
        self._options = options
        self._catalog = catalog
        self._known: dict[int, tuple[Settings, Policy]] = {}

    def of(self, entry: Entry) -> Policy:
        settings = self._options.settings(entry.path)
        if id(settings) not in self._known:
            self._known[id(settings)] = (settings, policy(settings, self._catalog))
        return self._known[id(settings)][1]


def run(options: Options, progress: Progress) -> Result:
    """Lints. Raises ConfigError, CatalogError and VersionError for what the configuration has wrong."""
    state = Run(options, progress)
    with _room_for_recursion():
        facts = state.facts()
        found = [] if facts is None else list(_found(state, facts))
    found += _unreadable(state)
    shown, hidden = _settled(state, found)
    return Result(
        findings=tuple(sorted(map(state.displayed.finding, shown), key=lambda finding: finding.sort_key)),
        files=tuple(sorted(entry.display for entry in state.reported.values())),
        problems=tuple(state.problems),
        suppressed=hidden,
        programs=0 if facts is None else sum(each.program.path in state.reported for each in facts.programs),
        excerpt=_Excerpts(state),
    )


def programs(options: Options, progress: Progress) -> Programs:
    """Describes the programs among the files of the run. Raises what `run` raises."""
    from torchdet_lint.checks.cards import program_cards

    state = Run(options, progress)
    cards: tuple[ProgramCard, ...] = ()
    with _room_for_recursion():
        facts = state.facts()
        try:
            cards = program_cards(facts) if facts is not None else ()
        except Exception as error:  # noqa: BLE001 (as in `_guarded`)
            state.trouble(error, "describing programs")
    shown = [state.displayed.card(card) for card in cards if card.path in state.reported]
    for finding in map(state.displayed.finding, _unreadable(state)):
        state.problems.append(f"{finding.location.path}:{finding.location.line}: {finding.message}")
    return Programs(tuple(sorted(shown, key=lambda card: (card.path, card.name))), tuple(state.problems))


@contextmanager
def _room_for_recursion() -> Iterator[None]:
    """The analyses recurse over statements inside of calls inside of statements: deeper than programs usually do, but not
    so deep that a thread's usual stack of 8 MB would not hold it.
    """
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 6000))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _found(state: Run, facts: Facts) -> Iterator[Finding]:
    """What the checks say about the reported files."""
    from torchdet_lint.checks import checks_for

    for own, check in checks_for(facts.context):
        codes = own & facts.context.codes
        if codes:
            yield from _guarded(state, codes, check(facts))


def _guarded(state: Run, codes: frozenset[str], findings: Iterator[Finding]) -> Iterator[Finding]:
    """The findings of one check. One that fails takes only its own further findings with it."""
    try:
        for finding in findings:
            if finding.code in codes and finding.location.path in state.reported:
                yield finding
    except Exception as error:  # noqa: BLE001 (what others find is worth having, and the run fails)
        state.trouble(error, f"checking {', '.join(sorted(codes))}")


def _unreadable(state: Run) -> Iterator[Finding]:
    for key, fault in sorted(state.loaded.faults.items()):
        if key in state.reported:
            yield unreadable(key, fault, state.loaded.sources.get(key), state.catalog)


def _settled(state: Run, found: Iterable[Finding]) -> tuple[list[Finding], int]:
    """The findings to show, under suppressions and configuration, and how many of them comments hide."""
    by_file: dict[str, list[Finding]] = {key: [] for key in state.reported}
    for finding in sorted(set(found), key=lambda finding: finding.sort_key):
        by_file[finding.location.path].append(finding)
    selectors = Selectors(state.catalog)
    shown: list[Finding] = []
    hidden = 0
    sources = state.loaded.sources
    for key, findings in by_file.items():
        entry, source = state.reported[key], sources.get(key)
        rules = state.policies.of(entry)
        # Before anything is hidden, so that a suppression changes no name but that of what it hides.
        kept = tuple(fingerprinted(findings, sources))
        if source is not None and state.options.suppressions:
            # What a file that could not be analysed would have had to suppress is not known.
            broken = frozenset((UNUSED,)) if key in state.loaded.faults else frozenset[str]()
            kept, away = judge(source, kept, selectors, rules.codes_for(entry.path) - broken)
            hidden += sum(rules.shown(each, entry.path) is not None for each in away)
            kept = (*(each for each in kept if each.code != UNUSED), *fingerprinted(_of(UNUSED, kept), sources))
        shown += [each for finding in kept if (each := rules.shown(finding, entry.path)) is not None]
    return shown, hidden


def _of(code: str, findings: Iterable[Finding]) -> Iterator[Finding]:
    return (finding for finding in findings if finding.code == code)


def _import_folders(settings: Settings, root: str) -> tuple[str, ...]:
    """The folders that imports are resolved from, by key. The defaults are meant from the root of the project."""
    if settings.origin("src") == "default":
        return tuple(each.text for each in settings.src)
    return tuple(os.path.relpath(each.path, root).replace(os.sep, "/") for each in settings.src)


class _Excerpts:
    """`Result.excerpt`: the lines of a place as users see it."""

    def __init__(self, state: Run) -> None:
        self._sources = {entry.display: state.loaded.sources.get(entry.key) for entry in state.scope.entries}

    def __call__(self, place: Location) -> tuple[str, ...]:
        source = self._sources.get(place.path)
        return () if source is None else excerpt(source, place)

"""A run from paths to findings, step by step."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from torchdet_lint.cache.folder import default_folder
from torchdet_lint.card import ProgramCard
from torchdet_lint.catalog.rules import Catalog
from torchdet_lint.config import Settings
from torchdet_lint.config.policy import Policy, catalog_for, policy
from torchdet_lint.engine.fingerprint import fingerprinted
from torchdet_lint.engine.fixes import without_comment
from torchdet_lint.engine.handover import Terms, judge_there
from torchdet_lint.engine.kept import Kept, kept_in
from torchdet_lint.engine.load import Loaded, load_all, size_of
from torchdet_lint.engine.options import Options, Programs, Progress, Result, Work
from torchdet_lint.engine.parts import Judge
from torchdet_lint.engine.places import Displayed, excerpt
from torchdet_lint.engine.scope import Entry, Scope, scope
from torchdet_lint.engine.scripts import scripts
from torchdet_lint.engine.suppression import UNUSED, Selectors, excuses, judge
from torchdet_lint.engine.tables import apis_for, written_tables
from torchdet_lint.engine.troubles import trouble
from torchdet_lint.engine.unreadable import unreadable
from torchdet_lint.engine.verdict import Verdict
from torchdet_lint.engine.versions import versions_by_file
from torchdet_lint.engine.workers import Crew, can_fork, processors
from torchdet_lint.finding import Finding, Location
from torchdet_lint.project.context import Context
from torchdet_lint.project.modules import Project
from torchdet_lint.project.parts import parts

SMALL = 300_000
"""Bytes of code below which a project is judged in one process: to start others would take longer."""

EARLY = 8
"""How many processes are started to judge before it is known how many parts there are to judge."""


class Run:
    """One run: everything that its steps share."""

    def __init__(self, options: Options, progress: Progress) -> None:
        settings = options.settings.project
        self.options = options
        self.progress = progress
        self.catalog: Catalog = catalog_for(settings)
        self.scope: Scope = scope(options)
        self.judged: dict[str, Entry] = {entry.key: entry for entry in self.scope.entries if entry.reported}
        self.reported: dict[str, Entry] = {key: entry for key, entry in self.judged.items() if not entry.twin}
        self.policies = Policies(options, self.catalog)
        self.displayed = Displayed({entry.key: entry.display for entry in self.scope.entries})
        self.problems: list[str] = list(self.scope.problems)
        self.loaded = Loaded()
        self.parts: Counter[str] = Counter()
        self.kept = _kept(options, self.scope.root)

    @contextmanager
    def judge(self, jobs: int) -> Iterator[Judge]:
        """Reads every file, and gives who judges them, in as many processes."""
        settings = self.options.settings.project
        terms = self._terms(settings)
        most = min(jobs, EARLY, len(self.judged))  # only parts with a reported file are judged
        crew = Crew(partial(judge_there, terms), most) if self._is_worth_a_crew(most) else None
        try:
            self.loaded = load_all(self.scope.entries, terms.context.apis, self.options.jobs, self.progress, self.kept)
            self.progress("linking", 0, 0)
            folders = _import_folders(settings, self.scope.root)
            project = Project(self.loaded.sources.values(), self.loaded.lower, folders)
            context = replace(
                terms.context, project=project, scripts=scripts(self.scope.root, project, settings, folders)
            )
            yield Judge(context, self.loaded, _policy(context, settings), self.options.cards, crew, self.parts)
        finally:
            if crew is not None:
                crew.dismiss()

    def _terms(self, settings: Settings) -> Terms:
        """What is known before any file is read."""
        versions = versions_by_file(self.scope.root, settings.target_torch)
        context = Context(
            project=Project((), self.loaded.lower),
            apis=apis_for(settings),
            catalog=self.catalog,
            versions=versions(""),
            codes=frozenset[str]().union(*(self.policies.of(entry).codes for entry in self.judged.values())),
            tests_are_programs=settings.tests_are_programs,
            versions_for=versions,
            reported=None if len(self.judged) == len(self.scope.entries) else frozenset(self.judged),
        )
        return Terms(context, self.kept, self.options.cards)

    def _is_worth_a_crew(self, jobs: int) -> bool:
        """Whether there is enough code for several processes, if it turns out to have several parts."""
        if jobs <= 1 or not can_fork():
            return False
        left = SMALL
        for entry in self.scope.entries:
            left -= size_of(entry)
            if left < 0:
                return True
        return False

    def own(self, key: str) -> str:
        """The file that a file is a link to, where that is reported too; else itself."""
        return self.judged[key].twin or key if key in self.judged else key

    def work(self) -> Work:
        """What has been done so far."""
        loaded, parts = self.loaded, self.parts
        return Work(len(self.scope.entries), loaded.known, parts["parts"], parts["known"], loaded.parsed)

    def trouble(self, error: Exception, doing: str) -> None:
        """Notes an error of our own: the rest of the run is worth having."""
        self.problems.append(trouble(error, doing))


def _kept(options: Options, root: str) -> Kept:
    """What earlier runs have left."""
    if options.memory is not None:
        return options.memory.kept(lasting=options.lasting)
    return kept_in((options.cache_dir or default_folder(root)) if options.cache else None)


def _policy(context: Context, settings: Settings) -> str:
    """Everything besides the code of a part that its verdict depends on, as one text. Which files there are decides what an
    import means.
    """
    layout = context.project.layout
    rules = [(rule.code, rule.source, repr(rule)) for rule in context.catalog.rules if rule.match is not None]
    return repr((
        sorted(layout.files), layout.roots, sorted(context.codes), context.scripts, context.tests_are_programs,
        context.versions, settings.apis, written_tables(settings), rules,
    ))  # fmt: skip


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
    found: list[Finding] = []
    programs: list[str] = []
    cards: list[ProgramCard] = []
    with _room_for_recursion():
        for verdict in _verdicts(state):
            found += verdict.findings
            programs += verdict.programs
            cards += verdict.cards
            state.problems += verdict.troubles
            state.loaded.faults.update(verdict.faults)
    state.kept.flush()
    found += _unreadable(state)
    sources = state.loaded.sources
    shown, hidden, excused = _settled(state, found)
    return Result(
        findings=tuple(sorted(map(state.displayed.finding, shown), key=lambda finding: finding.sort_key)),
        files=tuple(sorted(entry.display for entry in state.reported.values())),
        problems=tuple(dict.fromkeys(state.problems)),  # what fails in one part is likely to fail in the next
        suppressed=hidden,
        programs=len({state.own(path) for path in programs if path in state.judged}),
        work=state.work(),
        excerpt=_Excerpts(state),
        paths={entry.display: entry.path for entry in state.reported.values()},
        digests={entry.display: read.digest for key, entry in state.reported.items() if (read := sources.get(key))},
        excused=None if options.suppressions else excused,
        cards=_shown(state, cards),
    )


def _verdicts(state: Run) -> Iterator[Verdict]:
    """What there is to say about each part of the project."""
    jobs = state.options.jobs or processors()
    with state.judge(jobs) as judge:
        try:
            yield from judge.verdicts(parts(judge.whole.project), jobs, state.progress)
        except Exception as error:  # noqa: BLE001 (the files that cannot be read are still told)
            state.trouble(error, "analysing the project")


def programs(options: Options, progress: Progress) -> Programs:
    """Describes the programs among the files of the run. Raises what `run` raises."""
    state = Run(options, progress)
    cards: list[ProgramCard] = []
    with _room_for_recursion(), state.judge(jobs=1) as judge:
        for part in parts(judge.whole.project):
            if any(map(judge.whole.wants, part)):
                cards += _cards(state, judge, part)
    state.kept.flush()
    for finding in map(state.displayed.finding, _unreadable(state)):
        state.problems.append(f"{finding.location.path}:{finding.location.line}: {finding.message}")
    return Programs(_shown(state, cards), tuple(state.problems))


def _cards(state: Run, judge: Judge, part: Sequence[str]) -> tuple[ProgramCard, ...]:
    from torchdet_lint.checks import gather
    from torchdet_lint.checks.cards import program_cards

    try:
        facts = gather(judge.context(part), state.progress)
        for path, error in facts.troubles:
            state.trouble(error, f"analysing a program in {path}")
        return program_cards(facts)
    except Exception as error:  # noqa: BLE001 (other programs are worth describing)
        state.trouble(error, f"describing programs of {part[0]}")
        return ()


def _shown(state: Run, cards: Iterable[ProgramCard]) -> tuple[ProgramCard, ...]:
    shown = [state.displayed.card(card) for card in cards if card.path in state.reported]
    return tuple(sorted(shown, key=lambda card: (card.path, card.name)))


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


def _unreadable(state: Run) -> Iterator[Finding]:
    for key, fault in sorted(state.loaded.faults.items()):
        if key in state.reported:
            yield unreadable(key, fault, state.loaded.sources.get(key), state.catalog)


def _settled(state: Run, found: Iterable[Finding]) -> tuple[list[Finding], int, dict[str, str]]:
    """The findings to show, under suppressions and configuration; how many comments hide; and, where they hide nothing, what they
    would hide.
    """
    by_file: dict[str, list[Finding]] = {key: [] for key in state.reported}
    for finding in sorted(_said_once(set(found), state), key=lambda finding: finding.sort_key):
        by_file[finding.location.path].append(finding)
    selectors = Selectors(state.catalog)
    shown: list[Finding] = []
    hidden = 0
    excused: dict[str, str] = {}
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
            unused = (without_comment(source, each) for each in fingerprinted(_of(UNUSED, kept), sources))
            kept = (*(each for each in kept if each.code != UNUSED), *unused)
        elif source is not None:
            excused.update(excuses(source, kept, selectors))
        shown += [each for finding in kept if (each := rules.shown(finding, entry.path)) is not None]
    return shown, hidden, excused


def _said_once(found: Iterable[Finding], state: Run) -> Iterator[Finding]:
    """What is found in a file by way of a link is said in the file itself, unless that rule speaks there already."""
    said: set[tuple[str, Location]] = set()
    linked = []
    for finding in found:
        if state.own(finding.location.path) == finding.location.path:
            said.add((finding.code, finding.location))
            yield finding
        else:
            linked.append(_in_own_file(finding, state))
    for finding in sorted(linked, key=lambda finding: finding.sort_key):
        if (finding.code, finding.location) not in said:
            said.add((finding.code, finding.location))
            yield finding


def _in_own_file(finding: Finding, state: Run) -> Finding:
    fix = finding.fix
    if fix is not None:
        edits, imports = (
            tuple(each._replace(location=each.location._replace(path=state.own(each.location.path))) for each in part)
            for part in (fix.edits, fix.imports)
        )
        fix = replace(fix, edits=edits, imports=imports)
    program = None if finding.program is None else state.own(finding.program)
    at = finding.location._replace(path=state.own(finding.location.path))
    return replace(finding, location=at, program=program, fix=fix)


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

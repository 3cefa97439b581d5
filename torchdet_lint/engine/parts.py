"""The parts of a project judged one by one: here, in several processes, or from what an earlier run has kept."""

from __future__ import annotations

import marshal
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from torchdet_lint.analysis.triggers import worth_judging
from torchdet_lint.card import ProgramCard
from torchdet_lint.engine import workers
from torchdet_lint.engine.fixes import with_fixes
from torchdet_lint.engine.kept import key_of
from torchdet_lint.engine.load import Loaded
from torchdet_lint.engine.options import Progress, silent
from torchdet_lint.engine.plain import card_of, finding_of, plain_card, plain_finding
from torchdet_lint.engine.reading import Fault
from torchdet_lint.engine.troubles import trouble
from torchdet_lint.finding import Finding
from torchdet_lint.project.context import Context

if TYPE_CHECKING:
    from torchdet_lint.checks import Facts

SMALL = 300_000
"""Characters of code below which a project is judged in one process: to start others would take longer."""


class Verdict(NamedTuple):
    """What there is to say about one part, before suppressions: findings in the reported files, faults of files that came
    to light, troubles of our own (a line each), the files of its programs, and their cards where they are asked for.
    """

    findings: tuple[Finding, ...]
    faults: Mapping[str, Fault]
    troubles: tuple[str, ...]
    programs: tuple[str, ...]
    cards: tuple[ProgramCard, ...] = ()


@dataclass(frozen=True)
class Judge:
    """Judges parts of one project. `whole` is what the checks need for all of it, `policy` names everything besides the code
    of a part that its verdict depends on; `cards` asks for those of the programs.
    """

    whole: Context
    loaded: Loaded
    policy: str
    cards: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    """How many parts there were to judge ("parts"), and how many of them an earlier run had judged ("known")."""

    def verdicts(self, parts: Sequence[tuple[str, ...]], jobs: int, progress: Progress) -> Iterator[Verdict]:
        """The verdict of every part that holds a reported file, in the order of the parts."""
        wanted = [part for part in parts if any(map(self.whole.wants, part))]
        keys = [self._key(part) for part in wanted] if self.loaded.kept.keeps else []
        known = {at: blob for at, key in enumerate(keys) if (blob := self.loaded.kept.parts.get(key)) is not None}
        fresh = [at for at in range(len(wanted)) if at not in known]
        self.counts.update(parts=len(wanted), known=len(known))
        found: dict[int, Verdict] = {}
        for index, verdict in self._judged([wanted[at] for at in fresh], jobs, progress):
            at = fresh[index]
            found[at] = verdict
            if keys and not verdict.troubles:
                self.loaded.kept.parts.put(keys[at], _dump(verdict))
        for at in range(len(wanted)):
            yield found[at] if at in found else _undump(known[at])

    def context(self, part: Sequence[str]) -> Context:
        """What the checks need for one part."""
        paths = frozenset(part)
        reported = self.whole.reported
        return replace(
            self.whole,
            project=self.whole.project.part(part),
            scripts=tuple(script for script in self.whole.scripts if script[0] in paths),
            reported=None if reported is None or paths <= reported else paths & reported,
        )

    def _judged(self, parts: Sequence[tuple[str, ...]], jobs: int, progress: Progress) -> Iterator[tuple[int, Verdict]]:
        sizes = [sum(len(self.loaded.sources[path].text) for path in part) for part in parts]
        jobs = min(jobs or workers.processors(), len(parts))
        if jobs <= 1 or sum(sizes) < SMALL or not workers.can_fork():
            for index, part in enumerate(parts):
                several = len(parts) > 1
                if several:
                    progress("analysing", index, len(parts))
                yield index, self.verdict(part, _same(progress, index, len(parts)) if several else progress)
            return
        order = sorted(
            range(len(parts)), key=lambda index: -sizes[index]
        )  # the largest first, so that nobody is left with it
        batches = [[(index, parts[index])] for index in order]
        with closing(workers.each(batches, partial(_task, self), jobs)) as results:
            for done, (index, data, trouble) in enumerate(results, 1):
                progress("analysing", done, len(parts))
                yield index, self._received(data) if not trouble else _lost(parts[index], trouble)

    def _received(self, data: bytes) -> Verdict:
        blob, added, parsed = marshal.loads(data)  # noqa: S302 (from a process of our own)
        for key, body in added:
            self.loaded.kept.put_unit(key, body)
        self.loaded.parsed += parsed
        return _undump(blob)

    def verdict(self, part: Sequence[str], progress: Progress) -> Verdict:
        """Analyses one part. Errors of our own become troubles: what else is found is worth having."""
        context = self.context(part)
        if not self.cards and not worth_judging(context, part):  # neither analyses nor libcst are imported
            return self._nothing(context, part)
        from torchdet_lint.checks import gather

        troubles: list[str] = []
        found: list[Finding] = []
        programs: tuple[str, ...] = ()
        cards: tuple[ProgramCard, ...] = ()
        try:
            facts = gather(context, progress)
            programs = tuple(each.program.path for each in facts.programs)
            troubles += (trouble(error, f"analysing a program in {path}") for path, error in facts.troubles)
            found += with_fixes(facts, _found(facts, troubles), self.loaded.faults, troubles)
            cards = self._cards(facts)
        except Exception as error:  # noqa: BLE001 (the files that cannot be read are still told)
            troubles.append(trouble(error, f"analysing {part[0]}"))
        finally:
            context.project.forget()
        return Verdict(tuple(found), self._faults(part), tuple(troubles), programs, cards)

    def _nothing(self, context: Context, part: Sequence[str]) -> Verdict:
        return Verdict((), self._faults(part), (), tuple(program.path for program in context.programs()))

    def _faults(self, part: Sequence[str]) -> dict[str, Fault]:
        return {path: self.loaded.faults[path] for path in part if path in self.loaded.faults}

    def _cards(self, facts: Facts) -> tuple[ProgramCard, ...]:
        if not self.cards:
            return ()
        from torchdet_lint.checks.cards import program_cards

        return program_cards(facts)

    def _key(self, part: Sequence[str]) -> bytes:
        sources = self.loaded.sources
        files = [(path, sources[path].digest, self.whole.wants(path)) for path in part]
        versions = [self.whole.versions_of(path) for path in _one_a_folder(part)]
        return key_of(self.policy, repr(files), repr(versions), *(["cards"] if self.cards else []))


def _same(progress: Progress, done: int, total: int) -> Progress:
    """For the steps of one part of several: nothing new is shown, and whoever listens can still end the run."""
    return lambda _stage, _done, _total: progress("analysing", done, total)


def _found(facts: Facts, troubles: list[str]) -> Iterator[Finding]:
    """What the checks say about the reported files. A check that fails takes only its own further findings with it."""
    from torchdet_lint.checks import checks_for

    for own, check in checks_for(facts.context):
        codes = own & facts.context.codes
        try:
            for finding in check(facts) if codes else ():
                if finding.code in codes and facts.context.wants(finding.location.path):
                    yield finding
        except Exception as error:  # noqa: BLE001 (what others find is worth having, and the run fails)
            troubles.append(trouble(error, f"checking {', '.join(sorted(codes))}"))


def _one_a_folder(paths: Sequence[str]) -> list[str]:
    """A file of each folder: versions are those of folders."""
    return list({os.path.dirname(path): path for path in paths}.values())


def _lost(part: Sequence[str], why: str) -> Verdict:
    """The verdict where the process that worked at it died, twice."""
    others = f" and {len(part) - 1} files connected with it" if len(part) > 1 else ""
    return Verdict((), {}, (f"{part[0]}{others} could not be analysed: {why}; findings are missing",), ())


def _task(judge: Judge, part: Sequence[str]) -> bytes:
    """What a worker does: the verdict, and the units that it had to lower on the way."""
    loaded = judge.loaded
    loaded.kept.added.clear()
    before = loaded.parsed
    blob = _dump(judge.verdict(part, silent))
    whole: Any = (blob, list(loaded.kept.added), loaded.parsed - before)
    return marshal.dumps(whole)


def _dump(verdict: Verdict) -> bytes:
    faults = {path: tuple(fault) for path, fault in verdict.faults.items()}
    cards = tuple(map(plain_card, verdict.cards))
    whole: Any = (tuple(map(plain_finding, verdict.findings)), faults, verdict.troubles, verdict.programs, cards)
    return marshal.dumps(whole)


def _undump(data: bytes) -> Verdict:
    findings, faults, troubles, programs, cards = marshal.loads(data)  # noqa: S302 (from a process or a cache of our own)
    known = {path: Fault(*fault) for path, fault in faults.items()}
    return Verdict(tuple(map(finding_of, findings)), known, troubles, programs, tuple(map(card_of, cards)))

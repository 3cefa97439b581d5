"""One part of a project judged, and its verdict as bytes."""

from __future__ import annotations

import marshal
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from torchdet_lint.analysis.triggers import worth_judging
from torchdet_lint.card import ProgramCard
from torchdet_lint.engine.fixes import with_fixes
from torchdet_lint.engine.load import Loaded
from torchdet_lint.engine.options import Progress
from torchdet_lint.engine.plain import card_of, finding_of, plain_card, plain_finding
from torchdet_lint.engine.reading import Fault
from torchdet_lint.engine.troubles import trouble
from torchdet_lint.finding import Finding
from torchdet_lint.project.context import Context

if TYPE_CHECKING:
    from torchdet_lint.checks import Facts


class Verdict(NamedTuple):
    """What there is to say about one part, before suppressions: findings in the reported files, faults of files that came
    to light, troubles of our own (a line each), the files of its programs, and their cards where they are asked for.
    """

    findings: tuple[Finding, ...]
    faults: Mapping[str, Fault]
    troubles: tuple[str, ...]
    programs: tuple[str, ...]
    cards: tuple[ProgramCard, ...] = ()


def verdict_of(context: Context, loaded: Loaded, progress: Progress, *, cards: bool) -> Verdict:
    """Analyses the project of the context, which is one part; with `cards`, those of its programs are made. Errors of our own
    become troubles: what else is found is worth having.
    """
    part = tuple(context.project.modules)
    if not cards and not worth_judging(context, part):  # neither analyses nor libcst are imported
        return Verdict((), _faults(loaded, part), (), tuple(program.path for program in context.programs()))
    from torchdet_lint.checks import gather

    troubles: list[str] = []
    found: list[Finding] = []
    programs: tuple[str, ...] = ()
    described: tuple[ProgramCard, ...] = ()
    try:
        facts = gather(context, progress)
        programs = tuple(each.program.path for each in facts.programs)
        troubles += (trouble(error, f"analysing a program in {path}") for path, error in facts.troubles)
        found += with_fixes(facts, _found(facts, troubles), loaded.faults, troubles)
        if cards:
            from torchdet_lint.checks.cards import program_cards

            described = program_cards(facts)
    except Exception as error:  # noqa: BLE001 (the files that cannot be read are still told)
        troubles.append(trouble(error, f"analysing {part[0]}"))
    finally:
        context.project.forget()
    return Verdict(tuple(found), _faults(loaded, part), tuple(troubles), programs, described)


def _faults(loaded: Loaded, part: Sequence[str]) -> dict[str, Fault]:
    return {path: loaded.faults[path] for path in part if path in loaded.faults}


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


def dump(verdict: Verdict) -> bytes:
    """A verdict as bytes."""
    faults = {path: tuple(fault) for path, fault in verdict.faults.items()}
    cards = tuple(map(plain_card, verdict.cards))
    whole: Any = (tuple(map(plain_finding, verdict.findings)), faults, verdict.troubles, verdict.programs, cards)
    return marshal.dumps(whole)


def undump(data: bytes) -> Verdict:
    """The inverse of `dump`."""
    findings, faults, troubles, programs, cards = marshal.loads(data)  # noqa: S302 (from a process or a cache of our own)
    known = {path: Fault(*fault) for path, fault in faults.items()}
    return Verdict(tuple(map(finding_of, findings)), known, troubles, programs, tuple(map(card_of, cards)))

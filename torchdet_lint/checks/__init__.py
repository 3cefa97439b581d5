"""Rules: from analysis results to findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from torchdet_lint.checks import (
    attention,
    filling,
    generators,
    kernels,
    loading,
    matches,
    memory,
    modes,
    operations,
    ordering,
    resuming,
    seed_options,
    seeding,
)
from torchdet_lint.checks.facts import Facts, gather
from torchdet_lint.finding import Finding
from torchdet_lint.project.context import Context

CHECKS: tuple[tuple[frozenset[str], Callable[[Facts], Iterator[Finding]]], ...] = (
    (frozenset(("TDL001", "TDL002", "TDL003", "TDL006", "TDL007", "TDL010")), seeding.check),
    (frozenset(("TDL004", "TDL005", "TDL008", "TDL013")), generators.check),
    (
        frozenset(("TDL009", "TDL201", "TDL202", "TDL203", "TDL204", "TDL205", "TDL207", "TDL208", "TDL209")),
        modes.check,
    ),
    (frozenset(("TDL206",)), filling.check),
    (frozenset(("TDL011", "TDL012")), seed_options.check),
    (frozenset(("TDL101", "TDL102", "TDL103", "TDL104", "TDL108")), loading.check),
    (frozenset(("TDL105", "TDL106", "TDL107")), ordering.check),
    (frozenset(("TDL301", "TDL302", "TDL303", "TDL304")), attention.check),
    (frozenset(("TDL401", "TDL402")), operations.check),
    (frozenset(("TDL403", "TDL404", "TDL405")), kernels.check),
    (frozenset(("TDL501", "TDL502", "TDL503")), memory.check),
    (frozenset(("TDL601",)), resuming.check),
)
"""Each check with the codes that it can give."""


def checks_for(context: Context) -> tuple[tuple[frozenset[str], Callable[[Facts], Iterator[Finding]]], ...]:
    """The checks, with that of the rules which the project adds itself."""
    own = frozenset(rule.code for rule in matches.project_rules(context.catalog))
    return (*CHECKS, (own, matches.check)) if own else CHECKS


def check_project(context: Context, progress: Callable[[str, int, int], None]) -> Iterator[Finding]:
    """All findings of a project that somebody asked for, not yet suppressed, without fingerprints."""
    yield from check_facts(gather(context, progress))


def check_facts(facts: Facts) -> Iterator[Finding]:
    """All findings that follow from an evaluated project."""
    for codes, check in checks_for(facts.context):
        if codes & facts.context.codes:
            for found in check(facts):
                if found.code in facts.context.codes:
                    yield found


__all__ = ["Context", "Facts", "check_facts", "check_project", "checks_for", "gather"]

"""Rules that a project adds itself: every call of some function whose arguments fit a `[match]` table."""

from __future__ import annotations

from collections.abc import Iterator

from torchdet_lint.analysis.trace import Event
from torchdet_lint.analysis.values import FALSE, NONE, TRUE, Known, Made, Site, Truth, is_none
from torchdet_lint.catalog.match import Condition, Match
from torchdet_lint.catalog.rules import Catalog, Rule
from torchdet_lint.checks.emit import at_site
from torchdet_lint.checks.facts import Facts
from torchdet_lint.finding import Finding


def project_rules(catalog: Catalog) -> tuple[Rule, ...]:
    """The rules that have a `[match]` table."""
    return tuple(rule for rule in catalog.rules if rule.match is not None)


def check(facts: Facts) -> Iterator[Finding]:
    for rule in project_rules(facts.context.catalog):
        if rule.match is not None and rule.code in facts.context.codes:
            yield from _rule(facts, rule, rule.match)


def _rule(facts: Facts, rule: Rule, match: Match) -> Iterator[Finding]:
    callees = {facts.context.apis.canonical(callee) for callee in match.callees}
    said: set[Site] = set()
    for event in facts.events("watched"):
        if event.api in callees and event.site not in said and _fits(event, match):
            said.add(event.site)
            variant = next(iter(rule.variants))
            yield at_site(facts, rule.code, variant, event.site)


def _fits(event: Event, match: Match) -> bool:
    made = event.made
    return made is not None and all(_holds(made, condition) for condition in match.when)


def _holds(made: Made, condition: Condition) -> bool:
    value = made.get(condition.argument, condition.position)
    if condition.test == "missing":
        return value is None and not made.open
    if condition.test == "given":
        return value is not None and is_none(value) is not Truth.YES
    wanted = {"true": TRUE, "false": FALSE, "none": NONE}.get(condition.test)
    if wanted is not None:
        return value == wanted
    return (
        isinstance(value, Known)
        and value.value == condition.value
        and isinstance(value.value, bool) == isinstance(condition.value, bool)
    )

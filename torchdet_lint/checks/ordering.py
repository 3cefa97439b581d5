"""TDL105, 106, 107: orders of listings, of sets and of completion that reach something."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from torchdet_lint.analysis.ordering import Listed, OrderUse, Outside, order_uses
from torchdet_lint.analysis.triggers import order_words
from torchdet_lint.analysis.values import Site
from torchdet_lint.catalog.apis import Apis
from torchdet_lint.checks.emit import call_text, finding, locate, source_text
from torchdet_lint.checks.facts import Facts
from torchdet_lint.finding import Finding, Related


def check(facts: Facts) -> Iterator[Finding]:
    for path, module in sorted(facts.project.modules.items()):
        if not facts.context.wants(path):
            continue
        for unit in module.source.units:
            if unit.kind not in ("import", "from"):
                for use in uses_of(facts, path, unit.index):
                    yield _finding(facts, use)


def uses_of(facts: Facts, path: str, unit: int) -> Iterator[OrderUse]:
    """The orders that reach something in one statement of a file."""
    lists, outside = _outside(facts.context.apis)
    yield from order_uses(facts.project, path, unit, facts.names(path), lists, outside)


@lru_cache(maxsize=8)  # the same functions for the same tables: what is known of a project is kept by them
def _outside(apis: Apis) -> tuple[Callable[[str], Listed | None], Outside]:
    """What the tables say of callables that list files, give what has finished, or return sets."""

    def lists(name: str) -> Listed | None:
        row = apis.get(name)
        return Listed(row.role, row.name) if row is not None and row.role in ("listing", "completion") else None

    def sets(name: str) -> str | None:
        row = apis.get(name)
        return row.name if row is not None and row.role == "returns-set" else None

    return lists, Outside(sets, order_words(apis))


def _listing(use: OrderUse, site: Site) -> Site:
    """The listing call, which `with` may have opened elsewhere."""
    return site if use.source is None else Site(use.source_path, use.source_unit, use.source, "")


def _finding(facts: Facts, use: OrderUse) -> Finding:
    site = Site(use.path, use.unit, use.span, "")
    if use.kind == "listing":
        return finding(
            facts, "TDL105", "default", locate(facts, site), confidence=use.confidence,
            call=call_text(facts, _listing(use, site)), reason=use.consumer,
        )  # fmt: skip
    if use.kind == "completion":
        variant = "threads" if use.api == "threads" else "default"
        return finding(
            facts, "TDL107", variant, locate(facts, site), confidence=use.confidence,
            call=call_text(facts, site), reason=use.consumer,
        )  # fmt: skip
    variant = "objects" if use.elements == "object" else "default"
    related = []
    value = use.api
    if use.source is not None:
        origin = Site(use.source_path, use.source_unit, use.source, "")
        value = source_text(facts, use.source_path, use.source_unit, use.source)
        if (use.source_path, use.source_unit, use.source) != (use.path, use.unit, use.span):
            related.append(Related(locate(facts, origin), "the set"))
    return finding(
        facts,
        "TDL106",
        variant,
        locate(facts, site),
        related=related,
        confidence=use.confidence,
        value=value,
        reason=use.consumer,
    )

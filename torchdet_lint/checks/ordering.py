"""TDL105, 106: orders of listings and sets that reach something."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from torchdet_lint.analysis.ordering import OrderUse, order_uses
from torchdet_lint.analysis.values import Site
from torchdet_lint.catalog.apis import Apis
from torchdet_lint.checks.emit import call_text, finding, locate, source_text
from torchdet_lint.checks.facts import Facts
from torchdet_lint.finding import Finding, Related


def lists(facts: Facts) -> Callable[[str], str | None]:
    """What names a callable that lists files, for `order_uses`; the same function for the same tables."""
    return _lists(facts.context.apis)


@lru_cache(maxsize=8)
def _lists(apis: Apis) -> Callable[[str], str | None]:
    def named(name: str) -> str | None:
        row = apis.get(name)
        return row.name if row is not None and row.role == "listing" else None

    return named


def check(facts: Facts) -> Iterator[Finding]:
    for path, module in sorted(facts.project.modules.items()):
        if not facts.context.wants(path):
            continue
        names = facts.names(path)
        for unit in module.source.units:
            if unit.kind not in ("import", "from"):
                for use in order_uses(facts.project, path, unit.index, names, lists(facts)):
                    yield _finding(facts, use)


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

"""TDL501: memory that is read before it is written."""

from __future__ import annotations

from collections.abc import Iterator

from torchdet_lint.analysis.memory import Analysis, MemoryUse, memory_uses
from torchdet_lint.analysis.triggers import holds_memory
from torchdet_lint.analysis.values import Site
from torchdet_lint.checks.emit import call_text, finding, locate
from torchdet_lint.checks.facts import Facts
from torchdet_lint.finding import Finding, Related


def check(facts: Facts) -> Iterator[Finding]:
    for path in sorted(facts.project.modules):
        if facts.context.wants(path):
            for use in unwritten(facts, path):
                yield _finding(facts, use)


def unwritten(facts: Facts, path: str) -> tuple[MemoryUse, ...]:
    """The allocations of a file that are read before they are wholly written; a file is asked about once."""
    if path not in facts.unwritten:
        facts.unwritten[path] = tuple(_uses(facts, path))
    return facts.unwritten[path]


def _uses(facts: Facts, path: str) -> Iterator[MemoryUse]:
    names, source = facts.names(path), facts.project.modules[path].source
    top_levels: dict[str, Analysis] = {}
    for unit in source.units:
        if unit.kind not in ("import", "from") and holds_memory(source, unit):
            yield from memory_uses(facts.project, path, unit.index, names, top_levels)


def _finding(facts: Facts, use: MemoryUse) -> Finding:
    site = Site(use.path, use.unit, use.span, "")
    related = []
    if (use.read_path, use.read_unit, use.read_span) != (use.path, use.unit, use.span):
        related.append(Related(locate(facts, Site(use.read_path, use.read_unit, use.read_span, "")), use.read))
    variant = "parameter" if use.parameter else "unused-result" if use.certainty == "warm-up" else "read"
    confidence = "medium" if use.certainty == "likely" else ""
    where = f"self.{use.attribute}" if use.attribute else ""
    return finding(
        facts,
        "TDL501",
        variant,
        locate(facts, site),
        related=related,
        confidence=confidence,
        call=call_text(facts, site),
        where=where,
    )

"""TDL501, 502, 503: memory that is read before it is written, that a tensor has grown by, that a copy still fills."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchdet_lint.analysis.memory import MemoryUse, memory_uses
from torchdet_lint.analysis.values import Site
from torchdet_lint.checks.emit import call_text, finding, locate
from torchdet_lint.checks.facts import Facts
from torchdet_lint.finding import Finding, Related

if TYPE_CHECKING:
    from torchdet_lint.analysis.memory.frame import Analysis

RULES = {
    "Tensor.resize_": "TDL502",
    "Tensor.resize_as_": "TDL502",
    "Tensor.to": "TDL503",
    "Tensor.copy_": "TDL503",
}
"""Which rule speaks of memory that comes from a call; of all other calls TDL501 does."""

NETWORKS = ("torch.nn.Module.to_empty", "torch.nn.utils.skip_init", "init_module")
"""Calls that leave the weights of a network unwritten."""


def check(facts: Facts) -> Iterator[Finding]:
    for path in sorted(facts.project.modules):
        if facts.context.wants(path):
            for use in unwritten(facts, path):
                yield from _finding(facts, use)


def unwritten(facts: Facts, path: str) -> tuple[MemoryUse, ...]:
    """The memory of a file that is read before it is wholly written; a file is asked about once."""
    if path not in facts.unwritten:
        facts.unwritten[path] = tuple(_uses(facts, path))
    return facts.unwritten[path]


def _uses(facts: Facts, path: str) -> Iterator[MemoryUse]:
    names, source = facts.names(path), facts.project.modules[path].source
    top_levels: dict[str, Analysis] = {}
    for unit in source.units:
        if unit.kind not in ("import", "from"):
            yield from memory_uses(facts.project, path, unit.index, names, top_levels)


def is_uninitialised(use: MemoryUse) -> bool:
    """Whether this is a TDL501 that is more than a note."""
    return use.api not in RULES and use.certainty != "warm-up"


def _finding(facts: Facts, use: MemoryUse) -> Iterator[Finding]:
    site = Site(use.path, use.unit, use.span, "")
    related = []
    if (use.read_path, use.read_unit, use.read_span) != (use.path, use.unit, use.span):
        related.append(Related(locate(facts, Site(use.read_path, use.read_unit, use.read_span, "")), use.read))
    code = RULES.get(use.api, "TDL501")
    if code != "TDL501" and use.certainty == "warm-up":
        return  # nothing comes of it
    confidence = "medium" if use.certainty == "likely" else ""
    where = f"self.{use.attribute}" if use.attribute else ""
    yield finding(
        facts,
        code,
        _variant(use, code),
        locate(facts, site),
        related=related,
        confidence=confidence,
        call=call_text(facts, site),
        where=where,
        reason=use.read,
    )


def _variant(use: MemoryUse, code: str) -> str:
    if code != "TDL501":
        return "default"
    if use.certainty == "warm-up":
        return "unused-result"
    if use.api in NETWORKS and not use.attribute:
        return "network"
    return "parameter" if use.parameter else "read"

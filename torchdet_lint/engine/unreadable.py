"""TDL999: files that cannot be read, decoded or parsed."""

from __future__ import annotations

import re

from torchdet_lint.catalog.rules import Catalog
from torchdet_lint.engine.reading import Fault
from torchdet_lint.finding import Finding, Location
from torchdet_lint.source import SourceFile

UNREADABLE = "TDL999"

_ELSEWHERE = re.compile(r" (?:on|at) line \d+| \(detected at line \d+\)")
"""A line of the text that the cells make together, which nobody sees."""


def unreadable(key: str, fault: Fault, source: SourceFile | None, catalog: Catalog) -> Finding:
    """The finding for a file's fault, where decoding or parsing failed."""
    rule = catalog.get(UNREADABLE)
    said = rule.variant(fault.variant)
    reason = _ELSEWHERE.sub("", fault.reason) if key.endswith(".ipynb") else fault.reason
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=said.severity,
        confidence=said.confidence,
        effect=said.effect,
        message=said.message(reason=reason),
        location=_place(key, fault, source),
        help=said.help(reason=reason),
        url=rule.page,
    )


def _place(key: str, fault: Fault, source: SourceFile | None) -> Location:
    if source is not None and fault.in_text:
        starts = source.line_starts
        at = min(starts[min(fault.line, len(starts)) - 1] + fault.column - 1, len(source.text))
        return source.location(at, min(at + 1, len(source.text)) if source.text[at : at + 1] not in "\r\n" else at)
    raw = fault.line if key.endswith(".ipynb") else None
    return Location(key, fault.line, fault.column, fault.line, fault.column + 1, None, raw)

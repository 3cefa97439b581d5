"""Findings as plain tuples that `marshal` can write, for other processes and for the cache."""

from __future__ import annotations

from typing import Any

from torchdet_lint.finding import Finding, Location, Related


def plain_finding(finding: Finding) -> tuple[Any, ...]:
    return (
        finding.code, finding.name, finding.severity, finding.confidence, finding.effect, finding.message,
        tuple(finding.location), finding.program,
        tuple([(tuple(place), label) for place, label in finding.related]), finding.help, finding.url,
    )  # fmt: skip


def finding_of(values: tuple[Any, ...]) -> Finding:
    """The inverse of `plain_finding`."""
    code, name, severity, confidence, effect, message, place, program, related, told, url = values
    return Finding(
        code, name, severity, confidence, effect, message, Location(*place), program,
        tuple([Related(Location(*each), label) for each, label in related]), told, url,
    )  # fmt: skip

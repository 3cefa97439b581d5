"""Findings get their fixes, while what is known of their part of the project is at hand."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from torchdet_lint.engine.places import span
from torchdet_lint.engine.troubles import trouble
from torchdet_lint.finding import Finding

if TYPE_CHECKING:
    from torchdet_lint.checks import Facts
    from torchdet_lint.source import SourceFile


def with_fixes(
    facts: Facts, findings: Iterable[Finding], broken: Container[str], troubles: list[str]
) -> Iterator[Finding]:
    """The findings, those that can be fixed with their fixes; files that cannot be read in full are not fixed. Errors of our
    own cost a fix.
    """
    from torchdet_lint.fixes import FIXABLE, Fixer

    fixer = None
    modules = facts.project.modules
    for finding in findings:
        path = finding.location.path
        fix = None
        if finding.code in FIXABLE and path in modules and path not in broken:
            fixer = fixer or Fixer(facts)
            try:
                fix = fixer.fix(finding, *span(modules[path].source, finding.location))
            except Exception as error:  # noqa: BLE001 (what was found is worth having without its fix)
                troubles.append(trouble(error, f"making a fix for {finding.code} in {path}", "a fix is missing"))
        yield finding if fix is None else replace(finding, fix=fix)


def without_comment(source: SourceFile, finding: Finding) -> Finding:
    """A finding about a suppression comment (TDL900), which takes no analysis, with its fix."""
    from torchdet_lint.fixes.suppressions import without

    fix = without(source, finding, *span(source, finding.location))
    return finding if fix is None else replace(finding, fix=fix)

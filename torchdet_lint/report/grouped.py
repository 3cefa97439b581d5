"""Findings under the names of their files."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from torchdet_lint.report.evidence import word
from torchdet_lint.report.model import Report
from torchdet_lint.report.style import Style
from torchdet_lint.report.summary import printable


def grouped(report: Report, style: Style) -> Iterator[str]:
    """A heading for each file, and a line for each finding with its place, aligned."""
    for path, findings in groupby(report.findings, key=lambda finding: finding.location.path):
        rows = []
        for finding in findings:
            at = finding.location
            cell = "" if at.cell is None else f"cell {at.cell}:"
            rows.append((f"{cell}{at.line}:{at.column}", finding))
        width = max(len(where) for where, _ in rows)
        yield f"{style.paint('strong', printable(path))}\n"
        for where, finding in rows:
            severity = style.paint(finding.severity, f"{finding.severity:7}")
            message = printable(finding.message) + word(finding)
            yield f"  {where:<{width}}  {severity}  {style.paint('strong', finding.code)}  {message}\n"
        yield "\n"

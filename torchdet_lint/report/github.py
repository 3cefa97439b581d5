"""Workflow commands that GitHub Actions turns into annotations.

Escaping and properties as in actions/toolkit (`packages/core/src/command.ts`): `%`, CR and LF in data, and also `:` and `,`
in properties. Columns are given only where a place is within one line, as the runner expects.
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdet_lint.finding import Finding
from torchdet_lint.report.evidence import sentence
from torchdet_lint.report.model import Report
from torchdet_lint.report.style import Style
from torchdet_lint.report.summary import place

_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def github(report: Report, _style: Style) -> Iterator[str]:
    """One command a finding."""
    for finding in report.findings:
        properties = ",".join(f"{key}={_property(value)}" for key, value in _properties(finding).items())
        message = f"{place(finding.location)}: {finding.code} {finding.message}"
        help_lines = f"\nhelp: {finding.help}" if finding.help else ""
        help_lines += f"\nevidence: {sentence(finding)}" if finding.evidence else ""
        yield f"::{_LEVELS[finding.severity]} {properties}::{_data(message + help_lines)}\n"


def _properties(finding: Finding) -> dict[str, str]:
    at = finding.location
    shown = {"title": f"torchdet-lint ({finding.code})", "file": at.path}
    if at.file_line is not None:
        return {**shown, "line": str(at.file_line), "endLine": str(at.file_line)}
    shown |= {"line": str(at.line), "endLine": str(at.end_line)}
    if at.line == at.end_line:
        shown |= {"col": str(at.column), "endColumn": str(at.end_column)}
    return shown


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

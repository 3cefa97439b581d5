"""The form of pylint's `parseable` reports, which many editors and CI systems read."""

from __future__ import annotations

from collections.abc import Iterator

from torchdet_lint.report.evidence import word
from torchdet_lint.report.model import Report
from torchdet_lint.report.style import Style
from torchdet_lint.report.summary import printable


def pylint(report: Report, _style: Style) -> Iterator[str]:
    """`path:line: [CODE(name)] message`; the line of a notebook is that of the raw file."""
    for finding in report.findings:
        at = finding.location
        line = at.line if at.file_line is None else at.file_line
        message = printable(finding.message) + word(finding)
        yield f"{printable(at.path)}:{line}: [{finding.code}({finding.name})] {message}\n"

"""One line a finding, for editors and `grep`."""

from __future__ import annotations

from collections.abc import Iterator

from torchdet_lint.report.evidence import word
from torchdet_lint.report.model import Report
from torchdet_lint.report.style import Style
from torchdet_lint.report.summary import place, printable


def concise(report: Report, style: Style) -> Iterator[str]:
    """`path:line:column: CODE severity message`, and the verdict in brackets where there is one."""
    for finding in report.findings:
        code, severity = style.paint("strong", finding.code), style.paint(finding.severity, finding.severity)
        yield f"{place(finding.location)}: {code} {severity} {printable(finding.message)}{word(finding)}\n"

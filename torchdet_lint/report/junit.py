"""JUnit XML: a suite for each file with findings, a failed test case for each finding. CI systems show them as failed tests."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from torchdet_lint.finding import Finding
from torchdet_lint.report.evidence import sentence
from torchdet_lint.report.model import Report
from torchdet_lint.report.style import Style
from torchdet_lint.report.summary import place, printable

_PACKAGE = "org.torchdet-lint"


def junit(report: Report, _style: Style) -> Iterator[str]:
    """A document with at least one test case, since some readers take none for a failure."""
    found = len(report.findings)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name="torchdet-lint" tests="{found or 1}" failures="{found}" errors="0">\n'
    for path, findings in groupby(report.findings, key=lambda finding: finding.location.path):
        yield from _suite(path, list(findings))
    if not found:
        yield f'  <testsuite name="torchdet-lint" tests="1" failures="0" errors="0" package="{_PACKAGE}">\n'
        yield f'    <testcase name="no findings" classname="{_PACKAGE}"/>\n  </testsuite>\n'
    yield "</testsuites>\n"


def _suite(path: str, findings: list[Finding]) -> Iterator[str]:
    name, count = _attribute(path), len(findings)
    yield f'  <testsuite name={name} tests="{count}" failures="{count}" errors="0" package="{_PACKAGE}">\n'
    for finding in findings:
        at = finding.location
        line = at.line if at.file_line is None else at.file_line
        column = f' column="{at.column}"' if at.file_line is None else ""  # what it counts in is no line of the file
        where = f'name="{_PACKAGE}.{finding.code}" classname={_attribute(path.rpartition(".")[0] or path)}'
        yield f'    <testcase {where} file={name} line="{line}"{column}>\n'
        text = f"{place(at)}: {finding.severity}: {finding.message}" + (f"; {finding.help}" if finding.help else "")
        text += f"; evidence: {sentence(finding)}" if finding.evidence else ""
        yield f"      <failure message={_attribute(finding.message)} type={_attribute(finding.name)}>"
        yield f"{escape(printable(text))}</failure>\n    </testcase>\n"
    yield "  </testsuite>\n"


def _attribute(text: str) -> str:
    """A quoted value without the characters that XML cannot hold."""
    return quoteattr(printable(text))

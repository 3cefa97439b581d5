"""A summary for people, as Markdown: for the summary of a workflow step, or the text of a pull request."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from torchdet_lint.finding import Finding
from torchdet_lint.report.evidence import sentence
from torchdet_lint.report.marks import code, inline
from torchdet_lint.report.model import Report, count
from torchdet_lint.report.style import PLAIN, Style
from torchdet_lint.report.summary import summary

_MARKS = {"error": "🔴", "warning": "🟠", "note": "🔵"}

MOST = 300
"""Findings that are listed: GitHub shows no more than one megabyte of a step's summary."""


def markdown(report: Report, _style: Style) -> Iterator[str]:
    """A line about the whole, and a table for each file."""
    yield f"### torchdet-lint: {summary(report, PLAIN).strip()}\n"
    listed = report.findings[:MOST]
    for path, findings in groupby(listed, key=lambda finding: finding.location.path):
        yield f"\n**{code(path)}**\n\n| | line | rule | |\n|---|---:|---|---|\n"
        yield from map(_row, findings)
    if len(report.findings) > MOST:
        yield f"\n… and {count(len(report.findings) - MOST, 'finding')} more.\n"
    for problem in report.problems:
        yield f"\n> {inline(problem, in_table=True)}\n"


def _row(finding: Finding) -> str:
    at = finding.location
    where = f"{at.line}" if at.cell is None else f"cell {at.cell}, {at.line}"
    rule = f"[{finding.code}]({finding.url})" if "://" in finding.url else finding.code
    text = inline(finding.message, in_table=True) + (
        f"<br>*{inline(finding.help, in_table=True)}*" if finding.help else ""
    )
    text += f"<br>Evidence: {inline(sentence(finding), in_table=True)}" if finding.evidence else ""
    return f"| {_MARKS[finding.severity]} | {where} | {rule} | {text} |\n"

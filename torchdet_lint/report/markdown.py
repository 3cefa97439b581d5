"""A summary for people, as Markdown: for the summary of a workflow step, or the text of a pull request."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from torchdet_lint.finding import Finding
from torchdet_lint.report.model import Report, count
from torchdet_lint.report.style import PLAIN, Style
from torchdet_lint.report.summary import printable, summary

_MARKS = {"error": "🔴", "warning": "🟠", "note": "🔵"}

MOST = 300
"""Findings that are listed: GitHub shows no more than one megabyte of a step's summary."""


def markdown(report: Report, _style: Style) -> Iterator[str]:
    """A line about the whole, and a table for each file."""
    yield f"### torchdet-lint: {summary(report, PLAIN).strip()}\n"
    listed = report.findings[:MOST]
    for path, findings in groupby(listed, key=lambda finding: finding.location.path):
        yield f"\n**{_code(path)}**\n\n| | line | rule | |\n|---|---:|---|---|\n"
        yield from map(_row, findings)
    if len(report.findings) > MOST:
        yield f"\n… and {count(len(report.findings) - MOST, 'finding')} more.\n"
    for problem in report.problems:
        yield f"\n> {_cell(problem)}\n"


def _row(finding: Finding) -> str:
    at = finding.location
    where = f"{at.line}" if at.cell is None else f"cell {at.cell}, {at.line}"
    rule = f"[{finding.code}]({finding.url})" if "://" in finding.url else finding.code
    text = _cell(finding.message) + (f"<br>*{_cell(finding.help)}*" if finding.help else "")
    return f"| {_MARKS[finding.severity]} | {where} | {rule} | {text} |\n"


def _cell(text: str) -> str:
    """Text in a table, in which only code spans are marked up."""
    pieces = printable(text).split("`")
    if len(pieces) % 2 == 0:  # a back quote without its other half
        pieces = [printable(text).replace("`", "'")]
    shown = [_escaped(piece) if index % 2 == 0 else _code(piece) for index, piece in enumerate(pieces)]
    return "".join(shown)


def _escaped(text: str) -> str:
    for char in "\\*_[]<>|#~":
        text = text.replace(char, f"\\{char}")
    return text


def _code(text: str) -> str:
    """A code span; GitHub's tables end a cell at a bar even in there."""
    return "`" + printable(text).replace("`", "'").replace("|", "\\|") + "`"

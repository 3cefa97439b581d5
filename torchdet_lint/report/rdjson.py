"""reviewdog's diagnostic format, as one document (`rdjson`) and as JSON lines (`rdjsonl`).

Fields as in reviewdog's `proto/rdf/reviewdog.proto`: lines and columns from 1, columns in bytes of UTF-8, ends exclusive. A place
whose text is not at hand, and one in a notebook, is given by whole lines.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from torchdet_lint.finding import Finding, Location
from torchdet_lint.report.evidence import sentence
from torchdet_lint.report.model import Report
from torchdet_lint.report.style import Style

_SEVERITIES = {"error": "ERROR", "warning": "WARNING", "note": "INFO"}
_SOURCE = {"name": "torchdet-lint"}


def rdjson(report: Report, _style: Style) -> Iterator[str]:
    """One `DiagnosticResult`."""
    diagnostics = [_diagnostic(finding, report) for finding in report.findings]
    yield json.dumps({"source": _SOURCE, "diagnostics": diagnostics}, indent=2) + "\n"


def rdjsonl(report: Report, _style: Style) -> Iterator[str]:
    """One `Diagnostic` a line."""
    for finding in report.findings:
        yield json.dumps({**_diagnostic(finding, report), "source": _SOURCE}) + "\n"


def _diagnostic(finding: Finding, report: Report) -> dict[str, Any]:
    code = {"value": finding.code, **({"url": finding.url} if "://" in finding.url else {})}
    help_lines = f"\nhelp: {finding.help}" if finding.help else ""
    help_lines += f"\nevidence: {sentence(finding)}" if finding.evidence else ""
    diagnostic = {
        "message": finding.message + help_lines,
        "location": {"path": finding.location.path, "range": _range(finding.location, report)},
        "severity": _SEVERITIES[finding.severity],
        "code": code,
    }
    suggestions = _suggestions(finding, report)
    return {**diagnostic, "suggestions": suggestions} if suggestions else diagnostic


def _suggestions(finding: Finding, report: Report) -> list[dict[str, Any]]:
    """The fix, where it is one edit of the finding's file: several suggestions are taken for alternatives."""
    edits = (*finding.fix.imports, *finding.fix.edits) if finding.fix is not None else ()
    if len(edits) != 1 or edits[0].location.path != finding.location.path or edits[0].location.cell is not None:
        return []
    return [{"range": _range(edits[0].location, report), "text": edits[0].text}]


def _range(at: Location, report: Report) -> dict[str, Any]:
    if at.file_line is not None:
        return {"start": {"line": at.file_line}, "end": {"line": at.file_line}}
    lines = report.excerpt(at)
    if not lines:
        return {"start": {"line": at.line}, "end": {"line": at.end_line}}
    return {
        "start": {"line": at.line, "column": _bytes(lines[0], at.column)},
        "end": {"line": at.end_line, "column": _bytes(lines[-1], at.end_column)},
    }


def _bytes(line: str, column: int) -> int:
    """A column counted in bytes of UTF-8."""
    return len(line[: column - 1].encode("utf-8", "surrogateescape")) + 1

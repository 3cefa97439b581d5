"""The findings as JSON, in the form that `schema-1.json` describes.

Places are as in `torchdet_lint.finding.Location`: lines and columns from 1, columns in code points, ends exclusive.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from torchdet_lint.finding import Evidence, Finding, Fix, Location
from torchdet_lint.report.model import Report
from torchdet_lint.report.style import Style

SCHEMA = 1


def json_report(report: Report, _style: Style) -> Iterator[str]:
    """One document, pure ASCII so that it survives any console, written finding by finding."""
    yield f'{{\n  "schema": {SCHEMA},\n  "findings": ['
    for index, finding in enumerate(report.findings):
        yield ("," if index else "") + "\n    " + _indented(_finding(finding), 4)
    yield "\n  ],\n" if report.findings else "],\n"
    yield f'  "summary": {_indented(_summary(report), 2)},\n'
    yield f'  "problems": {_indented(list(report.problems), 2)}\n}}\n'


def json_lines(report: Report, _style: Style) -> Iterator[str]:
    """One finding a line, each as in the document."""
    for finding in report.findings:
        yield json.dumps(_finding(finding)) + "\n"


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "confidence": finding.confidence,
        "effect": finding.effect,
        "message": finding.message,
        **_place(finding.location),
        "program": finding.program,
        "related": [{**_place(each.location), "label": each.label} for each in finding.related],
        "fingerprint": finding.fingerprint,
        "help": finding.help,
        "url": finding.url,
        "fix": None if finding.fix is None else _fix(finding.fix),
        "evidence": None if finding.evidence is None else _evidence(finding.evidence),
    }


def _fix(fix: Fix) -> dict[str, Any]:
    """Each edit replaces its place with `content`."""
    edits = [{**_place(edit.location), "content": edit.text} for edit in (*fix.imports, *fix.edits)]
    return {"title": fix.title, "safety": fix.safety, "edits": edits}


def _evidence(evidence: Evidence) -> dict[str, str]:
    return {name: getattr(evidence, name) for name in ("verdict", "text", "factor", "check")}


def _place(at: Location) -> dict[str, Any]:
    return at._asdict()


def _summary(report: Report) -> dict[str, Any]:
    return {
        "version": report.version,
        "files": report.files_checked,
        "programs": report.programs,
        "findings": len(report.findings),
        "errors": report.by_severity()["error"],
        "warnings": report.by_severity()["warning"],
        "notes": report.by_severity()["note"],
        "suppressed": report.suppressed,
        "fixable": report.fixable("safe"),
        "fixable_unsafe": report.fixable("unsafe"),
        "fixed": len(report.fixed),
        "known": report.known,
    }


def _indented(value: Any, by: int) -> str:
    return json.dumps(value, indent=2).replace("\n", "\n" + " " * by)

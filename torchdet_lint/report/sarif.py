"""SARIF 2.1.0, in the part that code scanning services read.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html; what GitHub reads and requires:
https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning.
Paths are relative to the working directory, so a run for upload starts at the root of the repository.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from torchdet_lint.finding import Edit, Finding, Fix, Location
from torchdet_lint.report.evidence import sentence
from torchdet_lint.report.full import EFFECTS
from torchdet_lint.report.model import Report
from torchdet_lint.report.style import Style

if TYPE_CHECKING:
    from torchdet_lint.catalog.rules import Rule

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_PROBLEM_SEVERITY = {"error": "error", "warning": "warning", "note": "recommendation"}
_LONGEST_DESCRIPTION = 1024


def sarif(report: Report, _style: Style) -> Iterator[str]:
    """One log with one run, pure ASCII. Only the rules of the findings are described."""
    codes = sorted({finding.code for finding in report.findings})
    first = {finding.code: finding for finding in reversed(report.findings)}
    driver = {
        "name": "torchdet-lint",
        "version": report.version,
        "semanticVersion": report.version,
        "rules": [_rule(first[code], report.rules.get(code)) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report)],
        "results": [_result(finding, codes.index(finding.code)) for finding in report.findings],
    }
    yield json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _invocation(report: Report) -> dict[str, Any]:
    told = [{"level": "error", "message": {"text": problem}} for problem in report.problems]
    return {"executionSuccessful": not report.problems, "toolExecutionNotifications": told}


def _rule(finding: Finding, rule: Rule | None) -> dict[str, Any]:
    """The descriptor of a finding's rule; a rule that the catalogue does not hold is described by the finding alone."""
    summary = rule.summary if rule else finding.name.replace("-", " ")
    severity, confidence = (rule.severity, rule.confidence) if rule else (finding.severity, finding.confidence)
    effects = rule.effects if rule else (finding.effect,) if finding.effect else ()
    seen = "".join(f" Effect: {EFFECTS[effect]}." for effect in effects)
    described: dict[str, Any] = {
        "id": finding.code,
        "name": finding.name,
        "shortDescription": {"text": summary[:_LONGEST_DESCRIPTION]},
        "fullDescription": {"text": f"{summary.rstrip('.')}.{seen}"[:_LONGEST_DESCRIPTION]},
        "help": {"text": finding.help or summary},
        "defaultConfiguration": {"level": severity},
        "properties": {
            "tags": ["reproducibility", *([rule.family] if rule else []), *effects],
            "precision": confidence,
            "problem.severity": _PROBLEM_SEVERITY[severity],
        },
    }
    return {**described, "helpUri": finding.url} if "://" in finding.url else described


def _result(finding: Finding, index: int) -> dict[str, Any]:
    links = "".join(f"\n[{_link_text(each.label)}]({number})" for number, each in enumerate(finding.related, 1))
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": finding.severity,
        "message": {"text": f"{_literal(finding.message)}{links}"},
        "locations": [_location(finding.location)],
        "properties": {"confidence": finding.confidence, "effect": finding.effect, "help": finding.help},
    }
    if finding.evidence is not None:
        result["properties"] |= {"verdict": finding.evidence.verdict, "evidence": sentence(finding)}
    if finding.related:
        result["relatedLocations"] = [
            {**_location(each.location), "id": number, "message": {"text": each.label}}
            for number, each in enumerate(finding.related, 1)
        ]
    if finding.related and finding.program is not None:
        result["codeFlows"] = [{"threadFlows": [{"locations": _steps(finding)}]}]
    if finding.fix is not None and finding.location.cell is None:
        result["fixes"] = [_fix(finding.fix)]
    if finding.fingerprint:
        result["partialFingerprints"] = {"torchdetLint/v1": finding.fingerprint}
    return result


def _fix(fix: Fix) -> dict[str, Any]:
    """A fix, with its changes by file. In a notebook there is none: its text is not that of the file."""
    changes: dict[str, list[Edit]] = {}
    for edit in (*fix.imports, *fix.edits):
        changes.setdefault(edit.location.path, []).append(edit)
    return {
        "description": {"text": f"{fix.title} ({fix.safety})"},
        "artifactChanges": [
            {
                "artifactLocation": _location(edits[0].location)["physicalLocation"]["artifactLocation"],
                "replacements": [
                    {
                        "deletedRegion": _location(edit.location)["physicalLocation"]["region"],
                        "insertedContent": {"text": edit.text},
                    }
                    for edit in edits
                ],
            }
            for edits in changes.values()
        ],
    }


def _steps(finding: Finding) -> list[dict[str, Any]]:
    steps = [(finding.location, finding.message), *finding.related]
    return [{"location": {**_location(at), "message": {"text": text}}} for at, text in steps]


def _location(at: Location) -> dict[str, Any]:
    artifact: dict[str, Any] = {"uri": _uri(at.path)}
    if not artifact["uri"].startswith("file:"):
        artifact["uriBaseId"] = "%SRCROOT%"
    region: dict[str, Any] = {
        "startLine": at.line,
        "startColumn": at.column,
        "endLine": at.end_line,
        "endColumn": at.end_column,
    }
    if at.cell is None:
        return {"physicalLocation": {"artifactLocation": artifact, "region": region}}
    # A notebook's text is JSON: only the raw line means something to a reader of the file, columns do not.
    raw = {"startLine": at.file_line or 1}
    return {
        "physicalLocation": {"artifactLocation": artifact, "region": raw},
        "properties": {"cell": at.cell, "line": at.line, "column": at.column},
    }


def _uri(path: str) -> str:
    from urllib.parse import quote

    absolute = path if path.startswith("/") else f"/{path}" if path[1:3] in (":/", ":\\") else None
    if absolute is None:
        return quote(path, errors="surrogateescape")
    return "file://" + quote(absolute, safe="/:", errors="surrogateescape")


def _literal(text: str) -> str:
    """Message text with what SARIF (3.11.6) would read as a link escaped."""
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]") if "](" in text else text


def _link_text(text: str) -> str:
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")

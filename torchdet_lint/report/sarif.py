"""SARIF 2.1.0, in the part that code scanning services read.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html; what GitHub reads and requires:
https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning.
Paths are relative to the working directory, so a run for upload starts at the root of the repository. What it takes at most:
https://docs.github.com/en/code-security/code-scanning/troubleshooting-sarif-uploads/results-exceed-limit.
That is 25,000 results a run, of which it shows 5,000; 1,000 locations and 10,000 steps a result; 20 tags a rule, of which it
shows 10. It does not read suppressions, so what comments hide is only there, and marked, where `--no-suppressions` asks for it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from torchdet_lint.finding import SEVERITIES, Edit, Finding, Fix, Location
from torchdet_lint.report.evidence import sentence
from torchdet_lint.report.full import EFFECTS
from torchdet_lint.report.model import Report
from torchdet_lint.report.style import Style

if TYPE_CHECKING:
    from torchdet_lint.catalog.rules import Rule

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_PROBLEM_SEVERITY = {"error": "error", "warning": "warning", "note": "recommendation"}
_LONGEST_DESCRIPTION = 1024

MOST_RESULTS = 25_000
"""A log with more is refused as a whole."""

_ROOT = {"%SRCROOT%": {"description": {"text": "the folder in which the linter was started"}}}


def sarif(report: Report, _style: Style) -> Iterator[str]:
    """One log with one run, pure ASCII. Only the rules of the findings are described."""
    findings, left_out = _most_severe(report.findings)
    codes = sorted({finding.code for finding in findings})
    first = {finding.code: finding for finding in reversed(findings)}
    driver = {
        "name": "torchdet-lint",
        "version": report.version,
        "semanticVersion": report.version,
        "rules": [_rule(first[code], report.rules.get(code)) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": _ROOT,
        "invocations": [_invocation(report, left_out)],
        "results": [{**_result(each, codes.index(each.code)), **_excuse(each, report.excused)} for each in findings],
    }
    yield json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _most_severe(findings: tuple[Finding, ...]) -> tuple[tuple[Finding, ...], int]:
    """As many findings as a log may hold, in their order, and how many are left out: the least severe, and of those the last."""
    left_out = max(0, len(findings) - MOST_RESULTS)
    if not left_out:
        return findings, 0
    ranked = sorted(range(len(findings)), key=lambda at: (-SEVERITIES.index(findings[at].severity), at))
    return tuple(findings[at] for at in sorted(ranked[:MOST_RESULTS])), left_out


def _excuse(finding: Finding, excused: Mapping[str, str] | None) -> dict[str, Any]:
    """Whether a comment would hide the result. By SARIF (3.27.23) all results of a run say so, or none."""
    if excused is None:
        return {}
    reason = excused.get(finding.fingerprint)
    if reason is None:
        return {"suppressions": []}
    return {"suppressions": [{"kind": "inSource", **({"justification": reason} if reason else {})}]}


def _invocation(report: Report, left_out: int) -> dict[str, Any]:
    told = [{"level": "error", "message": {"text": problem}} for problem in report.problems]
    if left_out:
        said = f"{left_out} of the findings are left out: code scanning takes {MOST_RESULTS} at most"
        told.append({"level": "warning", "message": {"text": said}})
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
        "help": _help(finding, rule),
        "defaultConfiguration": {"level": severity},
        "properties": {
            "tags": ["reproducibility", *([rule.family] if rule else []), *effects],
            "precision": confidence,
            "problem.severity": _PROBLEM_SEVERITY[severity],
        },
    }
    return {**described, "helpUri": finding.url} if "://" in finding.url else described


def _help(finding: Finding, rule: Rule | None) -> dict[str, str]:
    """Why the rule exists and what to do, from its page; where there is none, what this finding says."""
    from torchdet_lint.catalog.errors import CatalogError
    from torchdet_lint.catalog.page import load_page

    try:
        page = load_page(rule) if rule is not None else None
    except CatalogError:  # a rule file that has gone since it was read
        page = None
    if rule is None or page is None or not page.why:
        return {"text": finding.help or (rule.summary if rule else finding.message)}
    more = "\n".join(f"- <{url}>" for url in page.references)
    parts = (f"# {rule.name} ({rule.code})", page.why, "## Instead", page.instead, "## References", more)
    shown = parts if more else parts[:-2]
    return {"text": f"{page.why}\n\n{page.instead}".strip(), "markdown": "\n\n".join(shown)}


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

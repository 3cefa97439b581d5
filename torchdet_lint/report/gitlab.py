"""GitLab's code quality report: what merge requests show as a widget and in the diff.

Fields as in GitLab's documentation (https://docs.gitlab.com/ci/testing/code_quality/). It shows the description only, so the
code stands in front of it, and it drops findings with equal fingerprints: ours are unique within a report.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from torchdet_lint.finding import Finding
from torchdet_lint.report.evidence import sentence
from torchdet_lint.report.model import Report
from torchdet_lint.report.style import Style

_SEVERITIES = {"error": "major", "warning": "minor", "note": "info"}


def gitlab(report: Report, _style: Style) -> Iterator[str]:
    """One JSON array; GitLab reads no other text before or after it."""
    yield "["
    for index, finding in enumerate(report.findings):
        yield ("," if index else "") + "\n  " + json.dumps(_issue(finding))
    yield "\n]\n" if report.findings else "]\n"


def _issue(finding: Finding) -> dict[str, Any]:
    at = finding.location
    # In a notebook only the raw line means something to whoever shows the file.
    begin, end = (at.line, at.end_line) if at.file_line is None else (at.file_line, at.file_line)
    seen = f" ({sentence(finding)})" if finding.evidence else ""
    return {
        "description": f"{finding.code}: {finding.message}{seen}",
        "check_name": finding.name,
        "fingerprint": finding.fingerprint,
        "severity": _SEVERITIES[finding.severity],
        "location": {"path": at.path, "lines": {"begin": begin, "end": end}},
    }

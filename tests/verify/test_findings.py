"""Findings from a report of an earlier check."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from torchdet_lint.finding import Finding, Location
from torchdet_lint.report import render
from torchdet_lint.report.model import Report
from torchdet_lint.report.style import PLAIN
from torchdet_lint.verify.findings import FindingsError, from_report, still_there


def finding(print_: str, line: int = 3) -> Finding:
    at = Location("a.py", line, 1, line, 2)
    return Finding("TDL004", "n", "error", "high", "run", "m", at, fingerprint=print_)


def test_a_report_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "found.json"
    path.write_text("".join(render("json", Report((finding("f1"),), 1), PLAIN)), encoding="utf-8")
    assert from_report(str(path)) == (finding("f1"),)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, "cannot be read"),
        ("{", "is no JSON"),
        ("[]", "no report of schema 1"),
        (json.dumps({"schema": 2}), "no report of schema 1"),
        (json.dumps({"schema": 1, "findings": [{"code": "x"}]}), "no complete report"),
    ],
)
def test_bad_files_are_one_clear_line(tmp_path: Path, content: str | None, text: str) -> None:
    path = tmp_path / "found.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(FindingsError, match=text) as caught:
        from_report(str(path))
    assert "\n" not in str(caught.value)


def test_findings_move_with_their_fingerprint() -> None:
    kept, note = still_there([finding("f1", 3), finding("gone")], [finding("f1", 8)], "found.json")
    assert kept == (finding("f1", 8),)
    assert note == "found.json is of another revision: 1 of its 2 findings are not in this code"


def test_a_file_of_another_revision() -> None:
    with pytest.raises(FindingsError, match="is of another revision: none of its 1 findings"):
        still_there([finding("gone")], [finding("f1")], "found.json")

"""What the companion has seen stands in every form of the report, and in none where it was not asked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest

import torchdet_lint.report
from tests.report.conftest import PROGRAM, SPAN
from torchdet_lint.finding import VERDICTS, Evidence
from torchdet_lint.report import FORMATS, TEXT_FORMATS, render
from torchdet_lint.report.model import Report
from torchdet_lint.report.style import PLAIN
from torchdet_lint.report.summary import summary

SCHEMA = json.loads((Path(torchdet_lint.report.__file__).parent / "schema-1.json").read_text())
SARIF = json.loads((Path(__file__).parent / "data" / "sarif-schema-2.1.0.json").read_text())
SEEN = Evidence("confirmed-hidden", "two | folders:\n<b> 100% differ", "listing")
WANTS = Evidence("needs-cuda", "takes a GPU to see", check="copy-race")


def text(name: str, report: Report) -> str:
    return "".join(render(name, report, PLAIN))


@pytest.fixture
def tried(report: Report) -> Report:
    return replace(report, findings=(replace(PROGRAM, evidence=SEEN), replace(SPAN, evidence=WANTS)))


@pytest.mark.parametrize("name", FORMATS)
def test_every_form_says_the_verdict(name: str, tried: Report, report: Report) -> None:
    said = text(name, tried)
    assert "confirmed-hidden" in said
    assert "needs-cuda" in said
    assert "\nconfirmed" not in said.replace("<br>", "\n"), "what was seen has no line to itself that a line break made"
    assert "confirmed" not in text(name, report)


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"concise", "grouped", "pylint"}))
def test_forms_with_room_say_what_was_seen(name: str, tried: Report) -> None:
    said = " ".join(text(name, tried).split())
    assert "takes a GPU to see" in said
    assert "listing" in said
    assert "copy-race" in said


def test_documents_with_evidence_follow_their_schemas(tried: Report) -> None:
    document = json.loads(text("json", tried))
    jsonschema.validate(document, SCHEMA)
    assert document["findings"][0]["evidence"] == {
        "verdict": "confirmed-hidden", "text": SEEN.text, "factor": "listing", "check": "",
    }  # fmt: skip
    wrong = replace(tried, findings=(replace(PROGRAM, evidence=Evidence("perhaps", "x")),))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(json.loads(text("json", wrong)), SCHEMA)
    log = json.loads(text("sarif", tried))
    jsonschema.validate(log, SARIF)
    properties = [result["properties"] for result in log["runs"][0]["results"]]
    assert properties[0]["verdict"] == "confirmed-hidden"
    assert properties[1]["evidence"] == "needs-cuda (check copy-race): takes a GPU to see"
    ET.fromstring(text("junit", tried))


def test_the_schema_knows_the_verdicts() -> None:
    evidence = SCHEMA["properties"]["findings"]["items"]["properties"]["evidence"]["oneOf"][1]
    assert evidence["properties"]["verdict"]["enum"] == list(VERDICTS)


def test_a_github_command_stays_one_line(tried: Report) -> None:
    lines = text("github", tried).splitlines()
    assert len(lines) == 2
    assert "%0Aevidence: confirmed-hidden (listing): two | folders: <b> 100%25 differ" in lines[0]


def test_the_summary_counts_verdicts(tried: Report, report: Report) -> None:
    assert "evidence: 1 confirmed-hidden, 1 needs-cuda\n" in summary(tried, PLAIN)
    assert "evidence" not in summary(report, PLAIN)
    assert set(TEXT_FORMATS) < set(FORMATS)

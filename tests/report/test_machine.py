from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import torchdet_lint.report
from torchdet_lint.catalog.rules import load_rules
from torchdet_lint.config import OUTPUT_FORMATS
from torchdet_lint.finding import CONFIDENCES, EFFECTS, SEVERITIES, Finding, Location, Related
from torchdet_lint.report import FORMATS, render
from torchdet_lint.report import sarif as sarif_report
from torchdet_lint.report.full import EFFECTS as SAID
from torchdet_lint.report.model import Report
from torchdet_lint.report.style import PLAIN

SCHEMA_1 = json.loads((Path(torchdet_lint.report.__file__).parent / "schema-1.json").read_text())
SARIF = json.loads((Path(__file__).parent / "data" / "sarif-schema-2.1.0.json").read_text())


def document(name: str, report: Report) -> Any:
    text = "".join(render(name, report, PLAIN))
    assert text.isascii()
    assert text.endswith("}\n")
    return json.loads(text)


def test_every_format_that_can_be_configured_exists_and_the_other_way_round() -> None:
    assert tuple(FORMATS) == OUTPUT_FORMATS


def test_every_effect_is_said() -> None:
    assert tuple(SAID) == EFFECTS


def test_json_follows_its_schema(report: Report) -> None:
    jsonschema.validate(document("json", report), SCHEMA_1)
    jsonschema.validate(document("json", Report(findings=(), files_checked=0)), SCHEMA_1)
    jsonschema.validate(document("json", replace(report, problems=("cannot read folder x",))), SCHEMA_1)


def test_json_schema_knows_the_words_of_findings() -> None:
    properties = SCHEMA_1["properties"]["findings"]["items"]["properties"]
    assert properties["severity"]["enum"] == list(SEVERITIES)
    assert properties["confidence"]["enum"] == list(CONFIDENCES)
    assert properties["effect"]["enum"] == ["", *EFFECTS]


def test_json_holds_everything(report: Report) -> None:
    found = document("json", replace(report, problems=("cannot read folder x",)))
    assert list(found) == ["schema", "findings", "summary", "problems"]
    assert found["problems"] == ["cannot read folder x"]
    assert found["summary"] == {
        "version": "1.2.3",
        "files": 10,
        "programs": 2,
        "findings": 4,
        "errors": 1,
        "warnings": 2,
        "notes": 1,
        "suppressed": 1,
        "fixable": 0,
        "fixable_unsafe": 0,
        "fixed": 0,
        "known": 0,
    }
    notebook, program = found["findings"][:2]
    assert (notebook["cell"], notebook["line"], notebook["file_line"]) == (3, 2, 44)
    assert program["related"][1] == {
        "path": "train.py",
        "line": 2,
        "column": 1,
        "end_line": 2,
        "end_column": 20,
        "cell": None,
        "file_line": None,
        "label": "imported here",
    }
    assert program["fingerprint"] == "0123456789abcdef"
    assert program["program"] == "train.py"


def rebuilt(value: dict[str, Any]) -> Finding:
    def place(of: dict[str, Any]) -> Location:
        return Location(**{name: of.pop(name) for name in Location._fields})

    related = tuple(Related(place(each), each["label"]) for each in value.pop("related"))
    return Finding(location=place(value), related=related, **value)


def test_json_loses_nothing(report: Report) -> None:
    assert tuple(rebuilt(value) for value in document("json", report)["findings"]) == report.findings


def test_github_escapes_what_would_break_commands(report: Report) -> None:
    lines = "".join(render("github", report, PLAIN)).splitlines()
    assert lines[0] == (
        "::warning title=torchdet-lint (TDL900),file=nb/my file.ipynb,line=44,endLine=44"
        "::nb/my file.ipynb:cell 3:2:1: TDL900 100%25 unused: a, b%0Aand \x1b[31mc"
    )
    assert lines[1].startswith(
        "::error title=torchdet-lint (TDL001),file=train.py,line=4,endLine=4,col=13,endColumn=28::"
    )
    assert "%0Ahelp: call torch.manual_seed(seed)" in lines[1]
    assert lines[3].startswith("::notice ")


def test_github_gives_columns_only_within_one_line(report: Report) -> None:
    line = "".join(render("github", replace(report, findings=(report.findings[2],)), PLAIN))
    assert "line=5,endLine=11::" in line
    odd = replace(report.findings[2], location=Location("a,b:c%.py", 1, 1, 1, 2))
    assert "file=a%2Cb%3Ac%25.py," in "".join(render("github", replace(report, findings=(odd,)), PLAIN))


def run_of(report: Report) -> Any:
    found = document("sarif", report)
    jsonschema.validate(found, SARIF)
    assert found["$schema"] == SARIF["id"]
    return found["runs"][0]


def test_sarif_follows_the_official_schema(report: Report) -> None:
    run = run_of(report)
    assert run["columnKind"] == "unicodeCodePoints"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["TDL001", "TDL101", "TDL201", "TDL900"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    assert run_of(Report(findings=(), files_checked=0, version="1.2.3"))["results"] == []


def test_sarif_says_when_a_part_was_not_checked(report: Report) -> None:
    invocation = run_of(replace(report, problems=("cannot read folder x",)))["invocations"][0]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "cannot read folder x"
    assert run_of(report)["invocations"][0]["executionSuccessful"] is True


def test_sarif_has_what_github_requires_of_rules(report: Report) -> None:
    for rule in run_of(report)["tool"]["driver"]["rules"]:
        assert 0 < len(rule["fullDescription"]["text"]) <= 1024
        assert rule["shortDescription"]["text"]
        assert rule["help"]["text"]
        assert rule["properties"]["precision"] in ("high", "medium", "low")
        assert rule["properties"]["problem.severity"] in ("error", "warning", "recommendation")
        assert "security-severity" not in rule["properties"]


def test_sarif_places(report: Report) -> None:
    notebook, program, span, wide = run_of(report)["results"]
    physical = notebook["locations"][0]["physicalLocation"]
    assert physical["region"] == {"startLine": 44}
    assert physical["artifactLocation"] == {"uri": "nb/my%20file.ipynb", "uriBaseId": "%SRCROOT%"}
    assert notebook["locations"][0]["properties"]["cell"] == 3
    region = {"startLine": 4, "startColumn": 13, "endLine": 4, "endColumn": 28}
    assert program["locations"][0]["physicalLocation"]["region"] == region
    assert [place["id"] for place in program["relatedLocations"]] == [1, 2]
    assert "\n[weights \\[of fc\\] are drawn here](1)" in program["message"]["text"]
    assert len(program["codeFlows"][0]["threadFlows"][0]["locations"]) == 3
    assert program["partialFingerprints"] == {"torchdetLint/v1": "0123456789abcdef"}
    assert "codeFlows" not in span
    assert "partialFingerprints" not in span
    assert wide["message"]["text"].endswith("see \\[1\\](2)")


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("/abs/a b.py", "file:///abs/a%20b.py"),
        ("C:/x/y.py", "file:///C:/x/y.py"),
        ("a:b.py", "a%3Ab.py"),
        ("caf\udce9.py", "caf%E9.py"),
    ],
)
def test_sarif_uris(report: Report, path: str, uri: str) -> None:
    odd = replace(report.findings[2], location=Location(path, 1, 1, 1, 2))
    artifact = run_of(replace(report, findings=(odd,)))["results"][0]["locations"][0]["physicalLocation"][
        "artifactLocation"
    ]
    assert artifact["uri"] == uri
    assert ("uriBaseId" in artifact) is not uri.startswith("file:")


def test_sarif_rules_come_with_their_pages(report: Report) -> None:
    rules = {rule.code: rule for rule in load_rules().rules}
    described = {rule["id"]: rule for rule in run_of(replace(report, rules=rules))["tool"]["driver"]["rules"]}
    shown = described["TDL101"]["help"]
    assert "draws a new order in every epoch" in shown["text"]
    assert shown["markdown"].startswith("# dataloader-without-generator (TDL101)\n\n")
    assert "\n\n## Instead\n\n" in shown["markdown"]
    assert "<https://docs.pytorch.org/" in shown["markdown"]
    assert all(len(rule["properties"]["tags"]) <= 10 for rule in described.values())
    assert all(rule["properties"]["tags"][0] == "reproducibility" for rule in described.values())


def test_sarif_describes_a_rule_whose_file_is_gone(report: Report) -> None:
    rule = load_rules().get("TDL101")
    gone = {rule.code: replace(rule, source="/nowhere/rule.toml")}
    [described] = run_of(replace(report, findings=(report.findings[2],), rules=gone))["tool"]["driver"]["rules"]
    assert described["help"] == {"text": rule.summary}


def test_sarif_marks_what_comments_would_hide(report: Report) -> None:
    assert all("suppressions" not in result for result in run_of(report)["results"])
    excused = {"0123456789abcdef": "the demo is meant to vary"}
    results = run_of(replace(report, excused=excused))["results"]
    assert results[1]["suppressions"] == [{"kind": "inSource", "justification": "the demo is meant to vary"}]
    assert [result["suppressions"] for result in (results[0], *results[2:])] == [[], [], []]
    silent = run_of(replace(report, excused={"0123456789abcdef": ""}))["results"][1]
    assert silent["suppressions"] == [{"kind": "inSource"}]


def test_sarif_holds_no_more_than_is_taken(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif_report, "MOST_RESULTS", 2)
    run = run_of(report)
    assert [result["level"] for result in run["results"]] == ["warning", "error"], "the most severe, in their order"
    [told] = run["invocations"][0]["toolExecutionNotifications"]
    assert told["message"]["text"].startswith("2 of the findings are left out")
    assert run["invocations"][0]["executionSuccessful"] is True
    assert run_of(replace(report, findings=report.findings[:2]))["invocations"][0]["toolExecutionNotifications"] == []


def test_sarif_says_what_its_paths_start_from(report: Report) -> None:
    run = run_of(report)
    used = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uriBaseId"] for result in run["results"]}
    assert used == set(run["originalUriBaseIds"])

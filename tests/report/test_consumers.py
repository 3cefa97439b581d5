"""Reports for other programs, read back the way these read them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from xml.etree import ElementTree as ET

from tests.report.conftest import NOTEBOOK, PROGRAM, SOURCES, WIDE
from torchdet_lint.finding import Edit, Fix, Location
from torchdet_lint.report import FORMATS, render
from torchdet_lint.report.model import Report
from torchdet_lint.report.style import PLAIN


def rendered(name: str, report: Report) -> str:
    return "".join(render(name, report, PLAIN))


def test_every_format_says_nothing_wrong_about_nothing() -> None:
    for name in FORMATS:
        text = rendered(name, Report(findings=(), files_checked=1))
        assert "TDL" not in text
        assert "Traceback" not in text


def test_every_format_names_every_finding(report: Report) -> None:
    for name in FORMATS:
        text = rendered(name, report)
        for finding in report.findings:
            assert finding.code in text, name


def test_gitlab_issues_have_what_gitlab_reads(report: Report) -> None:
    issues = json.loads(rendered("gitlab", report))
    assert [issue["severity"] for issue in issues] == ["minor", "major", "minor", "info"]
    assert issues[1]["description"].startswith("TDL001: `Net(...)` draws")
    assert issues[1]["location"] == {"path": "train.py", "lines": {"begin": 4, "end": 4}}
    assert issues[0]["location"]["lines"] == {"begin": 44, "end": 44}  # the raw line of the notebook
    assert issues[1]["fingerprint"] == "0123456789abcdef"
    assert json.loads(rendered("gitlab", Report(findings=(), files_checked=1))) == []


def test_reviewdog_counts_columns_in_bytes(report: Report) -> None:
    document = json.loads(rendered("rdjson", report))
    by_code = {each["code"]["value"]: each for each in document["diagnostics"]}
    found = by_code["TDL201"]["location"]["range"]
    line = SOURCES["train.py"][11].encode()
    start, end = found["start"]["column"] - 1, found["end"]["column"] - 1
    assert line[start:end].decode() == "torch.backends.cudnn.benchmark = True"
    assert found["start"]["line"] == 12
    assert by_code["TDL900"]["location"]["range"] == {"start": {"line": 44}, "end": {"line": 44}}
    assert by_code["TDL001"]["severity"] == "ERROR"
    assert by_code["TDL001"]["code"]["url"] == "https://example.org/TDL001"


def test_a_place_without_its_text_is_given_by_lines() -> None:
    report = Report(findings=(replace(WIDE, location=WIDE.location._replace(path="gone.py")),), files_checked=1)
    [found] = json.loads(rendered("rdjson", report))["diagnostics"]
    assert found["location"]["range"] == {"start": {"line": 12}, "end": {"line": 12}}


def test_lines_of_json_are_the_document_line_by_line(report: Report) -> None:
    whole = json.loads(rendered("json", report))["findings"]
    assert [json.loads(line) for line in rendered("json-lines", report).splitlines()] == whole
    diagnostics = json.loads(rendered("rdjson", report))["diagnostics"]
    lines = [json.loads(line) for line in rendered("rdjsonl", report).splitlines()]
    assert [{key: value for key, value in line.items() if key != "source"} for line in lines] == diagnostics
    assert {line["source"]["name"] for line in lines} == {"torchdet-lint"}


def test_junit_counts_are_those_of_its_cases(report: Report) -> None:
    root = ET.fromstring(rendered("junit", report))
    cases = root.findall("./testsuite/testcase")
    assert int(root.attrib["failures"]) == len(cases) == len(report.findings)
    assert sum(int(suite.attrib["tests"]) for suite in root) == len(cases)
    assert [case.attrib["line"] for case in cases] == ["44", "4", "5", "12"]
    assert all(case.find("failure") is not None for case in cases)
    clean = ET.fromstring(rendered("junit", Report(findings=(), files_checked=1)))
    assert (clean.attrib["tests"], clean.attrib["failures"]) == ("1", "0")


def test_pylint_lines_are_what_its_readers_match(report: Report) -> None:
    pattern = re.compile(r"^(?P<path>[^:]+):(?P<line>\d+): \[(?P<code>\w+)\((?P<name>[\w-]+)\)\] .+$")
    lines = rendered("pylint", report).splitlines()
    found = [match for line in lines if (match := pattern.match(line))]
    assert len(found) == len(lines) == len(report.findings)
    assert [match["line"] for match in found] == ["44", "4", "5", "12"]


def test_groups_stand_under_their_files(report: Report) -> None:
    text = rendered("grouped", report)
    assert [line for line in text.splitlines() if line and not line.startswith(" ")] == ["nb/my file.ipynb", "train.py"]
    assert "  cell 3:2:1  warning  TDL900  " in text
    assert "  4:13   error    TDL001  " in text


def test_markdown_cells_cannot_be_broken() -> None:
    nasty = replace(PROGRAM, message="a | b `x|y` <b> *c* [d](e) _f_\nnew", help="", url="")
    text = rendered("markdown", Report(findings=(nasty, NOTEBOOK), files_checked=1))
    rows = [line for line in text.splitlines() if line.startswith(("| 🔴", "| 🟠"))]
    assert len(rows) == 2
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 5 for row in rows)
    assert r"a \| b `x\|y` \<b\> \*c\* \[d\](e) \_f\_ new" in rows[0]


def test_long_markdown_is_cut_and_says_so() -> None:
    report = Report(findings=(PROGRAM,) * 301, files_checked=1, problems=("one | problem",))
    text = rendered("markdown", report)
    assert text.count("| 🔴 |") == 300
    assert "… and 1 finding more." in text
    assert r"> one \| problem" in text


def test_only_whole_addresses_become_links() -> None:
    report = Report(findings=(replace(PROGRAM, url="rules/TDL001.md"),), files_checked=1)
    assert "](" not in rendered("markdown", report)
    assert "url" not in json.loads(rendered("rdjson", report))["diagnostics"][0]["code"]


def test_rdjson_suggests_fixes_of_one_edit(report: Report) -> None:
    place = Location("train.py", 12, 51, 12, 55)
    edit = Edit(place, 0, 4, "False")
    one, two = (
        Fix("turn it off", "unsafe", (edit,)),
        Fix("turn it off", "unsafe", (edit,), (edit._replace(text="import x\n"),)),
    )
    fixed = replace(report, findings=(replace(WIDE, fix=one), replace(WIDE, fix=two), WIDE))
    first, *others = json.loads(rendered("rdjson", fixed))["diagnostics"]
    (suggestion,) = first["suggestions"]
    assert suggestion["text"] == "False"
    assert suggestion["range"]["start"]["line"] == 12
    assert suggestion["range"]["start"]["column"] == 51 + len("é漢字".encode()) - 3
    assert all("suggestions" not in each for each in others)

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from torchdet_lint.finding import Location
from torchdet_lint.report import FORMATS, render
from torchdet_lint.report.excerpt import excerpt
from torchdet_lint.report.model import Report
from torchdet_lint.report.statistics_table import statistics_table
from torchdet_lint.report.style import PLAIN, Style, wants_colour
from torchdet_lint.report.summary import summary


def text(name: str, report: Report, style: Style = PLAIN) -> str:
    return "".join(render(name, report, style))


def test_full_shows_place_source_related_places_and_help(report: Report) -> None:
    finding = report.findings[1]
    assert text("full", replace(report, findings=(finding,))) == (
        "train.py:4:13: error[TDL001]: `Net(...)` draws from torch's default generator,\n"
        "    and nothing on the way there has seeded it\n"
        "  |\n"
        "4 |     model = Net(args.width)\n"
        "  |             ^^^^^^^^^^^^^^^\n"
        "  ::: models/net.py:3:19\n"
        "3 |         self.fc = nn.Linear(8, 8)\n"
        "  |                   --------------- weights [of fc] are drawn here\n"
        "  |\n"
        "2 | from net import Net\n"
        "  | ------------------- imported here\n"
        "  |\n"
        "  = help: call torch.manual_seed(seed) before this line; pass the seed as an\n"
        "          option so that it can be logged (unsafe)\n"
        "  = rule: unseeded-torch-rng (high confidence; two runs on one machine differ)\n"
        "\n"
    )


def test_full_shows_long_spans_by_their_first_lines_and_the_last(report: Report) -> None:
    shown = text("full", replace(report, findings=(report.findings[2],)))
    assert " 5 |     loader = DataLoader(\n   |              ^^^^^^^^^^^\n 6 |" in shown
    assert " 7 |         shuffle=True,\n   ...\n11 |     )\n" in shown
    assert "batch_size" not in shown


def test_full_keeps_to_80_columns_and_underlines_wide_characters_where_they_are_shown(report: Report) -> None:
    shown = text("full", report)
    assert max(map(len, shown.splitlines())) <= 80
    source, marks = next(
        pair for pair in zip(shown.splitlines(), shown.splitlines()[1:], strict=False) if "漢" in pair[0]
    )
    cells = "".join(char * (2 if char in "漢字" else 1) for char in source)
    assert cells[marks.index("^") : marks.rindex("^") + 1] == "torch.backends.cudnn.benchmark = True"
    assert source.endswith("...")


def test_full_without_source_still_names_every_place(report: Report) -> None:
    shown = text("full", Report(findings=report.findings, files_checked=1))
    assert "::: models/net.py:3:19: weights [of fc] are drawn here" in shown
    assert "::: train.py:2:1: imported here" in shown


def test_a_span_far_to_the_right_is_in_the_window() -> None:
    line = "a" * 200 + " target() " + "b" * 200
    shown = list(excerpt([line], Location("x.py", 7, 202, 7, 210), 1, "^", "", "error", PLAIN))
    source, marks = (part.rstrip("\n") for part in shown)
    assert len(source) <= 80
    assert source.startswith("7 | ...a")
    assert source[marks.index("^") : marks.rindex("^") + 1] == "target()"


def test_a_span_past_the_end_of_its_line_is_still_marked() -> None:
    shown = list(excerpt(["x"], Location("x.py", 1, 9, 1, 9), 1, "^", "", "error", PLAIN))
    assert shown == ["1 | x\n", "  |  ^\n"]


def test_concise_is_one_line_a_finding(report: Report) -> None:
    lines = text("concise", report).splitlines()
    assert (
        lines[0] == "nb/my file.ipynb:cell 3:2:1: TDL900 warning 100% unused: a, b and \N{REPLACEMENT CHARACTER}[31mc"
    )
    assert lines[2] == "train.py:5:14: TDL101 warning `DataLoader(...)` shuffles without `generator=`"
    assert len(lines) == 4


@pytest.mark.parametrize("name", FORMATS)
def test_what_steers_terminals_never_gets_through(report: Report, name: str) -> None:
    assert "\x1b" not in text(name, report) or name == "github"


@pytest.mark.parametrize("name", ["full", "concise"])
def test_colour_adds_nothing_but_colour(report: Report, name: str) -> None:
    coloured = text(name, report, Style(colour=True))
    assert coloured != text(name, report)
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == text(name, report)


@pytest.mark.parametrize(
    ("when", "terminal", "environ", "expected"),
    [
        ("auto", True, {}, True),
        ("auto", False, {}, False),
        ("auto", True, {"NO_COLOR": "1"}, False),
        ("auto", True, {"NO_COLOR": ""}, True),
        ("auto", True, {"TERM": "dumb"}, False),
        ("auto", False, {"FORCE_COLOR": "1"}, True),
        ("auto", False, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ("always", False, {"NO_COLOR": "1"}, True),
        ("never", True, {"FORCE_COLOR": "1"}, False),
    ],
)
def test_who_gets_colour(when: str, terminal: bool, environ: dict[str, str], expected: bool) -> None:
    assert wants_colour(when, terminal, environ) is expected


def test_summary(report: Report) -> None:
    assert summary(report, PLAIN) == "1 error, 2 warnings, 1 note in 10 files, 2 programs (1 suppressed)\n"
    assert summary(Report(findings=(), files_checked=1, elapsed=1.239), PLAIN) == "No findings in 1 file in 1.24 s\n"


def test_statistics(report: Report) -> None:
    noted = replace(report.findings[0], severity="note")
    shown = "".join(statistics_table(replace(report, findings=(*report.findings, noted)), PLAIN))
    assert shown.splitlines()[:2] == [
        "2  TDL900  unused-suppression  (1 warning, 1 note)",
        "1  TDL001  unseeded-torch-rng  (error)",
    ]

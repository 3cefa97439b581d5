from __future__ import annotations

import math
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from benchmarks import page, plot
from benchmarks.budgets import BUDGETS, amount, table, verdict
from benchmarks.corpora import Corpus
from benchmarks.measure import Outcome, Sample

BY_KEY = {budget.key: budget for budget in BUDGETS}


def test_verdicts() -> None:
    ruff = BY_KEY["scripts/ruff"]
    assert verdict(ruff, 7) == "stretch"
    assert verdict(ruff, 7.1) == verdict(ruff, 20) == "met"
    assert verdict(ruff, 20.1) == "**missed**"
    assert verdict(ruff, math.nan) == "not measured"


def test_stretch_is_never_easier_than_must() -> None:
    assert all(budget.stretch < budget.must for budget in BUDGETS)
    assert len(BY_KEY) == len(BUDGETS)


def test_amounts() -> None:
    assert amount(1 / 48, BY_KEY["scripts/torchfix"]) == "1/48"
    assert amount(1 / 5.62, BY_KEY["scripts/torchfix"]) == "1/5.6"
    assert amount(1.5, BY_KEY["scripts/torchfix"]) == "1.5 ×"
    assert amount(7.345, BY_KEY["scripts/ruff"]) == "7.34 ×"
    assert amount(142.4, BY_KEY["memory/cold"]) == "142 MB"


def test_every_budget_has_a_row_that_says_why_it_is_empty() -> None:
    lines = table(
        {"scripts/ruff": 30.0, "growth": 1.05}, {"scripts/pylint": "ended with status 32", "growth": "unused"}
    )
    rows = dict(zip(BY_KEY, lines[2:], strict=True))
    assert rows["scripts/ruff"] == "| cold, scripts, against ruff | 30 × | ≤ 20 × | ≤ 7 × | **missed** |"
    assert rows["growth"].endswith("| 1.05 × | ≤ 1.3 × | ≤ 1.1 × | stretch |")
    assert rows["scripts/pylint"].endswith("| – | ≤ 1/40 | ≤ 1/100 | ended with status 32 |")
    assert rows["memory/warm"].endswith("| – | ≤ 60 MB | ≤ 25 MB | not measured |")
    assert rows["scripts/fixit"].endswith("| not measured |")


def test_runs_are_compared_with_ours() -> None:
    outcomes = {
        "torchdet-lint": Outcome([Sample(1.0, 50_000_000, 2.0), Sample(3.0, 60_000_000, 4.0)]),
        "fast": Outcome([Sample(0.5, 9_000_000, 0.5), Sample(0.5, 9_000_000, 0.5)]),
        "slow": Outcome([Sample(40.0, 9_000_000, 41.0)]),
        "gone": Outcome(reason="could not be | installed\nat all"),
    }
    assert page.runs(outcomes)[2:] == [
        "| torchdet-lint | 2 | 4 | 60 | 2 |  |",
        "| fast | 0.5 | 0.5 | 9 | 2 | 4 × |",
        "| slow | 40 | 41 | 9 | 1 | 0.025 × (1/40) |",
        "| gone | skipped: could not be \\| installed at all | | | | |",
    ]


def test_a_page_keeps_what_is_not_measured() -> None:
    text = f"# Speed\n\nBefore.\n\n{page.BEGIN}\nold\n{page.END}\n\nAfter.\n"
    assert page.replace(text, "\nnew\n") == f"# Speed\n\nBefore.\n\n{page.BEGIN}\n\nnew\n\n{page.END}\n\nAfter.\n"
    assert page.replace(page.replace(text, "new"), "newer").count("new") == 1
    with pytest.raises(ValueError, match="has no"):
        page.replace("# Speed\n", "new")


def test_the_page_of_the_project_can_be_written() -> None:
    text = (Path(__file__).parents[2] / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert "| new |" in page.replace(text, "| new |")


def test_a_measurement_says_on_what_it_was_made() -> None:
    corpus = Corpus("scripts", Path("/nowhere"), 82, 31_000, 1_300_000, made_of="cleanrl 1.2.0")
    text = page.measured(
        "python -m benchmarks",
        {},
        {},
        [],
        [(0.7, 1.2), (7.0, 9.8)],
        [corpus],
        {"torchdet-lint": "0.1.0", "ruff": "0.9"},
    )
    assert "| 7.0 | 9.8 | 1.40 |" in text
    assert "`python -m benchmarks`, on " in text
    assert "- scripts (82 files, 31 k lines, 1.3 MB): cleanrl 1.2.0" in text
    assert "- torchdet-lint 0.1.0, ruff 0.9" in text


def test_growth_is_drawn_to_scale() -> None:
    root = ET.fromstring(plot.growth([(1.0, 2.0), (2.0, 4.0), (4.0, 8.0)]))
    marks = [(float(each.attrib["cx"]), float(each.attrib["cy"])) for each in root if each.tag.endswith("circle")]
    (x1, y1), (x2, y2), (x4, y4) = marks
    assert x4 - x2 == pytest.approx(2 * (x2 - x1), abs=0.2)
    assert y2 - y4 == pytest.approx(2 * (y1 - y2), abs=0.2)

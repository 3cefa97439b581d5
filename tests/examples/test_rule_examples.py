"""The examples on the pages of the rules, through the engine: what a page shows is what the tool says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.examples.conftest import Check
from torchdet_lint.catalog.page import Example, load_page
from torchdet_lint.catalog.rules import Rule, load_rules
from torchdet_lint.engine import load
from torchdet_lint.engine.options import Result
from torchdet_lint.finding import Finding

MARK = re.compile(r"# expect: [^\n]*")


class Case(NamedTuple):
    rule: Rule
    example: Example

    @property
    def config(self) -> tuple[str, ...]:
        own = () if self.rule.default else (f'extend-select=["{self.rule.code}"]',)
        return (*own, f'target-torch="{self.example.torch}"') if self.example.torch else own


def cases() -> Iterator[Case]:
    for rule in load_rules().rules:
        for example in load_page(rule).examples:
            yield Case(rule, example)


def name(case: Case) -> str:
    return f"{case.rule.code}-{case.example.kind}-{case.example.title}"


CASES = sorted(cases(), key=name)
each_example = pytest.mark.parametrize("case", CASES, ids=name)
BAD = [case for case in CASES if case.example.kind == "bad" and case.rule.family != "meta"]


def at(finding: Finding) -> tuple[str, int, str]:
    place = finding.location
    return place.path, place.file_line or place.line, finding.code


def loud(result: Result) -> list[tuple[str, int, str]]:
    """The findings that fail a run."""
    return sorted({at(finding) for finding in result.findings if finding.severity != "note"})


@each_example
def test_example(case: Case, check: Check) -> None:
    result = check(case.example.files, *case.config)
    assert result.problems == ()
    marked = sorted({tuple(each) for each in case.example.expectations()})
    said = sorted({at(finding) for finding in result.findings})
    assert [each for each in marked if each not in said] == []
    assert [each for each in loud(result) if each not in marked] == []


def test_examples_show_both_sides() -> None:
    sides: dict[str, set[str]] = {}
    for case in CASES:
        sides.setdefault(case.rule.code, set()).add(case.example.kind)
        codes = {each.code for each in case.example.expectations()}
        assert case.rule.code in codes if case.example.kind == "bad" else not codes
    assert set(sides) == {rule.code for rule in load_rules().rules}
    assert all(kinds == {"bad", "good"} for kinds in sides.values())


@pytest.mark.parametrize("case", BAD, ids=name)
def test_a_comment_on_the_marked_line_hides_the_finding(case: Case, check: Check) -> None:
    def ignored(mark: re.Match[str]) -> str:
        return f"# tdl: ignore[{mark[0].removeprefix('# expect: ')}]"

    result = check({path: MARK.sub(ignored, text) for path, text in case.example.files.items()}, *case.config)
    marked = {tuple(each) for each in case.example.expectations()}
    assert loud(result) == []
    assert not marked & {at(finding) for finding in result.findings}
    assert result.suppressed >= len(marked)


@pytest.mark.parametrize("case", BAD[::9], ids=name)
def test_worker_processes_find_the_same(case: Case, check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = check(case.example.files, *case.config)
    monkeypatch.setattr(load, "FEW_FILES", 0)
    monkeypatch.setattr(load, "FEW_BYTES", 0)
    assert check(case.example.files, *case.config, jobs=2).findings == alone.findings

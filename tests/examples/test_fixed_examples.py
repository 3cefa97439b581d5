"""What the pages of the rules show as fixed is what fixing gives."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.examples.test_rule_examples import CASES, Case, name
from torchdet_lint import engine
from torchdet_lint.catalog.page import SINGLE_FILE
from torchdet_lint.catalog.rules import load_rules
from torchdet_lint.config import SettingsFor, inline
from torchdet_lint.engine import fixing
from torchdet_lint.engine.fixing import Fixed
from torchdet_lint.engine.options import Options, silent
from torchdet_lint.finding import Finding
from torchdet_lint.fixes import FIXABLE

MARK = re.compile(r"[ \t]*# expect: [^\n]*")
BAD = [case for case in CASES if case.example.kind == "bad"]
Fixing = Callable[[Case], Fixed]


@pytest.fixture
def fix_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fixing:
    monkeypatch.chdir(tmp_path)

    def fix_case(case: Case) -> Fixed:
        for path, text in case.example.files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_bytes(text.encode())
        cwd = str(tmp_path)
        settings = SettingsFor(cwd, (".",), overrides=tuple(inline(each, cwd) for each in case.config))

        def own(finding: Finding) -> bool:
            return finding.code == case.rule.code and finding.fix is not None and finding.fix.safety != "display"

        return fixing.fix(Options(paths=(".",), settings=settings, jobs=1, cwd=cwd), silent, own, engine.run)

    return fix_case


@pytest.mark.parametrize("case", BAD, ids=name)
def test_fixed_example(case: Case, fix_case: Fixing) -> None:
    fixed = fix_case(case)
    assert fixed.problems == ()
    texts = {each.display: MARK.sub("", each.after.decode()) for each in fixed.files}
    if len(case.example.files) == 1 and SINGLE_FILE in case.example.files:
        assert texts.get(SINGLE_FILE, "").strip() == case.example.fixed.strip()
    for path, text in texts.items():
        if path.endswith(".py"):
            compile(text, path, "exec")
    safeties = {f.fix.safety for f in (*fixed.done, *fixed.result.findings) if f.code == case.rule.code and f.fix}
    assert safeties <= set(case.rule.fixes)


def test_rules_that_say_so_are_fixed() -> None:
    assert {rule.code for rule in load_rules().rules if rule.fixes} == FIXABLE
    shown = {case.rule.code for case in BAD if case.example.fixed}
    assert shown == FIXABLE

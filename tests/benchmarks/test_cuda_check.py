"""The table of what rules about CUDA claim, without a GPU."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import cuda_check
from benchmarks.cuda_check import PROGRAMS, RULES, table
from tests.verify.test_accelerator import AGAIN, BACKWARD, seen_by
from tests.verify.test_verdict import finding
from torchdet_lint.catalog.rules import load_rules
from torchdet_lint.verify.verdict import judge


def test_every_rule_about_cuda_has_a_line() -> None:
    about = {rule.code for rule in load_rules().rules if "cuda" in rule.effects}
    assert about < set(RULES)
    judgement = judge(
        (finding("TDL401", 5, effect="cuda"), finding("TDL401", 6, effect="cuda")), seen_by(AGAIN, BACKWARD)
    )
    lines = list(table([judgement]))
    assert len(lines) == 1 + len(RULES)
    assert any(
        line.startswith("TDL401  confirmed             1 of 2    aten.index_add_ gave other bytes") for line in lines
    )
    assert any(line.startswith("TDL207  not tried") for line in lines)
    assert list(cuda_check._sights(judgement)) == []  # the finding that is confirmed stands at both
    unheard = judge((finding("TDL402", 6, effect="cuda"),), seen_by(AGAIN))
    assert list(cuda_check._sights(unheard)) == [
        "no finding stands at operation-replay of aten.index_add_, train.py:5:f\n"
    ]


def test_programs_have_findings_of_most_rules(tmp_path: Path) -> None:
    """The programs that would run on a GPU, linted."""
    found: set[str] = set()
    for path in PROGRAMS.glob("*.py"):
        (tmp_path / path.stem).mkdir()
        (tmp_path / path.stem / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
        (tmp_path / path.stem / "pyproject.toml").touch()
        found.update(each.code for each in cuda_check._findings(tmp_path / path.stem))
    assert set(RULES) - found == {"TDL207", "TDL304", "TDL404", "TDL405"}


def test_a_machine_that_cannot_is_told_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert cuda_check.main(["--python", str(tmp_path / "none")]) == 2
    assert "cannot be run" in capsys.readouterr().err
    fake = tmp_path / "python"
    fake.write_text(f"#!{sys.executable}\nprint('2.13.0 ')\n", encoding="utf-8")
    fake.chmod(0o755)
    assert cuda_check.main(["--python", str(fake)]) == 2
    assert "finds no GPU; `--device cpu` shows what would be run" in capsys.readouterr().err

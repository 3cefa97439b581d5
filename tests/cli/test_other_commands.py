from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import torchdet_lint
from torchdet_lint.card import ProgramCard
from torchdet_lint.catalog.rules import load_rules
from torchdet_lint.cli.app import _COMMANDS, _HIDDEN

if TYPE_CHECKING:
    from tests.cli.conftest import Engine, Ran

Lint = Callable[..., "Ran"]


def test_help_lists_the_commands(lint: Lint) -> None:
    for flag in ("-h", "--help"):
        ran = lint(flag)
        assert ran.status == 0
        assert all(f"  {name} " in ran.out for name in _COMMANDS if name not in _HIDDEN)
    assert max(map(len, lint("check", "--help").out.splitlines())) <= 80


def test_version(lint: Lint) -> None:
    assert lint("--version") == lint("-V") == (0, f"torchdet-lint {torchdet_lint.__version__}\n", "")


def test_rules(lint: Lint) -> None:
    rules = load_rules().rules
    shown = lint("rules")
    assert shown.status == 0
    assert all(f"  {rule.code}  {rule.name} " in shown.out for rule in rules)
    assert max(map(len, shown.out.splitlines())) <= 80
    values = json.loads(lint("rules", "--output-format", "json").out)
    assert [value["code"] for value in values] == [rule.code for rule in rules]


@pytest.mark.parametrize("word", ["TDL001", "tdl001", "unseeded-torch-rng"])
def test_explain(lint: Lint, word: str) -> None:
    ran = lint("explain", word)
    assert ran.status == 0
    assert ran.out.startswith("TDL001 unseeded-torch-rng\n\n")
    assert "\nWhy\n" in ran.out
    assert "\nBad: " in ran.out
    assert "\nGood: " in ran.out


def test_explain_every_rule(lint: Lint) -> None:
    for rule in load_rules().rules:
        value = json.loads(lint("explain", rule.code, "--output-format", "json").out)
        assert (value["code"], value["summary"]) == (rule.code, rule.summary)
        assert lint("explain", rule.code).status == 0


def test_explain_suggests(lint: Lint) -> None:
    assert lint("explain", "TDL0001") == (2, "", 'torchdet-lint: no rule "TDL0001" (did you mean "TDL001"?)\n')


def test_rules_of_the_project_are_listed_and_explained(lint: Lint) -> None:
    Path("lab.toml").write_text(
        'code = "LAB001"\nname = "lab-rule"\nmessage = "do not"\n[match]\ncallees = ["lab.f"]\n'
    )
    Path("torchdet-lint.toml").write_text('extend-rules = ["lab.toml"]\n')
    assert "LAB001  lab-rule" in lint("rules").out
    assert lint("explain", "lab-rule").out.startswith("LAB001 lab-rule\n")
    assert lint("explain", "lab-rule", "--isolated").status == 2


def test_programs(lint: Lint, engine: Engine) -> None:
    engine.cards = (ProgramCard("a.py", "script"),)
    assert lint("programs") == (0, "a.py\n  script\n  random numbers\n    -- none drawn\n", "")
    assert json.loads(lint("programs", ".", "--output-format", "json").out)["programs"][0]["path"] == "a.py"
    assert engine.options.paths == (".",)
    engine.cards = ()
    assert lint("programs") == (0, "", "torchdet-lint: no programs found\n")
    assert lint("programs", "nope").status == 2

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from torchdet_lint.catalog.rules import load_rules
from torchdet_lint.config import ConfigError, SettingsFor, layer
from torchdet_lint.config.policy import UNREADABLE, Policy, catalog_for, policy
from torchdet_lint.finding import Finding, Location

FINDING = Finding("TDL001", "unseeded-torch-rng", "error", "medium", "run", "m", Location("a.py", 1, 1, 1, 2))
DEFAULTS = {rule.code for rule in load_rules().rules if rule.default}


def policy_of(**table: Any) -> Policy:
    overrides = (layer("x.toml", "/p", {key.replace("_", "-"): value for key, value in table.items()}),)
    return policy(SettingsFor("/", isolated=True, overrides=overrides).project, load_rules())


def test_selection() -> None:
    assert policy_of().codes == DEFAULTS | {UNREADABLE}
    assert policy_of(select=["TDL001"]).codes == {"TDL001", UNREADABLE}
    assert policy_of(select=[]).codes == {UNREADABLE}
    assert policy_of(ignore=["TDL001"]).codes == (DEFAULTS | {UNREADABLE}) - {"TDL001"}
    assert policy_of(select=["TDL001"], extend_select=["TDL002"]).codes == {"TDL001", "TDL002", UNREADABLE}


def test_unreadable_files_are_said_unless_exactly_that_is_ignored() -> None:
    assert UNREADABLE in policy_of(select=["TDL0"], ignore=["ALL"]).codes
    if load_rules().find(UNREADABLE):
        assert UNREADABLE not in policy_of(ignore=[UNREADABLE]).codes
        assert UNREADABLE not in policy_of(ignore=["unreadable-source"]).codes


def test_per_file_ignores_take_away() -> None:
    chosen = policy_of(per_file_ignores={"scripts/**": ["TDL001"], "*_old.py": ["ALL"]})
    assert "TDL001" not in chosen.codes_for("/p/scripts/a.py")
    assert "TDL002" in chosen.codes_for("/p/scripts/a.py")
    assert "TDL001" in chosen.codes_for("/p/a.py")
    assert not chosen.codes_for("/p/x_old.py") & DEFAULTS
    assert chosen.shown(FINDING, "/p/scripts/a.py") is None
    assert chosen.shown(FINDING, "/p/a.py") is FINDING


def test_severities_by_the_most_specific_selector() -> None:
    assert policy_of(severity={"unseeded-torch-rng": "note", "TDL0": "warning"}).severities["TDL001"] == "note"
    chosen = policy_of(severity={"TDL001": "note", "TDL0": "warning"})
    assert chosen.severities["TDL002"] == "warning"
    assert chosen.shown(FINDING, "/p/a.py") == replace(FINDING, severity="note")
    assert policy_of(severity={"TDL001": "note"}, min_severity="warning").shown(FINDING, "/p/a.py") is None


def test_thresholds() -> None:
    assert policy_of(min_severity="error").shown(FINDING, "/p/a.py") is FINDING
    assert policy_of(min_severity="error").shown(replace(FINDING, severity="warning"), "/p/a.py") is None
    assert policy_of(min_confidence="medium").shown(FINDING, "/p/a.py") is FINDING
    assert policy_of(min_confidence="high").shown(FINDING, "/p/a.py") is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("select", ["TDL0O1"]),
        ("extend_select", ["nonsense"]),
        ("ignore", ["TDL0O1"]),
        ("severity", {"TDL0O1": "note"}),
        ("per_file_ignores", {"a": ["TDL0O1"]}),
    ],
)
def test_selectors_that_name_nothing(key: str, value: object) -> None:
    with pytest.raises(ConfigError, match=re.escape(f"x.toml: `{key.replace('_', '-')}`: no rule, family or code")):
        policy_of(**{key: value})


def test_rules_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "lint").mkdir()
    for number in (2, 1):
        text = f'code = "LAB00{number}"\nname = "lab-{number}"\nmessage = "no"\n[match]\ncallees = ["lab.f"]\n'
        (tmp_path / "lint" / f"{number}.toml").write_text(text)

    def catalog(*globs: str) -> Any:
        overrides = (layer("x.toml", str(tmp_path), {"extend-rules": list(globs)}),)
        return catalog_for(SettingsFor("/", isolated=True, overrides=overrides).project)

    found = catalog("lint/*.toml", "lint/1.toml")
    assert [rule.code for rule in found.rules if rule.code.startswith("LAB")] == ["LAB001", "LAB002"]
    with pytest.raises(ConfigError, match=r"^x\.toml: `extend-rules` names none/\*\.toml, and there is no such file$"):
        catalog("none/*.toml")

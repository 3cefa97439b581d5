from __future__ import annotations

import pytest

from torchdet_lint.catalog.errors import SelectionError, suggest
from torchdet_lint.catalog.rules import load_rules
from torchdet_lint.catalog.select import Selection, expand, matches, resolve

CATALOG = load_rules()
CODES = frozenset(rule.code for rule in CATALOG.rules)
SEEDING = frozenset(code for code in CODES if code.startswith("TDL0"))
LOADING = frozenset(code for code in CODES if code.startswith("TDL1"))
OFF = frozenset(rule.code for rule in CATALOG.rules if not rule.default)


@pytest.mark.parametrize(
    ("selector", "codes"),
    [
        ("ALL", CODES),
        ("TDL", CODES),
        ("tdl1", LOADING),
        ("loading", LOADING),
        ("TDL00", {code for code in CODES if code.startswith("TDL00")}),
        ("TDL101", {"TDL101"}),
        ("set-order", {"TDL106"}),
        ("operations", {f"TDL40{n}" for n in range(1, 6)}),
        ("state", {"TDL601"}),
    ],
)
def test_what_a_selector_covers(selector: str, codes: set[str]) -> None:
    assert expand(CATALOG, selector) == codes


@pytest.mark.parametrize("selector", ["T", "TD", "TDL1011", "E501", "TDL777", "set-orders", "", "Loading ", "101"])
def test_selectors_that_name_nothing(selector: str) -> None:
    with pytest.raises(SelectionError):
        expand(CATALOG, selector)
    assert not any(matches(selector, rule) for rule in CATALOG.rules)


def test_the_nearest_name_is_suggested() -> None:
    with pytest.raises(SelectionError, match=r'no rule, family or code "set-orders" .did you mean "set-order"'):
        resolve(CATALOG, Selection(ignore=("set-orders",)))


def test_default_selection_is_what_is_on_by_default() -> None:
    assert resolve(CATALOG, Selection()) == CODES - OFF


@pytest.mark.parametrize(
    ("selection", "codes"),
    [
        (Selection(select=("TDL1",)), LOADING),
        (Selection(select=()), frozenset()),
        (Selection(extend_select=tuple(OFF)), CODES),
        (Selection(extend_select=("TDL601",)), CODES - OFF | {"TDL601"}),
        (Selection(ignore=("TDL1",)), CODES - LOADING - OFF),
        (Selection(select=("ALL",), ignore=("TDL1", "seeding")), CODES - LOADING - SEEDING),
        (Selection(select=("TDL1",), ignore=("TDL101",)), LOADING - {"TDL101"}),
        (Selection(select=("TDL101",), ignore=("TDL1",)), {"TDL101"}),
        (Selection(ignore=("ALL",), extend_select=("TDL101",)), {"TDL101"}),
        (Selection(select=("TDL1",), ignore=("loading",)), frozenset()),
        (Selection(select=("unseeded-torch-rng",), ignore=("TDL00",)), {"TDL001"}),
        (Selection(select=("TDL001",), ignore=("TDL001",)), frozenset()),
        (Selection(ignore=("TDL2",), extend_select=("TDL20",)), CODES - {"TDL601"}),
    ],
)
def test_the_more_specific_selector_wins(selection: Selection, codes: set[str]) -> None:
    assert resolve(CATALOG, selection) == codes


def test_what_begins_alike_is_suggested_first() -> None:
    assert suggest("TDL1", ["TDL501", "TDL601", "TDL101"]) == ' (did you mean "TDL101"?)'
    assert suggest("TDL20x", ["TDL301", "TDL208"]) == ' (did you mean "TDL208"?)'

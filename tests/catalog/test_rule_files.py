"""What every rule file must be, whatever it says."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from torchdet_lint.catalog.messages import placeholders
from torchdet_lint.catalog.page import load_page
from torchdet_lint.catalog.pages import main
from torchdet_lint.catalog.rules import Rule, load_rules, rules_folder

RULES = load_rules().rules
each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)


def test_codes_and_names_are_unique_and_sorted() -> None:
    assert [rule.code for rule in RULES] == sorted({rule.code for rule in RULES})
    assert len({rule.name for rule in RULES}) == len(RULES)


def test_every_toml_file_of_a_family_is_a_rule() -> None:
    files = {path for family in load_rules().families for path in (rules_folder() / family.name).glob("*")}
    assert files == {Path(rule.source) for rule in RULES}


def test_families_have_their_own_codes() -> None:
    prefixes = [family.prefix for family in load_rules().families]
    assert len(set(prefixes)) == len(prefixes)
    assert all(re.fullmatch(r"TDL\d", prefix) for prefix in prefixes)


@each_rule
def test_summary_is_a_sentence_without_full_stop(rule: Rule) -> None:
    assert rule.summary[0].isupper() or rule.summary.split()[0] in {"cuDNN", "scaled_dot_product_attention"}
    assert not rule.summary.endswith(".")
    assert len(rule.summary) <= 100


@each_rule
def test_messages_and_helps_are_short_phrases(rule: Rule) -> None:
    for variant in rule.variants.values():
        for text in (variant.template, variant.help_template):
            assert text, f"{variant.name} says nothing"
            assert "\n" not in text
            assert re.match(r"[a-z`{]", text), text
            assert not text.endswith((".", "!", " ")), text
            assert text.count("`") % 2 == 0, text
            assert len(text) <= 140, text


@each_rule
def test_messages_can_be_filled(rule: Rule) -> None:
    for variant in rule.variants.values():
        values = dict.fromkeys(placeholders(variant.template + variant.help_template), "{x}")
        assert variant.message(**values).count("{x}") == len(placeholders(variant.template))
        assert "{" not in variant.help(**values).replace("{x}", "")


@each_rule
def test_optional_text_stands_where_it_can_be_empty(rule: Rule) -> None:
    """`{chain}` brings its own blank and is empty for draws in the entry file itself."""
    for variant in rule.variants.values():
        assert " {chain}" not in variant.template
        assert "chain" not in placeholders(variant.help_template)
        if rule.scope == "site":
            assert "chain" not in placeholders(variant.template)


@each_rule
def test_effects(rule: Rule) -> None:
    assert bool(rule.effects) == (rule.family != "meta")
    assert {variant.effect for variant in rule.variants.values()} <= {*rule.effects, ""}


@each_rule
def test_page_explains_and_links(rule: Rule) -> None:
    page = load_page(rule)
    assert len(page.why) > 80
    assert len(page.instead) > 10
    assert page.references or rule.family == "meta"
    for url in page.references:
        assert re.fullmatch(r"https://[a-z0-9.-]+\.[a-z]+(/[\w.,~/#-]*)?", url), url


@each_rule
def test_two_examples_of_each_kind_with_titles_of_their_own(rule: Rule) -> None:
    examples = load_page(rule).examples
    assert len([example for example in examples if example.kind == "bad"]) >= 2
    assert len([example for example in examples if example.kind == "good"]) >= 2
    assert len({example.title for example in examples}) == len(examples)


@each_rule
def test_bad_examples_expect_the_rule_and_good_ones_nothing(rule: Rule) -> None:
    for example in load_page(rule).examples:
        codes = [expectation.code for expectation in example.expectations()]
        assert set(codes) <= {other.code for other in RULES}
        assert (rule.code in codes) if example.kind == "bad" else not codes, example.title


@each_rule
def test_examples_are_python(rule: Rule) -> None:
    for example in load_page(rule).examples:
        for path, text in example.files.items():
            if path.endswith(".ipynb"):
                assert json.loads(text)["cells"]
            elif rule.code == "TDL999" and example.kind == "bad":
                with pytest.raises(SyntaxError):
                    ast.parse(text.encode())
            else:
                ast.parse(text)


@each_rule
def test_examples_are_tidy(rule: Rule) -> None:
    for example in load_page(rule).examples:
        for text in example.files.values():
            lines = text.splitlines()
            assert all(len(line) <= 120 and line == line.rstrip() for line in lines), example.title
            assert text.endswith("\n")
            assert not text.startswith("\n")


def test_documentation_is_up_to_date() -> None:
    assert main(["--check"]) == 0, "run `python -m torchdet_lint.catalog.pages`"

"""Reading rule files: what is understood, and what is said about mistakes."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path

import pytest

from torchdet_lint.catalog import rules
from torchdet_lint.catalog.errors import CatalogError
from torchdet_lint.catalog.match import Condition, Match
from torchdet_lint.catalog.page import load_page
from torchdet_lint.catalog.rules import Catalog, load_rules, read_catalog

FAMILIES = """
[[families]]
name = "seeding"
prefix = "TDL0"
title = "Seeding"
intro = "Numbers."
"""
HEAD = """
code = "TDL001"
name = "some-rule"
summary = "Something is wrong"
severity = "warning"
confidence = "high"
effect = ["run", "stream"]
scope = "site"
default = true
since = "0.1.0"

[messages]
one = "`{call}` is one"
two = "two"

[help]
default = "do it"
two = "do it twice"

[severities]
two = "note"

[effects]
two = "stream"
"""
PAGE = """
[docs]
why = "Because."
instead = "That."

[[examples]]
kind = "bad"
title = "x"
code = '''
a()
b()  # expect: TDL001, TDL002 TDL003
'''
"""


def catalog_of(folder: Path, text: str = HEAD + PAGE, name: str = "TDL001-some-rule.toml") -> Catalog:
    (folder / "seeding").mkdir()
    (folder / "_families.toml").write_text(FAMILIES)
    (folder / "seeding" / name).write_text(text)
    return read_catalog(folder)


def test_a_rule_is_read(tmp_path: Path) -> None:
    rule = catalog_of(tmp_path).get("TDL001")
    assert (rule.name, rule.family, rule.severity, rule.effect) == ("some-rule", "seeding", "warning", "run")
    assert rule.effects == ("run", "stream")
    one, two = rule.variant("one"), rule.variant("two")
    assert (one.severity, one.confidence, one.effect) == ("warning", "high", "run")
    assert (two.severity, two.confidence, two.effect) == ("note", "high", "stream")
    assert one.message(call="f(...)") == "`f(...)` is one"
    assert (one.help(), two.help()) == ("do it", "do it twice")


def test_a_page_is_read(tmp_path: Path) -> None:
    page = load_page(catalog_of(tmp_path).get("TDL001"))
    assert (page.why, page.instead, page.references) == ("Because.", "That.", ())
    (example,) = page.examples
    assert example.files == {"example.py": "a()\nb()  # expect: TDL001, TDL002 TDL003\n"}
    assert [tuple(item) for item in example.expectations()] == [
        ("example.py", 2, "TDL001"),
        ("example.py", 2, "TDL002"),
        ("example.py", 2, "TDL003"),
    ]


def test_damage_in_the_page_does_not_reach_a_run(tmp_path: Path) -> None:
    rule = catalog_of(tmp_path, HEAD + "\n[docs]\nwhy = \n").get("TDL001")
    with pytest.raises(CatalogError, match=r"not valid TOML"):
        load_page(rule)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('severity = "warning"', 'severty = "warning"', r"missing key `severity` \(did you mean \"severty\"\?\)"),
        ('since = "0.1.0"', 'since = "0.1.0"\nsinse = "1"', r"unknown key `sinse` \(did you mean \"since\"\?\)"),
        ('severity = "warning"', 'severity = "warn"', r"`severity` is \"warn\", but must be one of .*\"warning\"\?"),
        ("default = true", 'default = "yes"', "`default` must be true or false"),
        ('["run", "stream"]', '["run", "streem"]', "`effect` is \"streem\".*did you mean \"stream\""),
        ('["run", "stream"]', "[1]", "`effect` must hold strings only"),
        ('code = "TDL001"', 'code = "TDL101"', "codes of the family seeding look like TDL0nn"),
        ('name = "some-rule"', 'name = "other-rule"', "call the file TDL001-other-rule.toml"),
        ('name = "some-rule"', 'name = "Some_Rule"', "must be lower-case words joined by hyphens"),
        ("`{call}` is one", "`{cal}` is one", r"`messages.one` has an unknown placeholder {cal} \(did you mean \"call\""),
        ("`{call}` is one", "one {", "`messages.one` has a brace"),
        ('[severities]\ntwo = "note"', '[severities]\ntow = "note"', r"`severities.tow` belongs to no message.*\"two\""),
        ('[severities]\ntwo = "note"', '[severities]\ntwo = "hint"', "`severities.two` is \"hint\""),
        ('two = "do it twice"', 'too = "x"', "`help.too` belongs to no message"),
        ('two = "two"', "two = 2", "`messages.two` must be a string"),
        ('summary = "Something is wrong"', 'summary = ""', "`summary` must be one line"),
        ('scope = "site"', 'scope = "site', "not valid TOML: .*line"),
    ],
)  # fmt: skip
def test_mistakes_name_file_key_and_nearest_name(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in HEAD
    with pytest.raises(CatalogError, match=message) as error:
        catalog_of(tmp_path, HEAD.replace(old, new))
    assert "some-rule.toml" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('kind = "bad"', 'kind = "ugly"', "must be one of"),
        ('title = "x"', 'titel = "x"', "missing key `title`"),
        ('title = "x"', 'title = "x"\ntorch = "new"', "must be a version"),
        ('title = "x"', 'title = "x"\nfiles = {a = "b"}', "and not both"),
        ('why = "Because."', 'because = "x"', "missing key `why`"),
        ("[[examples]]", "[examples2]\n[[examples]]", "may come after"),
    ],
)
def test_mistakes_in_a_page(tmp_path: Path, old: str, new: str, message: str) -> None:
    rule = catalog_of(tmp_path, HEAD + PAGE.replace(old, new)).get("TDL001")
    with pytest.raises(CatalogError, match=message):
        load_page(rule)


def test_two_rules_with_one_name(tmp_path: Path) -> None:
    catalog_of(tmp_path)
    twin = HEAD.replace("TDL001", "TDL002")
    (tmp_path / "seeding" / "TDL002-some-rule.toml").write_text(twin)
    with pytest.raises(CatalogError, match=r"`some-rule` is taken already, by .*TDL001"):
        read_catalog(tmp_path)


def test_get_and_find() -> None:
    catalog = load_rules()
    assert catalog.get("TDL101") is catalog.get("tdl101") is catalog.get("dataloader-without-generator")
    assert catalog.find("TDL777") is None
    with pytest.raises(CatalogError, match=r'no rule "dataloader-without-generater" .*"dataloader-without-generator"'):
        catalog.get("dataloader-without-generater")
    with pytest.raises(CatalogError, match=r"no message `strem`.*stream"):
        catalog.get("TDL101").variant("strem")


def test_rules_travel_between_processes() -> None:
    catalog = load_rules()
    assert pickle.loads(pickle.dumps(catalog)) == catalog
    assert len(set(catalog.rules)) == len(catalog.rules)


def test_the_rules_that_are_off() -> None:
    assert [rule.code for rule in load_rules().rules if not rule.default] == ["TDL209", "TDL601"]


def test_a_wheel_brings_the_rules_inside_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a foreign folder `rules` beside the package counts, nor is a checkout needed."""
    package = tmp_path / "torchdet_lint"
    (tmp_path / "rules").mkdir()
    (package / "catalog").mkdir(parents=True)
    monkeypatch.setattr(rules, "__file__", str(package / "catalog" / "rules.py"))
    with pytest.raises(CatalogError, match=r"install it again"):
        rules.rules_folder()
    shutil.copytree(Path(load_rules().rules[0].source).parents[1], package / "_rules")
    assert rules.rules_folder() == package / "_rules"
    assert len(read_catalog(rules.rules_folder()).rules) == len(load_rules().rules)


EXTRA = """
code = "LAB001"
name = "unsafe-load"
message = "`{call}` may run code"
help = "pass `weights_only=True`"

[match]
callees = ["torch.load", "joblib.load"]

[[match.when]]
argument = "weights_only"
position = 2
is = "missing"
"""


def extra(folder: Path, text: str = EXTRA) -> Catalog:
    path = folder / "lab.toml"
    path.write_text(text)
    return load_rules().load_extra([path])


def test_a_rule_of_the_project(tmp_path: Path) -> None:
    catalog = extra(tmp_path)
    rule = catalog.get("unsafe-load")
    assert (rule.code, rule.family, rule.severity, rule.scope, rule.default) == (
        "LAB001",
        "project",
        "warning",
        "site",
        True,
    )
    assert rule.variant().message(call="torch.load(...)") == "`torch.load(...)` may run code"
    assert rule.match == Match(("torch.load", "joblib.load"), (Condition("weights_only", 2, "missing", None),))
    assert load_page(rule).examples == ()
    assert catalog.family("project").title
    assert load_rules().find("LAB001") is None


def test_conditions_with_values(tmp_path: Path) -> None:
    rule = extra(tmp_path, EXTRA.replace('is = "missing"', 'is = "equals"\nvalue = "mmap"')).get("LAB001")
    assert rule.match is not None
    assert rule.match.when[0].value == "mmap"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("LAB001", "TDL850", "must be capitals and digits.*not TDL"),
        ("LAB001", "lab1", "must be capitals and digits"),
        ("unsafe-load", "unused-suppression", "taken already"),
        ("unsafe-load", "loading", "is the name of a family"),
        ("[match]\ncallees", "[match]\ncalees", r"\[match\]: missing key `callees` \(did you mean \"calees\""),
        (EXTRA[EXTRA.index("[match]") :], "", r"missing table \[match\]"),
        ('["torch.load", "joblib.load"]', "[]", "must name at least one function"),
        ('"joblib.load"', '"joblib load"', "is not a dotted name"),
        ("position = 2", "position = -1", "must count from 0"),
        ("position = 2", "position = true", "must be a whole number"),
        ('is = "missing"', 'is = "misssing"', 'did you mean "missing"'),
        ('is = "missing"', 'is = "equals"', "`value` must be a string"),
        ('is = "missing"', 'is = "missing"\nvalue = 1', "has no meaning"),
        ('argument = "weights_only"', 'argument = "weights-only"', "must be the name of a parameter"),
        ('argument = "weights_only"', 'arg = "weights_only"', "missing key `argument`"),
        ('message = "`{call}` may run code"', '[messages]\na = "a"', "has no other messages"),
    ],
)
def test_mistakes_in_a_rule_of_the_project(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in EXTRA
    text = EXTRA.replace('help = "pass `weights_only=True`"\n', "").replace(old, new)
    with pytest.raises(CatalogError, match=message):
        extra(tmp_path, text)


def test_a_missing_file_of_the_project(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match=r"nowhere.toml: no such file"):
        load_rules().load_extra([tmp_path / "nowhere.toml"])
    (tmp_path / "latin.toml").write_bytes(b'code = "\xe9"')
    with pytest.raises(CatalogError, match=r"latin.toml: not UTF-8 \(byte 8\)"):
        load_rules().load_extra([tmp_path / "latin.toml"])
    with pytest.raises(CatalogError, match=r": cannot be read: [A-Z][a-z ]+$"):
        load_rules().load_extra([tmp_path])

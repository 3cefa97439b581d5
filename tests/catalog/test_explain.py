from __future__ import annotations

import re
from pathlib import Path

import pytest

from torchdet_lint.catalog.explain import index_markdown, rule_markdown, rule_text, rules_text
from torchdet_lint.catalog.page import load_page
from torchdet_lint.catalog.pages import main, outdated, write
from torchdet_lint.catalog.rules import Rule, load_rules

CATALOG = load_rules()
each_rule = pytest.mark.parametrize("rule", CATALOG.rules, ids=lambda rule: rule.code)


@each_rule
def test_terminal_page(rule: Rule) -> None:
    page = load_page(rule)
    text = rule_text(rule, page)
    assert text.startswith(f"{rule.code} {rule.name}\n")
    assert page.why.split()[-1] in text
    assert all(example.title in text for example in page.examples)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    prose = text[: text.index("\nReported: ")].splitlines()
    assert all(len(line) <= 88 or ":  " in line for line in prose if not line.startswith("Effect"))


@each_rule
def test_markdown_page(rule: Rule) -> None:
    text = rule_markdown(rule, load_page(rule), CATALOG.family(rule.family))
    assert text.count("```") % 2 == 0
    assert f"# {rule.name} ({rule.code})" in text
    assert "{" not in re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    headings = re.findall(r"^## (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    assert headings[:5] == ["Why", "Instead", "Messages", "Reported", "Not reported"]


def test_several_files_are_told_apart() -> None:
    rule = CATALOG.get("TDL006")
    assert "    # anchors.py" in rule_text(rule, load_page(rule))
    assert "`anchors.py`\n\n```python" in rule_markdown(rule, load_page(rule), CATALOG.family(rule.family))


def test_index_links_every_rule_and_family_anchor() -> None:
    text = index_markdown(CATALOG)
    assert all(f"[{rule.code}]({rule.code}.md)" in text for rule in CATALOG.rules)
    titles = {
        re.sub(r"[^a-z0-9-]", "", title.lower().replace(" ", "-"))
        for title in re.findall(r"^## (.+)$", text, re.MULTILINE)
    }
    for rule in CATALOG.rules:
        page = rule_markdown(rule, load_page(rule), CATALOG.family(rule.family))
        assert set(re.findall(r"README\.md#([\w-]+)", page)) <= titles


def test_list_of_rules() -> None:
    text = rules_text(CATALOG)
    assert "\nData loading (loading)\n" in text
    assert re.search(r"^  TDL209  reduced-precision +note +.*\(off by default\)$", text, re.MULTILINE)
    assert len(re.findall(r"^  TDL\d{3}  ", text, re.MULTILINE)) == len(CATALOG.rules)
    assert "State (state)\n  TDL601  " in text


def test_pages_are_written_compared_and_cleared(tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    assert outdated(folder, {"a.md": "a", "b.md": "b"}) == ["a.md", "b.md"]
    assert write(folder, {"a.md": "a", "b.md": "b"}) == ["a.md", "b.md"]
    assert write(folder, {"a.md": "a", "b.md": "b"}) == []
    assert outdated(folder, {"a.md": "A"}) == ["a.md", "b.md"]
    write(folder, {"a.md": "A"})
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"a.md": "A"}


def test_unknown_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--write"]) == 2
    assert "usage:" in capsys.readouterr().err

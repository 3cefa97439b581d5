from __future__ import annotations

import re
from pathlib import Path

import pytest

from torchdet_lint.catalog.explain import index_markdown, rule_markdown
from torchdet_lint.catalog.page import load_page
from torchdet_lint.catalog.pages import main, outdated, write
from torchdet_lint.catalog.rules import Rule, load_rules

CATALOG = load_rules()
each_rule = pytest.mark.parametrize("rule", CATALOG.rules, ids=lambda rule: rule.code)


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

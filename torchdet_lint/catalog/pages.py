"""Writes the rule pages of the documentation: `python -m torchdet_lint.catalog.pages [--check]`.

With `--check` nothing is written; the exit code is 1 when a page is missing, outdated or belongs to no rule.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from torchdet_lint.catalog.errors import CatalogError
from torchdet_lint.catalog.explain import index_markdown, rule_markdown
from torchdet_lint.catalog.page import load_page
from torchdet_lint.catalog.rules import Catalog, load_rules, rules_folder


def pages(catalog: Catalog) -> dict[str, str]:
    """The file names below docs/rules and their texts."""
    texts = {"README.md": index_markdown(catalog)}
    for rule in catalog.rules:
        texts[f"{rule.code}.md"] = rule_markdown(rule, load_page(rule), catalog.family(rule.family))
    return texts


def outdated(folder: Path, texts: dict[str, str]) -> list[str]:
    """The names of the pages in `folder` that differ from `texts`, are missing there, or are superfluous."""
    there = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md")} if folder.is_dir() else {}
    return sorted(name for name in texts.keys() | there.keys() if texts.get(name) != there.get(name))


def write(folder: Path, texts: dict[str, str]) -> list[str]:
    """Makes the pages in `folder` be `texts`; the names of those that changed."""
    changed = outdated(folder, texts)
    folder.mkdir(parents=True, exist_ok=True)
    for name in changed:
        if name in texts:
            (folder / name).write_text(texts[name], encoding="utf-8")
        else:
            (folder / name).unlink()
    return changed


def main(arguments: Sequence[str]) -> int:
    if list(arguments) not in ([], ["--check"]):
        print("usage: python -m torchdet_lint.catalog.pages [--check]", file=sys.stderr)
        return 2
    try:
        texts = pages(load_rules())
        folder = rules_folder().parent / "docs" / "rules"
        changed = outdated(folder, texts) if arguments else write(folder, texts)
    except (CatalogError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for name in changed:
        print(f"docs/rules/{name} is outdated" if arguments else f"docs/rules/{name}")
    return 1 if arguments and changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

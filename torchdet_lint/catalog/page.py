"""The page of a rule: why it exists, what to do instead, and examples, which are its tests as well."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from torchdet_lint.catalog.errors import CatalogError
from torchdet_lint.catalog.rules import PROJECT_FAMILY, Rule, read_text
from torchdet_lint.catalog.tables import REQUIRED, Table, parse_toml

SINGLE_FILE = "example.py"
"""The file name of an example that is one file."""

_MARK = re.compile(r"#\s*expect:\s*(?P<codes>[A-Z]+\d+(?:[,\s]+[A-Z]+\d+)*)")
_TORCH = re.compile(r"\d+\.\d+(\.\d+)?")


class Expectation(NamedTuple):
    """A finding of `code` that starts on `line` (from 1) of the example's file `path`."""

    path: str
    line: int
    code: str


class Example(NamedTuple):
    """A small project that a rule speaks about ("bad") or not ("good").

    Lines marked `# expect: TDL101` (several codes separated by blanks or commas) are where findings start. Read with
    the default rules and the example's own rule, an example gives exactly those findings and, unmarked, any number of
    notes. `torch` is the target version, or empty for the default. `fixed` is what becomes of a single file under all fixes
    of the rule, without the marks; it is empty where nothing is fixed.
    """

    kind: str
    title: str
    files: dict[str, str]
    torch: str
    fixed: str = ""

    def expectations(self) -> tuple[Expectation, ...]:
        return tuple(
            Expectation(path, number, code)
            for path, text in self.files.items()
            for number, line in enumerate(text.splitlines(), 1)
            for mark in _MARK.finditer(line)
            for code in re.split(r"[,\s]+", mark["codes"])
        )


class Page(NamedTuple):
    """`why`, `instead`: Markdown paragraphs; `references`: URLs."""

    why: str
    instead: str
    references: tuple[str, ...]
    examples: tuple[Example, ...]


def load_page(rule: Rule) -> Page:
    """The page part of the rule's file; empty texts where a project's own rule has none. Raises `CatalogError`."""
    document = parse_toml(read_text(Path(rule.source)), rule.source)
    order = document.keys()
    if "docs" in order and set(order[order.index("docs") :]) - {"docs", "examples"}:
        raise CatalogError(f"{rule.source}: only [[examples]] may come after [docs]; runs read what is before it")
    docs = document.table("docs")
    default = "" if rule.family == PROJECT_FAMILY else REQUIRED
    page = Page(
        why=docs.text("why", default).strip(),
        instead=docs.text("instead", default).strip(),
        references=docs.texts("references", ()),
        examples=tuple(_read_example(table) for table in document.tables("examples")),
    )
    docs.finish()
    return page


def _read_example(table: Table) -> Example:
    if ("code" in table) == ("files" in table):
        raise table.error("code", "or `files` is needed, and not both")
    files = table.mapping("files") if "files" in table else {SINGLE_FILE: table.text("code")}
    torch = table.text("torch", "")
    if torch and not _TORCH.fullmatch(torch):
        raise table.error("torch", f'is "{torch}", but must be a version such as "1.8.1"')
    kind, fixed = table.choice("kind", ("bad", "good")), table.text("fixed", "")
    if fixed and (kind == "good" or SINGLE_FILE not in files):
        raise table.error("fixed", 'belongs to a "bad" example with `code`')
    example = Example(kind, table.line("title"), files, torch, fixed)
    table.finish()
    return example

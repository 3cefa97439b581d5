"""The page of a rule where the pointer rests: on a finding, or on a rule's code in a comment."""

from __future__ import annotations

import re

from lsprotocol import types

from torchdet_lint.catalog.errors import CatalogError
from torchdet_lint.catalog.explain import rule_hover
from torchdet_lint.catalog.page import load_page
from torchdet_lint.catalog.rules import Catalog
from torchdet_lint.config.policy import catalog_for
from torchdet_lint.finding import Finding
from torchdet_lint.server.buffers import Text
from torchdet_lint.server.check import Found
from torchdet_lint.server.diagnostics import View
from torchdet_lint.server.positions import offset_at, overlap, position_at
from torchdet_lint.source.lines import line_starts

_CODE = re.compile(r"\b[A-Z]{2,}\d{3}\b")
_COMMENT = re.compile(r"#\s*(?:tdl|torchdet|noqa)\b", re.IGNORECASE)


def hover(text: Text, at: types.Position, found: Found, view: View) -> types.Hover | None:
    """What is known about what stands at a position; None for nothing."""
    catalog = catalog_for(found.by.options.settings.project)
    in_comment = _code_at(text.text, at, view.encoding)
    if in_comment is not None:
        code, where = in_comment
        page = _page(catalog, code)
        return None if page is None else _hover(page, where)
    point = types.Range(at, at)
    here: dict[str, tuple[Finding, types.Range]] = {}
    for finding in found.findings:
        where = view.range(found.by, finding.location)
        if view.uri(found.by, finding.location) == text.uri and overlap(where, point):
            here.setdefault(finding.code, (finding, where))
    pages = [page for code in here if (page := _page(catalog, code)) is not None]
    return _hover("\n\n---\n\n".join(pages), next(iter(here.values()))[1]) if pages else None


def _code_at(text: str, at: types.Position, encoding: str) -> tuple[str, types.Range] | None:
    """The code of a rule at a position in a suppression comment."""
    offset = offset_at(text, at, encoding)
    starts = line_starts(text)
    if at.line >= len(starts):
        return None
    start = starts[at.line]
    line = text[start:].partition("\n")[0]
    comment = _COMMENT.search(line)
    for code in _CODE.finditer(line, comment.start()) if comment else ():
        if code.start() <= offset - start <= code.end():
            ends = [position_at(text, start + each, encoding) for each in code.span()]
            return code[0], types.Range(*ends)
    return None


def _page(catalog: Catalog, code: str) -> str | None:
    try:
        rule = catalog.get(code)
        return rule_hover(rule, load_page(rule))
    except (CatalogError, KeyError):
        return None


def _hover(text: str, where: types.Range) -> types.Hover:
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), where)

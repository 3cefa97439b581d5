"""TDL900: the comment, or the selector in it, goes."""

from __future__ import annotations

import re

from torchdet_lint.finding import Edit, Finding, Fix
from torchdet_lint.source import SourceFile, Suppression


def without(source: SourceFile, finding: Finding, start: int, end: int) -> Fix | None:
    """TDL900; `start` and `end` are the span of the finding in the text."""
    for comment in source.suppressions.all:
        if comment.start <= start and end <= comment.end:
            if (start, end) in comment.selector_spans and len(comment.selectors) > 1:
                edit: Edit | None = _without_selector(source, comment, comment.selector_spans.index((start, end)))
            else:
                edit = _without_comment(source, comment)
            return None if edit is None else Fix("remove it", "safe", (edit,))
    return None


def _edit(source: SourceFile, start: int, end: int, text: str = "") -> Edit:
    return Edit(source.location(start, end), start, end, text)


def _without_selector(source: SourceFile, comment: Suppression, index: int) -> Edit:
    """One of several selectors, with the comma on its far side."""
    spans = comment.selector_spans
    if index:
        return _edit(source, spans[index - 1][1], spans[index][1])
    return _edit(source, spans[0][0], spans[1][0])


def _without_comment(source: SourceFile, comment: Suppression) -> Edit | None:
    text = source.text
    line = source.line_start(comment.start)
    end = comment.end
    following = re.compile(r"[ \t]*").match(text, end)
    rest = following.end() if following else end
    if rest < len(text) and text[rest] == "#":  # a further comment stays, with the blanks before this one
        return _edit(source, comment.start, rest)
    if comment.kind == "noqa" and _other_codes(text[comment.start : comment.end], comment):
        return _noqa_of_others(source, comment)
    before = text[line : comment.start].rstrip(" \t")
    if not before.strip():
        after = re.compile(r"\r\n?|\n").match(text, rest)
        return _edit(source, line, after.end() if after else rest)
    return _edit(source, line + len(before), rest)


def _other_codes(directive: str, comment: Suppression) -> bool:
    """Whether a `# noqa` names codes of other tools too."""
    codes = re.findall(r"\b[A-Z]+[0-9]+\b", directive.partition(":")[2])
    return len(codes) > len(comment.selectors)


def _noqa_of_others(source: SourceFile, comment: Suppression) -> Edit | None:
    """The `# noqa` with the codes of other tools only."""
    directive = source.text[comment.start : comment.end]
    head, colon, rest = directive.partition(":")
    found = re.match(r"\s*((?:[A-Za-z]+[0-9]+[,\s]*)+)", rest)
    if found is None:
        return None
    kept = [code for code in re.findall(r"[A-Za-z]+[0-9]+", found[1]) if code not in comment.selectors]
    separator = ", " if ", " in found[1] or "," not in found[1] else ","
    tail = rest[found.end() :]
    text = f"{head}{colon} {separator.join(kept)}" + (f" {tail.strip()}" if tail.strip() else "")
    return _edit(source, comment.start, comment.end, text)

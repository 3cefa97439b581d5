"""Suppression comments at work: what they hide, and which of them hide nothing (TDL900)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from torchdet_lint.catalog.errors import SelectionError
from torchdet_lint.catalog.rules import Catalog
from torchdet_lint.catalog.select import expand
from torchdet_lint.engine.places import offset
from torchdet_lint.finding import Finding
from torchdet_lint.source import SourceFile, Suppression

UNUSED = "TDL900"


class Selectors:
    """What the selectors in comments cover, read against the catalogue once."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._covered: dict[str, frozenset[str] | SelectionError] = {}

    def covered(self, selector: str) -> frozenset[str] | SelectionError:
        """The codes, or the error that says that it covers nothing and what is near. Names may be in any case."""
        if selector not in self._covered:
            try:
                self._covered[selector] = expand(self.catalog, selector)
            except SelectionError as error:
                try:
                    self._covered[selector] = expand(self.catalog, selector.lower())
                except SelectionError:
                    self._covered[selector] = error
        return self._covered[selector]

    def matches(self, selector: str, code: str) -> bool:
        covered = self.covered(selector)
        return not isinstance(covered, SelectionError) and code in covered


class Judged(NamedTuple):
    """The findings of a file that are left, in their order, and those that comments hide."""

    kept: tuple[Finding, ...]
    hidden: tuple[Finding, ...]


def judge(source: SourceFile, findings: Iterable[Finding], selectors: Selectors, on: frozenset[str]) -> Judged:
    """Applies the comments of one file to its findings, and adds TDL900 for comments without effect.

    `on` are the rules that are on in the file. What rules that are off would have said is not known, so nothing is
    said about a comment for them.
    """
    comments = source.suppressions
    if not comments:
        return Judged(tuple(findings), ())
    kept, hidden, used = [], [], set()
    for finding in findings:
        first, last = source.statement_lines(offset(source, finding.location))
        by = comments.match(finding.code, selectors.matches, first, last)
        if by is None:
            kept.append(finding)
        else:
            hidden.append(finding)
            used |= {(by.start, each) for each in by.selectors if selectors.matches(each, finding.code)}
    if UNUSED in on:
        for found in _without_effect(source, used, selectors, on):
            explicit = comments.match(UNUSED, _explicitly, *source.statement_lines(offset(source, found.location)))
            (kept if explicit is None else hidden).append(found)
    return Judged(tuple(sorted(kept, key=lambda finding: finding.sort_key)), tuple(hidden))


def excuses(source: SourceFile, findings: Iterable[Finding], selectors: Selectors) -> Iterator[tuple[str, str]]:
    """The findings of a file that comments would hide, by fingerprint, with the reasons that the comments give."""
    comments = source.suppressions
    for finding in findings if comments else ():
        by = comments.match(finding.code, selectors.matches, *source.statement_lines(offset(source, finding.location)))
        if by is not None:
            yield finding.fingerprint, by.reason


def _explicitly(selector: str, code: str) -> bool:
    """`ALL` or a family must not hide that they themselves hide nothing."""
    return selector.upper() == code or selector.lower() == "unused-suppression"


def _without_effect(
    source: SourceFile, used: set[tuple[int, str]], selectors: Selectors, on: frozenset[str]
) -> Iterator[Finding]:
    for each in source.suppressions.all:
        directive = source.text[each.start : each.end].lstrip("# \t")
        if each.kind == "unknown" or not each.selectors:
            if each.kind != "enable":
                yield _unused(source, selectors, (each.start, each.end), directive)
            continue
        yield from _unknown(source, each, selectors)
        if each.kind == "enable":
            continue
        idle = [at for at, name in enumerate(each.selectors) if _idle(name, (each.start, name) in used, selectors, on)]
        if len(idle) == len(each.selectors):
            yield _unused(source, selectors, (each.start, each.end), ", ".join(each.selectors))
        else:
            for at in idle:
                yield _unused(source, selectors, each.selector_spans[at], each.selectors[at])


def _idle(selector: str, used: bool, selectors: Selectors, on: frozenset[str]) -> bool:
    """Whether a selector certainly hides nothing: all that it covers is on, apart from rules that are off by default."""
    covered = selectors.covered(selector)
    if used or isinstance(covered, SelectionError) or _explicitly(selector, UNUSED) or not covered & on:
        return False
    return all(code in on or not selectors.catalog.get(code).default for code in covered)


def _unknown(source: SourceFile, comment: Suppression, selectors: Selectors) -> Iterator[Finding]:
    for selector, span in zip(comment.selectors, comment.selector_spans, strict=True):
        error = selectors.covered(selector)
        if isinstance(error, SelectionError):
            near = str(error).partition(" (")[2]
            yield _finding(source, selectors, span, "unknown", selector, f" ({near}" if near else "")


def _unused(source: SourceFile, selectors: Selectors, span: tuple[int, int], value: str) -> Finding:
    return _finding(source, selectors, span, "unused", value, "")


def _finding(
    source: SourceFile, selectors: Selectors, span: tuple[int, int], variant: str, value: str, reason: str
) -> Finding:
    rule = selectors.catalog.get(UNUSED)
    said = rule.variant(variant)
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=said.severity,
        confidence=said.confidence,
        effect=said.effect,
        message=said.message(value=value, reason=reason),
        location=source.location(*span),
        help=said.help(value=value, reason=reason),
        url=rule.page,
        variant=variant,
    )

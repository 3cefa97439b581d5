"""Suppression comments for the findings that there are (`--add-ignore`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from torchdet_lint.engine import writing
from torchdet_lint.engine.options import Options, Result
from torchdet_lint.engine.places import offset
from torchdet_lint.engine.reading import read
from torchdet_lint.engine.scope import Entry
from torchdet_lint.finding import Finding
from torchdet_lint.source import SourceError, SourceFile, Suppression, load
from torchdet_lint.source.rewrite import Change, RewriteError, rewritten

NEVER = ("TDL900", "TDL999")
"""What a comment would only hide from those who have to do something about it."""


class Ignored(NamedTuple):
    """How many findings got a comment, in how many files, and what could not be written."""

    findings: int
    files: int
    problems: tuple[str, ...]


def add_ignores(options: Options, result: Result, reason: str) -> Ignored:
    """Writes a comment to the statement of each finding; one that is there for other rules is added to."""
    by_file: dict[str, list[Finding]] = {}
    for finding in result.findings:
        if finding.code not in NEVER:
            by_file.setdefault(finding.location.path, []).append(finding)
    done, problems = 0, []
    for display, findings in by_file.items():
        path = result.paths[display]
        try:
            data = writing.read_again(path, result.digests.get(display))
            writing.replace(path, data, _commented(path, data, display, findings, reason))
            done += len(findings)
        except (writing.WriteError, RewriteError, SourceError) as error:
            problems.append(f"{display}: no comment added: {error}")
    return Ignored(done, len(by_file) - len(problems), tuple(problems))


def _commented(path: str, data: bytes, display: str, findings: Iterable[Finding], reason: str) -> bytes:
    """The bytes of a file with its comments. Raises SourceError and RewriteError."""
    changes = tuple(comments_for(load(path, data, display), findings, reason))
    after = rewritten(path, data, changes)
    entry = Entry(display, display, path, reported=True, data=data)
    if read(entry).fault is None and read(entry._replace(data=after)).fault is not None:
        raise RewriteError("with it the code would not parse")
    return after


def comments_for(source: SourceFile, findings: Iterable[Finding], reason: str) -> Iterator[Change]:
    """The changes that give findings of a file their comments."""
    by_line: dict[tuple[int, int], dict[str, None]] = {}
    for finding in findings:
        lines = source.statement_lines(offset(source, finding.location))
        by_line.setdefault(lines, {})[finding.code] = None
    for (first, last), codes in sorted(by_line.items()):
        yield _comment(source, first, last, sorted(codes), reason)


def _comment(source: SourceFile, first: int, last: int, codes: list[str], reason: str) -> Change:
    there = _existing(source, first, last)
    if there is not None:
        at = there.selector_spans[-1][1]
        missing = [code for code in codes if code not in there.selectors]
        return Change(at, at, "".join(f", {code}" for code in missing))
    start = source.line_starts[last - 1]
    line = source.line_text_at(start)
    end = start + len(line.rstrip(" \t\f"))
    return Change(end, start + len(line), f"  # tdl: ignore[{', '.join(codes)}]{' ' if reason else ''}{reason}")


def _existing(source: SourceFile, first: int, last: int) -> Suppression | None:
    """The comment for other rules on the first or last line of a statement."""
    for each in source.suppressions.all:
        if each.kind == "ignore" and each.selectors and each.line in (first, last):
            return each
    return None

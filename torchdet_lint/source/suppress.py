"""Suppression comments: which findings a comment in the source hides.

- `# tdl: ignore[TDL101, TDL2] why` on the first or last line of a statement, or alone on the lines right before it.
  Other comments may stand in between, and decorators: a comment above the decorators counts for the `def` as well.
- `# tdl: file-ignore[TDL3] why` near the head of the file: in its first 20 lines, or before the first statement that
  is neither a docstring nor an import.
- `# tdl: disable[TDL105] why`, until a `# tdl: enable[TDL105]` or the end of the file; both lines are included.
- `# noqa: TDL101, E501` on the first or last line of a statement; codes of other tools are left to them.

Selectors in brackets are codes, prefixes of codes, families or names of rules; `noqa` takes codes and their prefixes.
Case and blanks around the words do not matter. A statement is a logical line: of a compound statement, its header.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias

from torchdet_lint.source.statements import Statements

Matcher: TypeAlias = Callable[[str, str], bool]
"""`matcher(selector, code)`: whether a selector covers a rule code."""

HEAD_LINES = 20


class Suppression(NamedTuple):
    """One suppression comment.

    kind: "ignore", "file-ignore", "disable", "enable", "noqa", or "unknown" for another word with brackets after
    `tdl:`. `selectors` are as written, `selector_spans` where they stand; a comment without brackets has none and hides
    nothing. `start` and `end` are offsets in the text of the file, from the number sign to before a further comment in
    it; `line` is that of `start`. `reason` is what follows the selectors.
    """

    kind: str
    selectors: tuple[str, ...]
    selector_spans: tuple[tuple[int, int], ...]
    reason: str
    start: int
    end: int
    line: int


class Suppressions:
    """The suppression comments of a file, ready to be asked.

    `all` has them in order, also those that can hide nothing where they stand.
    """

    __slots__ = ("_at_first_line", "_at_last_line", "_file", "_ranges", "all")

    def __init__(self, comments: Iterable[Suppression], statements: Statements, head_end: int) -> None:
        self.all = tuple(comments)
        self._file = [each for each in self.all if each.kind == "file-ignore" and each.start < head_end]
        self._ranges = [each for each in self.all if each.kind in ("disable", "enable")]
        self._at_first_line: dict[int, list[Suppression]] = {}
        self._at_last_line: dict[int, list[Suppression]] = {}
        for each in self.all:
            if each.kind in ("ignore", "noqa"):
                if not statements.alone(each.start):
                    self._at_first_line.setdefault(each.line, []).append(each)
                    self._at_last_line.setdefault(each.line, []).append(each)
                elif each.kind == "ignore":
                    for line in statements.first_lines_below(each.line):
                        self._at_first_line.setdefault(line, []).append(each)

    def __bool__(self) -> bool:
        return bool(self.all)

    def match(self, code: str, matcher: Matcher, first_line: int, last_line: int) -> Suppression | None:
        """The comment that hides a finding of rule `code` in the statement of these lines, if one does.

        The lines are those that `SourceFile.statement_lines` gives. The narrowest comment wins: a line's before a
        range's before the file's. Of a range it is the `disable`.
        """
        for each in self._at_first_line.get(first_line, []) + self._at_last_line.get(last_line, []):
            if _covers(each, code, matcher):
                return each
        active = None
        for each in self._ranges:
            if each.line > first_line:
                break
            if _covers(each, code, matcher):
                if each.kind == "disable":
                    active = each
                elif each.line < first_line:
                    active = None
        return active or next((each for each in self._file if _covers(each, code, matcher)), None)


def _covers(suppression: Suppression, code: str, matcher: Matcher) -> bool:
    return any(matcher(selector, code) for selector in suppression.selectors)


_DIRECTIVE = re.compile(r"#\s*(?:tdl\s*:\s*([a-z][a-z-]*)\s*(?:\[([^\]#]*)\]?)?([^#]*)|noqa\s*:([^#]*))", re.IGNORECASE)
_KINDS = frozenset(("ignore", "file-ignore", "disable", "enable"))
_SELECTOR = re.compile(r"[^\s,]+(?:[ \t]+[^\s,]+)*")
_CODES = re.compile(r"(?:[,\s]*[A-Za-z]+[0-9]+(?![^\s,]))*")
_OWN_CODE = re.compile(r"TDL[0-9]+", re.IGNORECASE)


def directives(text: str, comments: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Those of the comments with these spans in which a suppression may stand."""
    return (span for span in comments if _DIRECTIVE.search(text, *span))


def find_suppressions(text: str, comments: Iterable[tuple[int, int]], starts: tuple[int, ...]) -> Iterator[Suppression]:
    """The suppressions in the comments with these spans; `starts` are the offsets of the lines of the text."""
    for begin, finish in comments:
        for found in _DIRECTIVE.finditer(text, begin, finish):
            line = bisect_right(starts, found.start())
            suppression = _noqa(found, line) if found[1] is None else _own(found, line)
            if suppression:
                yield suppression


def _own(found: re.Match[str], line: int) -> Suppression | None:
    kind = found[1].lower()
    if kind not in _KINDS:
        if found[2] is None:
            return None  # prose that happens to start with the word
        kind = "unknown"
    selectors = list(_SELECTOR.finditer(found.string, *found.span(2))) if found[2] else []
    return _suppression(kind, selectors, found[3], found, line)


def _noqa(found: re.Match[str], line: int) -> Suppression | None:
    codes = _CODES.match(found.string, *found.span(4))
    end = codes.end() if codes else found.end()
    selectors = list(_OWN_CODE.finditer(found.string, found.start(4), end))
    return _suppression("noqa", selectors, found.string[end : found.end()], found, line) if selectors else None


def _suppression(
    kind: str, selectors: list[re.Match[str]], reason: str, found: re.Match[str], line: int
) -> Suppression:
    names, spans = tuple(each.group() for each in selectors), tuple(each.span() for each in selectors)
    end = found.start() + len(found.group().rstrip())
    return Suppression(kind, names, spans, reason.strip(), found.start(), end, line)

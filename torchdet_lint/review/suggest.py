"""Fixes as suggestions: replacements of whole lines that a reviewer applies with a click.

GitHub replaces the lines that the comment stands on
(https://docs.github.com/pull-requests/collaborating-with-pull-requests/reviewing-changes-in-pull-requests/commenting-on-a-pull-request),
GitLab those that the block counts up from its own line
(https://docs.gitlab.com/user/project/merge_requests/reviews/suggestions/).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from torchdet_lint.finding import Edit, Finding, Location
from torchdet_lint.report.marks import fence


class Replacement(NamedTuple):
    """Lines `first` to `last` of a file, from 1, and the text that takes their place: "" or whole lines with their ends."""

    first: int
    last: int
    text: str


def replacement(finding: Finding, excerpt: Callable[[Location], tuple[str, ...]]) -> Replacement | None:
    """The fix of a finding as a replacement of whole lines.

    None where there is no fix, where it is only to be looked at, where it needs an import elsewhere or touches lines that
    are not next to the finding's, and in notebooks, whose lines are JSON.
    """
    fix, at = finding.fix, finding.location
    if fix is None or fix.safety == "display" or fix.imports or not fix.edits or at.cell is not None:
        return None
    if any(edit.location.path != at.path for edit in fix.edits):
        return None
    first = min(edit.location.line for edit in fix.edits)
    last = max(_last_line(edit.location) for edit in fix.edits)
    if last < at.line or first > at.end_line:
        return None
    lines = excerpt(Location(at.path, first, 1, last, 1))
    if len(lines) != last - first + 1:
        return None
    text = _edited([f"{line}\n" for line in lines], first, fix.edits)
    if text is None or (text and not text.endswith("\n")):
        return None
    return Replacement(first, last, text)


def block(found: Replacement, info: str = "suggestion") -> str:
    """The block of a comment that proposes a replacement."""
    around = fence(found.text)
    return f"{around}{info}\n{found.text}{around}"


def _last_line(at: Location) -> int:
    """The last line that something is taken from: an end at the start of a line takes the end of the line before it."""
    return at.end_line - 1 if at.end_column == 1 and at.end_line > at.line else at.end_line


def _edited(lines: list[str], first: int, edits: Iterable[Edit]) -> str | None:
    """The lines after the edits, which do not overlap; None where one reaches out of them."""
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    text = "".join(lines)
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end), reverse=True):
        at = edit.location
        begin, end = (
            starts[line - first] + column - 1 for line, column in ((at.line, at.column), (at.end_line, at.end_column))
        )
        if not begin <= end <= starts[-1]:
            return None
        text = text[:begin] + edit.text + text[end:]
    return text

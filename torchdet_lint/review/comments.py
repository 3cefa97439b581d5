"""Findings as comments on lines of a diff, and as a summary of what no comment can say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import NamedTuple

from torchdet_lint.finding import SEVERITIES, Finding, Location
from torchdet_lint.report.evidence import sentence
from torchdet_lint.report.full import EFFECTS
from torchdet_lint.report.marks import code, inline
from torchdet_lint.report.model import count
from torchdet_lint.report.summary import place
from torchdet_lint.review.compare import Noted, raw_lines
from torchdet_lint.review.diff import Change, FileChange
from torchdet_lint.review.suggest import Replacement, block, replacement

MOST_COMMENTS = 30
"""Comments at a time. More in one request are taken for abuse by GitHub, and by readers."""

MOST_LISTED = 50
"""Findings that a summary lists; a body holds at most 65,536 characters on GitHub."""

LONGEST_SPAN = 15
"""Lines of a finding that a comment marks; of a longer one, the first line."""

LONGEST_TEXT = 1500
_MARKS = {"error": "🔴", "warning": "🟠", "note": "🔵"}
_MARKER = re.compile(r"<!-- torchdet-lint (finding|summary)=([0-9a-f]{1,64}) -->\s*\Z")
SUPERSEDED = "torchdet-lint has looked at this change again; see its latest review."


class Comment(NamedTuple):
    """A comment on lines `first` to `last` of the new file `path`; `old_line` is what `last` was before, None for an added
    line.
    """

    path: str
    old_path: str
    first: int
    last: int
    old_line: int | None
    text: str
    fingerprint: str
    fix: Replacement | None = None

    def body(self, gitlab: bool = False) -> str:
        """The text for one of the forges, with the hidden mark that a later run knows it by."""
        parts = [self.text]
        if self.fix is not None:
            parts.append(block(self.fix, f"suggestion:-{self.fix.last - self.fix.first}+0" if gitlab else "suggestion"))
        return "\n\n".join((*parts, marker("finding", self.fingerprint)))


class Planned(NamedTuple):
    """What is said on lines, and what is not: findings on lines that no comment can stand on."""

    comments: tuple[Comment, ...]
    elsewhere: tuple[Noted, ...]


def planned(noted: Iterable[Noted], change: Change, excerpt: Callable[[Location], tuple[str, ...]]) -> Planned:
    """A comment for every finding on a line of the diff, new ones first where there will be too many."""
    comments, elsewhere = [], []
    for each in sorted(noted, key=lambda each: (not each.new, -SEVERITIES.index(each.finding.severity))):
        made = _comment(each, change.files.get(each.finding.location.path), excerpt)
        if made is None:
            elsewhere.append(each)
        else:
            comments.append(made)
    return Planned(tuple(comments), tuple(elsewhere))


def marker(kind: str, name: str) -> str:
    return f"<!-- torchdet-lint {kind}={name} -->"


def marked(body: str) -> tuple[str, str] | None:
    """The kind and the name of the mark that a body ends with. A quotation of ours does not end with it."""
    found = _MARKER.search(body)
    return (found[1], found[2]) if found else None


def summary(noted: Sequence[Noted], unsaid: Sequence[Noted], head: str = "") -> str:
    """The body of a review: how much there is, and the findings that no comment on a line says."""
    lines = [headline(noted)]
    if unsaid:
        lines.append("Not on a line that a comment can stand on, or too many for comments:")
        listed = [_item(each) for each in unsaid[:MOST_LISTED]]
        more = len(unsaid) - MOST_LISTED
        lines.append("\n".join(listed) + (f"\n- … and {count(more, 'finding')} more" if more > 0 else ""))
    text = "\n\n".join(lines)
    return f"{text}\n\n{marker('summary', blake2b(text.encode('utf-8', 'replace'), digest_size=8).hexdigest())}"


def headline(noted: Sequence[Noted]) -> str:
    """One line about the whole."""
    new = Counter(each.finding.severity for each in noted if each.new)
    before = sum(not each.new for each in noted)
    parts = ", ".join(count(new[severity], severity) for severity in reversed(SEVERITIES) if new[severity])
    text = f"This change introduces {parts}." if parts else "This change introduces no findings."
    there = (
        f" {count(before, 'finding')} on changed lines {'was' if before == 1 else 'were'} there before."
        if before
        else ""
    )
    return f"**torchdet-lint**: {text}{there}"


def described(each: Noted) -> str:
    """A finding in Markdown: what, what to do, where else to look."""
    finding = each.finding
    rule = f"[{finding.code}]({finding.url})" if "://" in finding.url else finding.code
    seen = f"; {EFFECTS[finding.effect]}" if finding.effect in EFFECTS else ""
    there = "" if each.new else "; it was there before this change"
    parts = [
        f"{_MARKS[finding.severity]} **{rule}** {inline(_shortened(finding.message))}",
        f"*Help*: {inline(_shortened(finding.help))}" if finding.help else "",
        f"*Evidence*: {inline(_shortened(sentence(finding)))}" if finding.evidence else "",
        "\n".join(
            f"- {code(place(other.location))}: {inline(_shortened(other.label, 300))}" for other in finding.related[:5]
        ),
        f"<sub>{inline(finding.name)} ({finding.severity}, {finding.confidence} confidence{seen}{there})</sub>",
    ]
    return "\n\n".join(part for part in parts if part)


def _comment(each: Noted, file: FileChange | None, excerpt: Callable[[Location], tuple[str, ...]]) -> Comment | None:
    finding = each.finding
    if file is None:
        return None
    first, last = _lines(finding, file)
    fix = replacement(finding, excerpt)
    if fix is not None and file.shown(fix.first, fix.last):
        first, last = fix.first, fix.last
    else:
        fix = None
    if not file.shown(first, last):
        return None
    text = described(each)
    if fix is not None and finding.fix is not None:
        text += f"\n\nFix ({finding.fix.safety}): {inline(finding.fix.title)}"
    old_path = file.old_path or file.path
    return Comment(file.path, old_path, first, last, file.old_line(last), text, finding.fingerprint, fix)


def _lines(finding: Finding, file: FileChange) -> tuple[int, int]:
    """The lines that a comment marks: all of them where the diff shows them together, else the first that it shows."""
    first, last = raw_lines(finding.location)
    if last - first < LONGEST_SPAN and file.shown(first, last):
        return first, last
    shown = next((line for line in range(first, last + 1) if file.hunk_of(line) is not None), first)
    return shown, shown


def _item(each: Noted) -> str:
    finding = each.finding
    there = "" if each.new else " (there before)"
    at = code(place(finding.location))
    return f"- {_MARKS[finding.severity]} {at} **{finding.code}** {inline(_shortened(finding.message, 300))}{there}"


def _shortened(text: str, longest: int = LONGEST_TEXT) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"

"""What a change introduces: the findings of its head that those of its base do not account for.

A finding is known by its fingerprint. One that has only moved (to another name of the file or of the function around it, or
to another file) has another fingerprint and the same code, so the findings that are left over on both sides are paired by
rule and code. Then those whose own line was edited are paired by rule within a piece of the diff: what was there before and
is still there after an edit is not new.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from torchdet_lint.finding import SEVERITIES, Finding, Location
from torchdet_lint.review.diff import Change

Excerpt = Callable[[Location], tuple[str, ...]]
Key = TypeVar("Key")


class Side(NamedTuple):
    """One side of a change: its findings with paths from the top of the repository, and the text of places."""

    findings: Sequence[Finding]
    excerpt: Excerpt


class Noted(NamedTuple):
    """A finding that a review speaks of. `new` says that the change introduces it; else it was there before, on a line that the
    change touches.
    """

    finding: Finding
    new: bool


def compared(base: Side, head: Side, change: Change) -> list[Noted]:
    """What there is to say about the head, in its order: new findings, and those on changed lines."""
    before = Counter(each.fingerprint for each in base.findings)
    now = Counter(each.fingerprint for each in head.findings)
    gone = [each for each in base.findings if each.fingerprint not in now]
    left = [each for each in head.findings if each.fingerprint not in before]
    for key in (_place_key, _code_key):
        gone, left = _unpaired(gone, left, _keyed(key, base.excerpt, change.renames), _keyed(key, head.excerpt, {}))
    new = {id(each) for each in _edited(gone, left, change)}
    return [Noted(each, id(each) in new) for each in head.findings if id(each) in new or touched(each, change)]


def on_changed_lines(head: Side, change: Change) -> list[Noted]:
    """What there is to say where no base is known: everything that starts on a changed line, or spans one."""
    return [Noted(each, new=True) for each in head.findings if touched(each, change)]


def touched(finding: Finding, change: Change) -> bool:
    """Whether a change adds or edits a line of a finding."""
    file = change.files.get(finding.location.path)
    first, last = raw_lines(finding.location)
    return file is not None and any(file.added(line) for line in range(first, last + 1))


def raw_lines(at: Location) -> tuple[int, int]:
    """The first and the last line of a place in its file; in a notebook, the one line of the raw file."""
    if at.file_line is not None:
        return at.file_line, at.file_line
    last = at.end_line - 1 if at.end_column == 1 and at.end_line > at.line else at.end_line
    return at.line, last


def at_or_above(noted: Iterable[Noted], severity: str) -> bool:
    """Whether something new is at least this severe."""
    least = SEVERITIES.index(severity)
    return any(each.new and SEVERITIES.index(each.finding.severity) >= least for each in noted)


def _place_key(finding: Finding, code: str, path: str) -> tuple[str, ...]:
    return (finding.code, code, path)


def _code_key(finding: Finding, code: str, _path: str) -> tuple[str, ...]:
    return (finding.code, code)


def _keyed(
    key: Callable[[Finding, str, str], tuple[str, ...]], excerpt: Excerpt, renames: Mapping[str, str]
) -> Callable[[Finding], tuple[str, ...]]:
    def of(finding: Finding) -> tuple[str, ...]:
        path = finding.location.path
        return key(
            finding, covered(finding.location, excerpt(finding.location)) or finding.message, renames.get(path, path)
        )

    return of


def covered(at: Location, lines: Sequence[str]) -> str:
    """The code of a place on one line, its white space collapsed."""
    if not lines:
        return ""
    cut = list(lines)
    cut[-1] = cut[-1][: at.end_column - 1] if len(lines) > at.end_line - at.line else cut[-1]
    cut[0] = cut[0][at.column - 1 :]
    return " ".join(" ".join(cut).split())


def _unpaired(
    gone: list[Finding], left: list[Finding], gone_key: Callable[[Finding], Key], left_key: Callable[[Finding], Key]
) -> tuple[list[Finding], list[Finding]]:
    """What remains of both when equal keys cancel each other, in their order."""
    keys = [left_key(each) for each in left]
    shared = Counter(map(gone_key, gone)) & Counter(keys)
    rest = Counter(shared)
    still = [each for each in gone if not _taken(rest, gone_key(each))]
    rest = Counter(shared)
    return still, [each for each, key in zip(left, keys, strict=True) if not _taken(rest, key)]


def _taken(counts: Counter[Key], key: Key) -> bool:
    counts[key] -= 1
    return counts[key] >= 0


def _edited(gone: Iterable[Finding], left: Iterable[Finding], change: Change) -> Iterator[Finding]:
    """What is left when each finding on edited lines is paired with one of the same rule that is gone from the same piece of
    the diff.
    """
    before: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for each in gone:
        path = each.location.path
        before[each.code, change.renames.get(path, path)].append(each)
    for each in left:
        candidates = before[each.code, each.location.path]
        match = next((other for other in candidates if _same_hunk(other, each, change)), None)
        if match is None:
            yield each
        else:
            candidates.remove(match)


def _same_hunk(before: Finding, now: Finding, change: Change) -> bool:
    """Whether a hunk that edits the lines of `now` shows lines of `before`."""
    if not touched(now, change):
        return False
    old, new = (range(first, last + 1) for first, last in map(raw_lines, (before.location, now.location)))
    hunks = change.files[now.location.path].hunks
    return any(any(line in hunk.lines for line in new) and any(hunk.shows_old(line) for line in old) for hunk in hunks)

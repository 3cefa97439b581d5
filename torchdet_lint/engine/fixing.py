"""Fixing: fixes are made in memory, the project is looked at again, until nothing changes; then files are written.

A fix after which its file does not parse, or its finding is still there, is taken back and not tried again. Every look is
a whole run over the changed texts, so fixes see each other's effects, in other files too.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from torchdet_lint.disk import content_digest
from torchdet_lint.engine import writing
from torchdet_lint.engine.options import Options, Progress, Result
from torchdet_lint.engine.reading import read
from torchdet_lint.engine.scope import Entry
from torchdet_lint.finding import Edit, Finding, Fix, Location
from torchdet_lint.fixes.merge import Merged, Proposal, merge
from torchdet_lint.source.rewrite import Change, RewriteError, rewritten

MOST_ROUNDS = 25
"""More rounds than any chain of fixes that follow from each other takes; the issue is with the fixes then."""

SAFE, UNSAFE = ("safe",), ("safe", "unsafe")


class FixedFile(NamedTuple):
    """A file by its shown and absolute path, with its bytes before and after."""

    display: str
    path: str
    before: bytes
    after: bytes


@dataclass(frozen=True, slots=True)
class Fixed:
    """`result` is what is left after all fixes, `done` the findings that were fixed, in the order of places, and `files` what
    has changed. `problems` are fixes that had to be taken back, a line each; `refused` are files that hold something else by
    now, or cannot be read.
    """

    result: Result
    done: tuple[Finding, ...]
    files: tuple[FixedFile, ...]
    problems: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


Run = Callable[[Options, Progress], Result]


@dataclass
class _State:
    options: Options
    wanted: Callable[[Finding], bool]
    run: Run
    progress: Progress
    before: dict[str, bytes] = field(default_factory=dict)
    after: dict[str, bytes] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    unreadable: dict[str, None] = field(default_factory=dict)
    done: list[Finding] = field(default_factory=list)

    def look(self) -> Result:
        return self.run(replace(self.options, contents={**self.options.contents, **self.after}), self.progress)

    def bytes_of(self, path: str, digest: str | None) -> bytes:
        """What a file holds at this point; `digest` is of what was analysed. Raises WriteError."""
        if path not in self.before:
            stdin = self.options.stdin
            known = self.options.contents.get(path)
            if known is None:
                known = (
                    stdin.data
                    if stdin is not None and _same(stdin.filename, path, self.options)
                    else writing.read_again(path, digest)
                )
            self.before[path] = known
        return self.after.get(path, self.before[path])


def fix(options: Options, progress: Progress, wanted: Callable[[Finding], bool], run: Run) -> Fixed:
    """Fixes the findings that `wanted` picks, in memory. Raises what `run` raises."""
    state = _State(options, wanted, run, progress)
    result = state.look()
    seen = {_digest(state)}
    for _ in range(MOST_ROUNDS):
        kept = dict(state.after)
        taken = _apply(state, result, _proposed(state, result))
        if not taken:
            break
        if _digest(state) in seen:
            state.after = kept
            _refuse(state, taken, "undoes another fix")
            continue
        after = state.look()
        failed = _failed(taken, result, after)
        if failed:
            state.after = kept
            _refuse(state, failed, "does not make the finding go away")
            taken = _apply(state, result, [each for each in taken if each not in failed])
            after = state.look() if taken else result
        seen.add(_digest(state))
        state.done += [each.finding for each in taken]
        result = after
    else:
        state.problems.append(f"fixes still lead to further fixes after {MOST_ROUNDS} rounds; please report this")
    done = tuple(sorted(state.done, key=lambda finding: finding.sort_key))
    return Fixed(result, done, _files(state, result), tuple(state.problems), tuple(state.unreadable))


def _same(filename: str, path: str, options: Options) -> bool:
    return os.path.normpath(os.path.join(options.cwd, filename)) == path


def write(fixed: Fixed) -> tuple[Fixed, tuple[str, ...]]:
    """Writes the changed files: what is fixed by that, and what could not be written, a line each."""
    troubles = {each: _written(each) for each in fixed.files}
    as_they_were = {each.display for each, trouble in troubles.items() if trouble}
    done = tuple(each for each in fixed.done if as_they_were.isdisjoint(_touched(each)))
    files = tuple(each for each, trouble in troubles.items() if not trouble)
    return replace(fixed, done=done, files=files), tuple(filter(None, troubles.values()))


def _touched(finding: Finding) -> set[str]:
    """The files of a finding that was fixed, and of its fix."""
    edits = () if finding.fix is None else _edits(finding.fix)
    return {finding.location.path, *(edit.location.path for edit in edits)}


def _written(file: FixedFile) -> str:
    """Why a file could not be written; "" when it was."""
    try:
        writing.replace(file.path, file.before, file.after)
    except writing.WriteError as error:
        return f"{file.display}: {error}"
    return ""


def _proposed(state: _State, result: Result) -> list[Proposal]:
    """The fixes of this round: those that are wanted, and whose files are all among those that are checked."""
    return [
        Proposal(finding, finding.fix)
        for finding in result.findings
        if finding.fix is not None
        and finding.fingerprint not in state.refused
        and state.wanted(finding)
        and all(edit.location.path in result.paths for edit in _edits(finding.fix))
    ]


def _edits(fix: Fix) -> tuple[Edit, ...]:
    return (*fix.edits, *fix.imports)


def _apply(state: _State, result: Result, proposals: Sequence[Proposal]) -> tuple[Proposal, ...]:
    """Makes those fixes in memory that go together and leave files that parse; gives back which."""
    while proposals:
        merged = merge(proposals)
        changed, broken = _changed(state, result, merged)
        if not broken:
            state.after.update(changed)
            return merged.taken
        hurt = [each for each in merged.taken if any(edit.location.path in broken for edit in _edits(each.fix))]
        alone = {each: _changed(state, result, merge((each,)))[1] for each in hurt}
        bad = [each for each in hurt if alone[each]]
        for each in bad:
            _refuse(state, (each,), next(iter(alone[each].values())))
        out = bad or hurt[1:] or hurt  # where they are only bad together, the first is made and the others wait
        proposals = [each for each in merged.taken if each not in out]
    return ()


def _changed(state: _State, result: Result, merged: Merged) -> tuple[dict[str, bytes], dict[str, str]]:
    """The changed files by absolute path, and what is wrong with others by shown path."""
    changed: dict[str, bytes] = {}
    broken: dict[str, str] = {}
    for display, edits in merged.edits.items():
        path = result.paths[display]
        try:
            before = state.bytes_of(path, result.digests.get(display))
            after = rewritten(path, before, [Change(edit.start, edit.end, edit.text) for edit in edits])
        except writing.WriteError as error:
            broken[display] = f"cannot be made: {error}"
            state.unreadable[display] = None
            continue
        except RewriteError as error:
            broken[display] = f"cannot be made: {error}"
            continue
        if read(Entry(display, display, path, reported=True, data=after)).fault is not None:
            broken[display] = "leaves code that does not parse"
        changed[path] = after
    return changed, broken


def _refuse(state: _State, proposals: Iterable[Proposal], why: str) -> None:
    """Takes fixes back for good, and says so once."""
    for finding, fix in proposals:
        if finding.fingerprint not in state.refused:
            state.refused.add(finding.fingerprint)
            at = finding.location
            cell = "" if at.cell is None else f"cell {at.cell}:"
            state.problems.append(
                f"{at.path}:{cell}{at.line}: {finding.code}: the fix ({fix.title}) {why}; it was not made"
            )


def _failed(taken: Sequence[Proposal], before: Result, after: Result) -> list[Proposal]:
    """The fixes after which as many findings of their rule stand at their place as before."""
    edits: dict[str, set[Edit]] = {}
    for edit in (edit for each in taken for edit in _edits(each.fix)):
        edits.setdefault(edit.location.path, set()).add(edit)
    there, now = Counter(map(_place, before.findings)), Counter(map(_place, after.findings))
    fixed = Counter(_place(each.finding) for each in taken)
    moved: dict[_Place, list[Proposal]] = {}
    for each in taken:
        moved.setdefault(_place(each.finding), []).append(each)
    failed: list[Proposal] = []
    for place, own in moved.items():
        line = place.line + sum(_lines_added(edit, own[0].finding.location) for edit in edits.get(place.path, ()))
        if now[place._replace(line=line)] > there[place] - fixed[place]:
            failed += own
    return failed


class _Place(NamedTuple):
    code: str
    path: str
    cell: int | None
    line: int


def _place(finding: Finding) -> _Place:
    at = finding.location
    return _Place(finding.code, at.path, at.cell, at.line)


def _lines_added(edit: Edit, at: Location) -> int:
    """By how many lines an edit moves a place."""
    there = edit.location
    if there.cell != at.cell or (there.line, there.column) > (at.line, at.column):
        return 0
    return edit.text.count("\n") - (there.end_line - there.line)


def _digest(state: _State) -> str:
    """A name for what the files hold now; one that is as it was at first counts as not touched."""
    changed = {path: data for path, data in state.after.items() if data != state.before[path]}
    parts = (part for path in sorted(changed) for part in (path.encode(errors="replace"), changed[path]))
    return content_digest(b"\0".join(parts))


def _files(state: _State, result: Result) -> tuple[FixedFile, ...]:
    """What has changed, by shown path."""
    return tuple(
        FixedFile(display, path, state.before[path], state.after[path])
        for display, path in sorted(result.paths.items())
        if path in state.after and state.after[path] != state.before[path]
    )

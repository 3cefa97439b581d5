"""The part of `check` that changes files: fixes, diffs, suppression comments."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from torchdet_lint.cli.failures import CLEAN, FINDINGS, TROUBLE, Trouble, say
from torchdet_lint.cli.output import write_bytes, write_out
from torchdet_lint.cli.progress import progress
from torchdet_lint.cli.shared import options, tell_problems
from torchdet_lint.report.model import count

if TYPE_CHECKING:
    from torchdet_lint.config import Settings
    from torchdet_lint.engine.baseline import Entry
    from torchdet_lint.engine.fixing import Fixed, FixedFile
    from torchdet_lint.engine.options import Options, Result
    from torchdet_lint.finding import Finding

fix_options = options(
    click.option("--fix", is_flag=True, help="Make the safe fixes, then report what is left."),
    click.option(
        "--unsafe-fixes/--no-unsafe-fixes",
        default=None,
        help="Also make fixes that change results, order or speed, or can raise.",
    ),
    click.option("--diff", is_flag=True, help="Show what --fix would change, and change nothing. Implies --fix-only."),
    click.option("--fix-only", is_flag=True, help="Make fixes, and do not report or fail on what is left."),
    click.option("--show-fixes", is_flag=True, help="List what was fixed."),
    click.option("--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 when something was fixed."),
    click.option(
        "--add-ignore",
        default=None,
        metavar="[=REASON]",
        help="Add suppression comments for all findings.",
    ),
)


class Mode(NamedTuple):
    """What is to be done with fixes: whether they are made at all, only shown, and whether the rest is reported."""

    active: bool
    diff: bool
    only: bool

    @classmethod
    def of(cls, given: dict[str, Any]) -> Mode:
        """The mode that the options ask for. Raises Trouble for options that contradict each other."""
        mode = cls(
            given["fix"] or given["diff"] or given["fix_only"], given["diff"], given["diff"] or given["fix_only"]
        )
        if mode.active and given["add_ignore"] is not None:
            raise Trouble("--add-ignore takes findings as they are; fix first, without it")
        return mode


def finish(fixed: Fixed, mode: Mode, run_options: Options, exit_on_fix: bool) -> tuple[Fixed, int]:
    """Shows or writes what was fixed: what is fixed then, and the exit status as far as fixes decide it; CLEAN where they
    do not.
    """
    for problem in fixed.problems:
        say(problem)
    if mode.diff:
        write_out(piece for each in fixed.files for piece in _diff(each))
        if fixed.done:
            say(f"would fix {count(len(fixed.done), 'finding')}")
        return fixed, FINDINGS if fixed.files else CLEAN
    if run_options.stdin is not None:
        write_bytes(next((each.after for each in fixed.files), run_options.stdin.data))
    else:
        from torchdet_lint.engine.fixing import write

        fixed, problems = write(fixed)
        if tell_problems(problems) or fixed.refused:
            return fixed, TROUBLE
    return fixed, FINDINGS if fixed.done and exit_on_fix else CLEAN


def list_of_fixes(done: Iterable[Finding]) -> Iterator[str]:
    """What was fixed, by file and rule."""
    by_file: dict[str, Counter[tuple[str, str]]] = {}
    for finding in done:
        by_file.setdefault(finding.location.path, Counter())[finding.code, finding.name] += 1
    if by_file:
        yield f"Fixed {count(sum(each.total() for each in by_file.values()), 'finding')}:\n"
    for path, rules in sorted(by_file.items()):
        yield f"- {path}:\n"
        yield from (f"    {number} × {code} ({name})\n" for (code, name), number in sorted(rules.items()))


_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")


def _diff(changed: FixedFile) -> Iterator[str]:
    """A unified diff that `patch` takes."""
    from torchdet_lint.source.text import encoding_of

    notebook = changed.path.endswith(".ipynb")
    encoding = "utf-8" if notebook else encoding_of(changed.before)
    before, after = (data.decode(encoding, "replace") for data in (changed.before, changed.after))
    return unified(before, after, changed.display, changed.display)


def unified(before: str, after: str, old: str, new: str) -> Iterator[str]:
    """The difference of two texts; lines end with line feeds only, so that others are seen."""
    import difflib

    for line in difflib.unified_diff(_LINE.findall(before), _LINE.findall(after), old, new):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def add_ignores(run_options: Options, result: Result, reason: str, quiet: bool) -> int:
    """Writes suppression comments. Raises Trouble."""
    from torchdet_lint.engine.ignoring import add_ignores as add

    if run_options.stdin is not None:
        raise Trouble("--add-ignore writes to files, and `-` (standard input) is none")
    if not reason.isprintable() or "#" in reason:
        raise Trouble("--add-ignore: the reason has to be one line without `#`")
    done = add(run_options, result, reason.strip())
    if not quiet:
        say(f"added comments for {count(done.findings, 'finding')} in {count(done.files, 'file')}")
    return TROUBLE if tell_problems((*result.problems, *done.problems)) else CLEAN


class Outcome(NamedTuple):
    """What a run came to: what is left, what was fixed, and the exit status as far as fixes decide it."""

    result: Result
    done: tuple[Finding, ...]
    status: int


def carried_out(
    run_options: Options, project: Settings, mode: Mode, given: dict[str, Any], known: tuple[Entry, ...]
) -> Outcome:
    """The run, with fixes where they are wanted. Findings that a baseline knows are left out, and left alone."""
    from torchdet_lint import engine

    with progress(given["quiet"]) as shown:
        if not mode.active:
            return Outcome(_without(engine.run(run_options, shown), known), (), CLEAN)
        unsafe = project.unsafe_fixes if given["unsafe_fixes"] is None else given["unsafe_fixes"]
        fingerprints = frozenset(entry.fingerprint for entry in known)
        fixed = engine.fix(run_options, shown, unsafe=unsafe, known=fingerprints)
    fixed, status = finish(fixed, mode, run_options, given["exit_non_zero_on_fix"])
    if status == TROUBLE:  # some files are as they were
        return Outcome(_without(engine.run(run_options), known), fixed.done, status)
    return Outcome(_without(fixed.result, known), fixed.done, status)


def _without(result: Result, known: tuple[Entry, ...]) -> Result:
    if not known:
        return result
    from torchdet_lint.engine.baseline import without_known

    return without_known(result, known)

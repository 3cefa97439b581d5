"""Verdicts on findings that factors say nothing of: what repeats, what no seed reaches, what shifts other draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from torchdet_lint.finding import Finding
from torchdet_lint.verify.compare import Divergence
from torchdet_lint.verify.experiment import Experiment
from torchdet_lint.verify.frozen import never_seeded, reseeded, same_orders
from torchdet_lint.verify.record import Event, Record
from torchdet_lint.verify.spoken import file_of, line_at

Line = tuple[str, int]


class ByTrial(NamedTuple):
    """The fields of a `Verdict` after its finding."""

    verdict: str
    reason: str
    factor: str
    source: Event | None
    divergence: Divergence | None
    checks: tuple[str, ...]


class _Repeat(NamedTuple):
    """A rule about numbers that repeat: how places and counts are found, what is then said, and the name of the check. `here`: on
    the finding's own lines rather than anywhere in its files.
    """

    find: Callable[[Record], Iterator[tuple[str, int]]]
    reason: str
    check: str
    here: bool


_REPEATS = {
    "TDL012": _Repeat(reseeded, "the generator was set back to the same seed {count} times", "seeds-equal", True),
    "TDL013": _Repeat(never_seeded, "{count} draws at {line} are of a generator that nobody seeds", "ledger", False),
    "TDL108": _Repeat(same_orders, "the same order was drawn {count} times at {line}", "epochs-equal", False),
}  # fmt: skip

_TRIALS = {"TDL011": "seed", "TDL601": "resume"}
"""Rules that a trial answers, whatever kind of effect they name."""


def on_trial(finding: Finding, lines: frozenset[Line], experiment: Experiment) -> ByTrial | None:
    """What repeats and trials say of a finding with these lines, or None where they say nothing."""
    repeat = _REPEATS.get(finding.code)
    if repeat is not None:
        return _repeated(repeat, lines, experiment.record)
    name = _TRIALS.get(finding.code) or ("without" if finding.effect == "stream" else "")
    found = next((one for one in experiment.tried if one.name == name and one.holds is not None), None)
    if found is None and finding.effect == "stream":
        return _shifted(finding, lines, experiment)
    if found is None or (found.name == "seed" and found.holds):
        return None
    checks = (f"{name}-trial",)
    if found.holds:
        return ByTrial("no-effect-seen", found.detail, "", None, None, checks)
    # Of the draws that something shifts, those on the finding's own lines are its own.
    hidden = "confirmed" if experiment.natural.differ else "confirmed-hidden"
    return ByTrial(hidden, found.detail, name, None, found.divergence, checks)


def _shifted(finding: Finding, lines: frozenset[Line], experiment: Experiment) -> ByTrial | None:
    """Whether one draw more moves the draws on a finding's lines. A loader shuffles where it is iterated, so where it was made
    counts; of one whose making nobody saw, the file.
    """
    trial = next((one for one in experiment.tried if one.name == "shift" and one.holds is not None), None)
    if trial is None:
        return None
    files = {file_of(path) for path, _ in lines}
    within = experiment.record.ledger.facts.get("made-within", {})
    for operation, place, loader in trial.moved:
        path, line = line_at(place)
        shuffles = finding.code == "TDL101" and ".randperm" in operation and not loader and file_of(path) in files
        made = {line_at(each) for each in (loader, within.get(loader)) if each}
        if shuffles or (path, line) in lines or made & lines:
            reason = f"one number more drawn before it, and what is drawn at {path}:{line} is another"
            return ByTrial("confirmed-hidden", reason, "stream", None, None, ("shift-trial",))
    return ByTrial(
        "no-effect-seen", "one number more drawn before it moved nothing there", "", None, None, ("shift-trial",)
    )


def _repeated(repeat: _Repeat, lines: frozenset[Line], record: Record) -> ByTrial | None:
    files = {file_of(path) for path, _ in lines}
    for place, count in repeat.find(record):
        path, line = line_at(place)
        if (path, line) in lines if repeat.here else file_of(path) in files:
            reason = repeat.reason.format(count=count, line=f"{path}:{line}")
            return ByTrial("confirmed", reason, "", None, None, (repeat.check,))
    return None

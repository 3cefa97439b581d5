"""Verdicts on findings that only an accelerator can show."""

from __future__ import annotations

from torchdet_lint.finding import Finding
from torchdet_lint.verify.accelerator import (
    ALERTS,
    CONVOLUTIONS,
    PRECISION,
    RACES,
    REPEATS,
    REPLAY,
    Question,
    Seen,
    Sight,
    question,
)
from torchdet_lint.verify.experiment import Experiment
from torchdet_lint.verify.spoken import MEANING, Verdict, line_at, lines_of


def on_device(finding: Finding, experiment: Experiment) -> Verdict:
    """What the checks of an accelerator have shown; on a CPU, what that can still refute."""
    asked, seen = question(finding), experiment.seen
    checks = tuple(check.name for check in asked.checks) if asked is not None else ()
    if asked is not None and seen is not None:
        return _seen(finding, experiment, asked, seen)
    lines = set(lines_of(finding))
    states = [
        state.split() for _, place, state, _ in experiment.record.ledger.modes if place and line_at(place) in lines
    ]
    if finding.code.startswith(("TDL3", "TDL4")) and states and all("deterministic" in state for state in states):
        return Verdict(
            finding,
            "refuted-on-this-torch",
            "deterministic algorithms were on whenever the line ran",
            checks=("switches",),
        )
    alerted = next(
        (what for tried in experiment.tried for what, place, _ in tried.alerts if place and line_at(place) in lines), ""
    )
    if alerted and finding.code.startswith(("TDL2", "TDL4")):
        reason = f"torch says that {alerted} has no deterministic implementation on this device"
        return Verdict(finding, "confirmed-hidden", reason, checks=("strict-alerts",))
    return Verdict(finding, "needs-cuda", MEANING["needs-cuda"], cuda_check=next(iter(checks), "compiled-pairs"))


def _seen(finding: Finding, experiment: Experiment, asked: Question, seen: Seen) -> Verdict:
    """The verdict from what the checks saw on the finding's lines, or in the operations that speak for it."""
    names = tuple(check.name for check in asked.checks)
    if CONVOLUTIONS in asked.checks:
        return _by_convolutions(finding, experiment, seen)
    if PRECISION in asked.checks and seen.precision is not None:
        reason = "a reduced precision of matrix products changes the result"
        return Verdict(finding, "confirmed-hidden", reason, "precision", None, seen.precision, names)
    lines = set(lines_of(finding))
    for sight in seen.sights:
        at_line = any(line_at(place) in lines for place in sight.places)
        speaks = any(word in sight.operation for word in asked.anywhere)
        if sight.check in names and (at_line or speaks):
            return Verdict(finding, "confirmed", what_was_seen(sight), "kernel", checks=(sight.check,))
    tried = f" of {seen.replayed} operations, each run again {REPEATS} times" if REPLAY in asked.checks else ""
    return Verdict(finding, "no-effect-seen", f"the checks on this device{tried} saw nothing of it", checks=names)


def what_was_seen(sight: Sight) -> str:
    """A sight in a few words, with the line where there is one."""
    at = f" at {sight.places[-1].rpartition(':')[0]}" if sight.places else ""
    said = {
        ALERTS.name: f"strict mode says that {sight.operation} has no deterministic implementation",
        RACES.name: "what was copied to the host changed after the copy had returned",
    }
    again = f"{sight.operation} gave other bytes on the same inputs (in {sight.said} repeats)"
    return said.get(sight.check, again) + at


def _by_convolutions(finding: Finding, experiment: Experiment, seen: Seen) -> Verdict:
    """TDL201 and TDL202: two runs part, and do not with cuDNN's benchmark off and its deterministic kernels alone."""
    checks = ("natural-pair", CONVOLUTIONS.name)
    if seen.steadied:
        first = (experiment.pinned and experiment.pinned.first) or experiment.natural.first
        reason = "two runs part, and agree when cuDNN times nothing and takes deterministic kernels only"
        return Verdict(finding, "confirmed", reason, "kernel", None, first, checks)
    said = "two runs agree" if seen.steadied is None else "two runs part with cuDNN held as well"
    return Verdict(finding, "no-effect-seen", f"{said}, on this device", checks=checks)

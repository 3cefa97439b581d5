"""Joins what runs have shown to what rules have said: a verdict for each finding, and what no finding explains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import starmap

from torchdet_lint.finding import CONFIRMING, Finding
from torchdet_lint.verify.accelerator import question
from torchdet_lint.verify.compare import Divergence
from torchdet_lint.verify.device_verdict import on_device
from torchdet_lint.verify.experiment import Experiment, Shown
from torchdet_lint.verify.factors import FACTORS, Factor
from torchdet_lint.verify.record import Record
from torchdet_lint.verify.repeats import repeated
from torchdet_lint.verify.spoken import MEANING, Verdict, file_of, line_at, lines_of, ordered_line, span
from torchdet_lint.verify.trial_verdict import on_trial

_UNTESTED = {
    "frozen": "it repeats too much, which two runs of one seed cannot show",
    "stream": "the stream shifts when something unrelated draws, and this sample changes nothing of that kind",
    "machine": "it shows between machines, and no factor stands for it",
}

_COPIED = ("TDL102", "TDL104")
"""Rules that say that workers may get the same numbers."""

_UNSEEDED = ("TDL007", "TDL011")
"""Rules that say that the program's own seeding does nothing, here or by default. The line that they stand on need not run, and
what shows them is that a global generator was drawn from unseeded, whatever else is said about the line that draws.
"""

_FAMILIES = {"torch": "torch's", "numpy": "NumPy's", "python": "Python's"}
"""How messages name the global generators that are factors."""

_TRACELESS = ("hash", "address", "memory", "completion")
"""Factors that leave no event where they enter: the first difference stands at or below the guilty line."""


@dataclass(frozen=True)
class Unexplained:
    """A difference of which no finding speaks. `factor` is empty where two plain runs differ and no factor was found to do it.
    `place` is the line to blame: where the source was asked, or else where the runs part.
    """

    factor: str
    title: str
    place: str
    divergence: Divergence
    checks: tuple[str, ...]
    fails: bool = True


@dataclass(frozen=True)
class Judgement:
    """All that is said about a sample."""

    experiment: Experiment
    verdicts: tuple[Verdict, ...]
    unexplained: tuple[Unexplained, ...]
    elsewhere: int = 0

    @property
    def confirmed(self) -> tuple[Verdict, ...]:
        """Verdicts that confirm their finding."""
        return tuple(verdict for verdict in self.verdicts if verdict.verdict in CONFIRMING)

    @property
    def clean(self) -> bool:
        """Whether nothing but notes was confirmed and no two runs differ."""
        failed = any(one.holds is False for one in self.experiment.tried if one.name in ("without", "resume"))
        unexplained = any(item.fails for item in self.unexplained)
        confirmed = any(one.finding.severity != "note" for one in self.confirmed)
        return not (confirmed or _differs(self.experiment) or unexplained or failed)


def _differs(experiment: Experiment) -> bool:
    """Whether two plain runs differ in more than the time that they print."""
    first = experiment.natural.first
    return first is not None and not any(_is_printed_time(item) for item in experiment.changing())


def _is_printed_time(item: Shown) -> bool:
    """Whether a factor changes what is printed, and is what people print: how long something took, and in which process."""
    return item.factor.name in ("clock", "pid") and item.divergence is not None and item.divergence.event.kind == "OUT"


def suspects(finding: Finding) -> tuple[Factor, ...]:
    """The factors that a finding's rule suspects; where its message begins with one generator, not the others."""
    found = tuple(factor for factor in FACTORS if finding.code.startswith(factor.rules or ("-",)))
    named = {name for name, word in _FAMILIES.items() if finding.message.startswith(word)}
    return tuple(factor for factor in found if not named or factor.name in named)


def judge(findings: Sequence[Finding], experiment: Experiment) -> Judgement:
    """Verdicts on findings in files that the sample loaded, and on programs; others are only counted."""
    seen = _executed(experiment.record)
    loaded = {file_of(path) for path in (*(path for path, _ in seen), *experiment.record.ledger.reached)}
    mine = [finding for finding in findings if finding.location.path in loaded]
    verdicts = tuple(_verdict(finding, mine, experiment, seen) for finding in mine)
    return Judgement(experiment, verdicts, tuple(_unexplained(experiment, verdicts)), len(findings) - len(mine))


def _executed(record: Record) -> frozenset[tuple[str, int]]:
    """Lines that are known to have run: those asked about, and those that events stand on."""
    seen = {(path, line) for path, lines in record.ledger.reached.items() for line in lines}
    for stream in record.streams.values():
        seen.update(line_at(event.place) for event in stream.events if event.place)
    return frozenset(seen)


def _at(line: str) -> tuple[str, int]:
    path, _, number = line.rpartition(":")
    return path, int(number)


def _verdict(
    finding: Finding, others: Sequence[Finding], experiment: Experiment, seen: frozenset[tuple[str, int]]
) -> Verdict:
    ran = any(line in seen for line in span(finding.location))
    if not ran and finding.code not in _UNSEEDED:
        return Verdict(finding, "not-reached", MEANING["not-reached"])
    if finding.effect == "cuda" or (experiment.seen is not None and question(finding) is not None):
        return on_device(finding, experiment)
    if finding.code in _COPIED and (place := _copied(finding, experiment)):
        reason = f"two workers of one loader got the same numbers at {place.rpartition(':')[0]}"
        return Verdict(finding, "confirmed", reason, "workers", checks=("workers-equal",))
    by_trial = on_trial(finding, frozenset(lines_of(finding)), experiment)
    if by_trial is not None:
        return Verdict(finding, *by_trial)
    factors = suspects(finding)
    if not factors or finding.effect in ("frozen", "stream"):
        return Verdict(finding, "unprobed", _untested(finding, experiment))
    if experiment.residual or experiment.pinned is None:
        return _by_natural_pair(finding, factors, experiment)
    shown = [experiment.shown[factor.name] for factor in factors]
    for item in shown:
        if item.status == "changes" and _is_guilty(finding, others, item, experiment):
            return _confirmed(finding, item, experiment)
    return _not_confirmed(finding, shown) if ran else Verdict(finding, "not-reached", MEANING["not-reached"])


def _untested(finding: Finding, experiment: Experiment) -> str:
    """Why a sample says nothing of a finding that no factor stands for."""
    if finding.code == "TDL601":
        trial = next((one for one in experiment.tried if one.name == "resume"), None)
        return (
            trial.detail
            if trial is not None
            else "only a program that resumes shows it: name the arguments by --resume-args"
        )
    return _UNTESTED.get(finding.effect, "no factor stands for it")


def _copied(finding: Finding, experiment: Experiment) -> str:
    """A place in a file that the finding speaks of at which workers got the same numbers, or nothing."""
    lines = frozenset(lines_of(finding))
    files = {file_of(path) for path, _ in lines}
    places = (place for place in repeated(experiment.record.streams, lines) if file_of(line_at(place)[0]) in files)
    return min(places, default="")


def _confirmed(finding: Finding, item: Shown, experiment: Experiment) -> Verdict:
    lines = set(lines_of(finding))
    alone = (found for line, found in item.alone.items() if found is not None and _at(line) in lines)
    divergence = next(alone, item.divergence)
    assert divergence is not None
    hidden = item.factor.machine or not experiment.natural.differ
    checks = ("natural-pair", item.run)
    source = next((event for event in divergence.sources if event.kind in item.factor.kinds), None)
    return Verdict(
        finding,
        "confirmed-hidden" if hidden else "confirmed",
        f"another value of {item.factor.title} changes the result",
        item.factor.name,
        source or next(iter(divergence.sources), None),
        divergence,
        checks,
    )


def _is_guilty(finding: Finding, others: Sequence[Finding], item: Shown, experiment: Experiment) -> bool:
    """Whether the difference that a factor makes belongs to this finding rather than to another one of its kind."""
    if finding.code in _UNSEEDED:
        return item.factor.name in _FAMILIES
    rivals = [other for other in others if item.factor in suspects(other) and other.code not in _UNSEEDED]
    if _touches(finding, item, experiment):
        return True
    if any(_touches(rival, item, experiment) for rival in rivals):
        return False
    return finding is min(rivals, key=lambda rival: _distance(rival, item))


def _touches(finding: Finding, item: Shown, experiment: Experiment) -> bool:
    """Whether a source of the factor was asked on a line of the finding, or the runs part there."""
    divergence = item.divergence
    assert divergence is not None
    lines = set(lines_of(finding))
    if item.alone:
        return any(_at(line) in lines for line, found in item.alone.items() if found is not None)
    events = [divergence.event, *(event for event in divergence.sources if event.kind in item.factor.kinds)]
    if any(line_at(place) in lines for event in events for place in (event.place, event.forward) if place):
        return True
    asked = (
        line_at(place) for kind, _, place, _ in experiment.record.ledger.asked if kind in item.factor.kinds and place
    )
    return item.factor.name not in _TRACELESS and any(line in lines for line in asked)


def _distance(finding: Finding, item: Shown) -> tuple[int, int]:
    """How far above the first difference a finding stands; those below it and in other files come last."""
    assert item.divergence is not None
    place = item.divergence.place
    if not place:
        return (2, 0)
    path, line = ordered_line(*line_at(place))
    ways = [line - at for file, at in starmap(ordered_line, lines_of(finding)) if file == path]
    above = [way for way in ways if way >= 0]
    return (0, min(above)) if above else (1, min(map(abs, ways))) if ways else (2, 0)


def _not_confirmed(finding: Finding, shown: list[Shown]) -> Verdict:
    statuses = {item.status for item in shown}
    names = " and ".join(item.factor.title for item in shown)
    checks = tuple(item.factor.name for item in shown if item.status == "no-effect")
    if "confounded" in statuses:
        return Verdict(finding, "confounded", MEANING["confounded"], checks=checks)
    if "changes" in statuses:
        return Verdict(finding, "no-effect-seen", "another line differs first; fix that and run again", checks=checks)
    if "no-effect" in statuses:
        return Verdict(
            finding, "no-effect-seen", f"other values of {names} changed no result in this sample", checks=checks
        )
    if statuses == {"not-asked"}:
        return Verdict(
            finding,
            "refuted-on-this-torch",
            f"the line ran, and the sample never depended on {names}",
            checks=("ledger",),
        )
    return Verdict(finding, "unprobed", "its factors were left out by --factors")


def _by_natural_pair(finding: Finding, factors: tuple[Factor, ...], experiment: Experiment) -> Verdict:
    """Without a pinned pair that agrees, only pairs can speak: two plain runs, or two with everything held that still part."""
    first, names = experiment.natural.first, {factor.name for factor in factors}
    if first is None and experiment.pinned is not None and "completion" in names:
        first = experiment.pinned.first
    if first is None:
        return Verdict(
            finding, "unprobed", "two plain runs agree, and no factor was released", checks=("natural-pair",)
        )
    kinds = {kind for factor in factors for kind in factor.kinds}
    lines = set(lines_of(finding))
    source = next((e for e in first.sources if e.kind in kinds and e.place and line_at(e.place) in lines), None)
    at_place = first.place and line_at(first.place) in lines
    if source is None and not at_place and not experiment.residual:
        return Verdict(
            finding, "unprobed", "two plain runs part elsewhere, and no factor was released", checks=("natural-pair",)
        )
    if source is None and not at_place and "completion" not in names:
        return Verdict(
            finding, "confounded", "two runs differ for another reason, with everything held that can be held"
        )
    factor = (
        "schedule" if experiment.residual else next((f.name for f in factors if source and source.kind in f.kinds), "")
    )
    plain = first is experiment.natural.first
    said = "two plain runs part here" if plain else "two runs part though everything is held that can be held"
    return Verdict(finding, "confirmed", said, factor, source, first, ("natural-pair" if plain else "pinned-pair",))


def _unexplained(experiment: Experiment, verdicts: tuple[Verdict, ...]) -> Iterator[Unexplained]:
    confirmed = {verdict.factor for verdict in verdicts if verdict.verdict in CONFIRMING}
    changing = experiment.changing()
    for item in changing:
        if item.factor.name not in confirmed and item.divergence is not None:
            place = _blamed(item.factor, item.divergence)
            yield Unexplained(
                item.factor.name,
                item.factor.title,
                place,
                item.divergence,
                (item.run,),
                not (item.factor.told or _is_printed_time(item)),
            )
    first = experiment.natural.first
    if experiment.pinned is not None and experiment.pinned.first is not None and not confirmed:
        parted = experiment.pinned.first
        yield Unexplained("schedule", "the schedule, or what is not held,", parted.place, parted, ("pinned-pair",))
    elif _differs(experiment) and first is not None and not confirmed and all(item.factor.told for item in changing):
        # What is held delays tasks, and so may keep them in an order that they do not keep by themselves.
        scheduled = bool(experiment.record.ledger.facts.get("tasks"))
        title = "the schedule, or what is not held," if scheduled else "none of the factors that were tried"
        yield Unexplained("schedule" if scheduled else "", title, first.place, first, ("natural-pair",))


def _blamed(factor: Factor, divergence: Divergence) -> str:
    """The line at which a factor's source was asked, or else the line at which the runs part."""
    asked = (event.place for event in divergence.sources if event.kind in factor.kinds and event.place)
    return next(asked, divergence.place)

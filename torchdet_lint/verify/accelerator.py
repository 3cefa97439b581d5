"""Checks on an accelerator: further runs of the sample, each of which watches for one thing that a CPU cannot show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from torchdet_lint.finding import Finding
from torchdet_lint.verify.compare import Divergence, compare
from torchdet_lint.verify.experiment import Execute, Experiment, Tell
from torchdet_lint.verify.factors import Setting, pinned
from torchdet_lint.verify.record import Record, Stream
from torchdet_lint.verify.running import Run

REPEATS = 3
"""How often each operation is run again."""


class Check(NamedTuple):
    """Pins besides those of a pinned run, and the kind of event (see `rt.device`) that shows something, if it is one."""

    name: str
    pins: Mapping[str, int]
    kind: str = ""


REPLAY = Check("operation-replay", {"replay": REPEATS}, "AGAIN")
ALERTS = Check("strict-alerts", {"strict": 1})
RACES = Check("copy-race", {"races": 1}, "RACE")
HELD = Check("held-pair", {})
CONVOLUTIONS = Check("convolution-pairs", {"cudnn": 0})
PRECISION = Check("reduced-precision", {"precision": 0})


class Question(NamedTuple):
    """What a rule's findings ask of the runs: the checks, and the parts of operation names that speak for them wherever they run;
    without any, only what runs on the finding's own lines does.
    """

    codes: str
    checks: tuple[Check, ...]
    anywhere: tuple[str, ...] = ()


_ALL = ("",)
_RECURRENT = ("lstm", "gru", "rnn")

QUESTIONS = (
    Question("TDL201", (CONVOLUTIONS,)),
    Question("TDL202", (CONVOLUTIONS,)),
    Question("TDL203", (REPLAY, ALERTS), _ALL),
    Question("TDL204", (REPLAY, ALERTS), _ALL),
    Question("TDL205", (ALERTS,), ("CuBLAS",)),
    Question("TDL208", (REPLAY, ALERTS), _ALL),
    Question("TDL209", (PRECISION,)),
    Question("TDL302", (REPLAY,), ("attention",)),
    Question("TDL303", (REPLAY,), ("attention",)),
    Question("TDL3", (REPLAY,)),
    Question("TDL401", (REPLAY, ALERTS)),
    Question("TDL402", (REPLAY, ALERTS)),
    Question("TDL403", (REPLAY, ALERTS), (*_RECURRENT, "CuBLAS")),
    Question("TDL4", (REPLAY,)),
    Question("TDL503", (RACES,)),
)
"""The first whose code a finding's begins with. A rule without one (TDL207: compiled regions are opaque) stays `needs-cuda`."""


class Sight(NamedTuple):
    """One thing that a check has seen: the operation, the user lines that it belongs to (`path:line:function`), and how often."""

    check: str
    operation: str
    places: tuple[str, ...]
    times: int
    said: str


@dataclass(frozen=True)
class Seen:
    """What the checks have shown. `steadied`: two runs that part with all factors held do not with cuDNN held too; None where
    that was not asked, or two runs do not part. `precision`: where runs of full and of reduced precision part. `replayed` counts
    operations.
    """

    checks: frozenset[str]
    sights: tuple[Sight, ...] = ()
    replayed: int = 0
    steadied: bool | None = None
    precision: Divergence | None = None


def question(finding: Finding) -> Question | None:
    """What a finding asks."""
    return next((each for each in QUESTIONS if finding.code.startswith(each.codes)), None)


def is_on(record: Record, accelerator: str) -> bool:
    """Whether operations of a run were on the accelerator."""
    return bool(record.ledger.facts.get("device", "cpu") == accelerator)


def perform(
    execute: Execute, experiment: Experiment, findings: Iterable[Finding], accelerator: str, tell: Tell
) -> Experiment:
    """The experiment with the checks that its accelerator and the findings ask for; as it is, where the sample ran on none."""
    if not is_on(experiment.record, accelerator):
        return experiment
    asked = {check.name for finding in findings if (found := question(finding)) is not None for check in found.checks}
    runs: list[Run] = []

    def run(check: Check, number: int = 1, **pins: int) -> Record:
        setting = _setting(check, number, pins)
        tell(setting.name, len(experiment.runs) + len(runs), len(experiment.runs) + len(runs) + 1)
        done = execute(setting)
        runs.append(replace(done, record=done.record.ends()))
        return done.record

    watching = [REPLAY, ALERTS, *([RACES] if RACES.name in asked else [])]
    sights: list[Sight] = []
    replayed = 0
    for check in watching:
        record = run(check)
        sights += _alerts(record) if check is ALERTS else _sights(record, check)
        replayed += int(record.ledger.facts.get("replayed", 0))
    seen = Seen(frozenset(check.name for check in watching), tuple(sights), replayed)
    if CONVOLUTIONS.name in asked:
        plain = experiment.pinned or compare(run(HELD), run(HELD, 2))
        steady = not compare(run(CONVOLUTIONS), run(CONVOLUTIONS, 2)).differ if plain.differ else None
        seen = replace(seen, checks=seen.checks | {CONVOLUTIONS.name}, steadied=steady)
    if PRECISION.name in asked:
        parted = compare(run(PRECISION), run(PRECISION, 2, precision=1)).first
        seen = replace(seen, checks=seen.checks | {PRECISION.name}, precision=parted)
    return replace(experiment, runs=(*experiment.runs, *runs), seen=seen)


def _setting(check: Check, number: int, pins: Mapping[str, int]) -> Setting:
    held = pinned(f"{check.name}-{number}")
    return replace(held, pins={**held.pins, **check.pins, **pins})


def _alerts(record: Record) -> list[Sight]:
    """What deterministic mode has to say, of which lines."""
    return [
        Sight(ALERTS.name, what, (place,) if place else (), count, "") for what, place, count in record.ledger.alerts
    ]


def _sights(record: Record, check: Check) -> list[Sight]:
    """What the streams of a run say, added up by operation and place."""
    found: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for stream in record.streams.values():
        for operation, places, said in _events(stream, check.kind):
            found.setdefault((operation, places), []).append(said)
    return [Sight(check.name, name, places, len(said), said[0]) for (name, places), said in found.items()]


def _events(stream: Stream, kind: str) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Events of a kind with their lines. A replay stands behind its operation's event, and has the lines of that."""
    for index, event in enumerate(stream.events):
        if event.kind == kind:
            own = (one for one in reversed(stream.events[:index]) if one.name == event.name)
            before = next(own, event) if kind == REPLAY.kind else event
            places = (event.place, before.place, before.forward)
            yield event.name, tuple(dict.fromkeys(filter(None, places))), event.digest

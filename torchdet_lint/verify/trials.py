"""Runs that ask the opposite question: what should change when something else does, and what should not.

Another seed should change the result; a part that is left out should change nothing of the rest; a program that resumes should
go on as if it had never been stopped; and the deterministic mode should have nothing to warn of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from torchdet_lint.finding import Finding
from torchdet_lint.verify.compare import Divergence, compare
from torchdet_lint.verify.difference import apart
from torchdet_lint.verify.factors import PINS, Setting, pinned
from torchdet_lint.verify.record import Event, Record
from torchdet_lint.verify.running import Run

_OPTION = re.compile(r"`(--[\w-]*seed[\w-]*)`")
_OTHER_SEED = "54321"


@dataclass(frozen=True)
class Wanted:
    """Which trials are asked for. `seed` is an option of the program that takes a seed, with another seed, or empty for seeds
    that it chooses itself; `without` a pattern of function names; `resume` the arguments with which the program goes on.
    """

    inverse: bool = False
    seed: tuple[str, ...] = ()
    without: str = ""
    resume: tuple[str, ...] = ()
    strict: bool = False
    shift: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the trials."""
        asked = (
            ("seed", self.inverse),
            ("without", self.without),
            ("resume", self.resume),
            ("strict", self.strict),
            ("shift", self.shift),
        )
        return tuple(name for name, wanted in asked if wanted)


NO_TRIALS = Wanted()

STREAMS = ("TDL101", "TDL103")
"""Rules about draws that share the global stream of torch."""


@dataclass(frozen=True)
class Tried:
    """What a trial showed. `holds`: as it should be; None where the trial says nothing, for the reason in `detail`. `alerts` are
    operations without a deterministic kernel, with places and counts; `moved` are draws that are others when one more has been
    drawn before, with their places and those where the loaders were made for which they are drawn.
    """

    name: str
    holds: bool | None
    detail: str
    divergence: Divergence | None = None
    alerts: tuple[tuple[str, str, int], ...] = field(default=())
    moved: tuple[tuple[str, str, str], ...] = ()


def wanted(
    findings: Sequence[Finding], command: Sequence[str], chosen: bool, without: str, resume: Sequence[str]
) -> Wanted:
    """The trials that findings and options ask for: another seed where numbers are said to be frozen or a seed to be dead, the
    deterministic mode where an operation is said to lack a kernel. `chosen`: factors are released at all.
    """
    codes = {finding.code for finding in findings}
    options = [match for finding in findings if finding.code == "TDL011" for match in _OPTION.findall(finding.message)]
    given = next((word.partition("=")[0] for word in command if re.fullmatch(r"--[\w-]*seed(=.*)?", word)), "")
    option = next(iter(options), given)
    frozen = any(finding.effect == "frozen" for finding in findings)
    return Wanted(
        inverse=chosen and bool(option or frozen or "TDL011" in codes),
        seed=(option, _OTHER_SEED) if option else (),
        without=without,
        resume=tuple(resume),
        shift=chosen and any(each.effect == "stream" and each.code in STREAMS for each in findings),
        strict=chosen and any(code.startswith(("TDL203", "TDL204", "TDL208", "TDL4")) for code in codes),
    )


def tried(run: Callable[[Setting], Run], base: Record, what: Wanted, residual: bool) -> Iterator[Tried]:
    """Performs the trials beside a pinned run. Two runs that differ with everything held (`residual`) can only tell alerts."""
    if what.strict:
        yield _strict(run(Setting("strict-1", {"strict": 1})).record)
    trials = (
        ("shift", what.shift, _shift),
        ("seed", what.inverse, _seed),
        ("without", what.without, _without),
        ("resume", what.resume, _resume),
    )
    for name, asked, trial in trials:
        if asked and residual:
            yield Tried(name, None, "two runs differ with everything held, so this says nothing")
        elif asked:
            yield trial(run, base, what)


def _strict(record: Record) -> Tried:
    alerts = record.ledger.alerts
    said = f"{len(alerts)} operations have no deterministic kernel here" if alerts else "no operation raised an alert"
    return Tried("strict", not alerts, said, alerts=alerts)


def _seed(run: Callable[[Setting], Run], base: Record, what: Wanted) -> Tried:
    if what.seed:
        parted = compare(base, run(replace(pinned("seed-1"), more=what.seed)).record).first
        said = " ".join(what.seed)
        return Tried("seed", parted is not None, f"`{said}` changes {'the result' if parted else 'nothing'}", parted)
    drawn = {draw.generator for draw in base.ledger.draws if draw.place and draw.seeded}
    if not drawn & {"torch", "numpy", "python"}:
        return Tried("seed", None, "nothing is drawn from a global generator that the program has seeded")
    parted = compare(base, run(replace(pinned("seed-1"), pins={**PINS, "seed": 1})).record).first
    return Tried("seed", parted is not None, f"other seeds change {'the result' if parted else 'nothing'}", parted)


def _shift(run: Callable[[Setting], Run], base: Record, _what: Wanted) -> Tried:
    """One number more is drawn from torch's global generator, right after each time that the program seeds it."""
    if not any(draw.generator == "torch" and draw.place and draw.seeded for draw in base.ledger.draws):
        return Tried("shift", None, "nothing is drawn from torch's global generator after the program has seeded it")
    ones, others = _draws(base), _draws(run(replace(pinned("shift-1"), pins={**PINS, "shift": 1})).record)
    moved = tuple(sorted(key for key, states in ones.items() if others.get(key) != states))
    lines = len({place for _, place, _ in moved})
    said = f"one number more before them moves the draws of {lines} line{'' if lines == 1 else 's'}"
    return Tried("shift", not moved, said, moved=moved)


def _draws(record: Record) -> dict[tuple[str, str, str], list[str]]:
    """The states from which main threads draw, by operation, place, and where the loader was made that draws an order."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for stream in record.streams.values():
        for event in stream.events if stream.main else ():
            if event.kind == "RNG" and event.place:
                found.setdefault((event.name, event.place, event.forward), []).append(event.digest)
    return found


def _without(run: Callable[[Setting], Run], base: Record, what: Wanted) -> Tried:
    """Both runs leave the part out of the record; in one of them its draws are undone."""
    setting = replace(pinned("with-1"), without=what.without)
    left = run(setting).record
    if not left.ledger.facts.get("left-out"):
        return Tried("without", None, f"no function of the main thread matches `{what.without}`")
    right = run(replace(setting, name="without-1", pins={**PINS, "restore": 1})).record
    parted = compare(left, right).first
    said = "draws from generators that the rest uses" if parted else "changes nothing of the rest"
    return Tried("without", parted is None, f"`{what.without}` {said}", parted)


def _resume(run: Callable[[Setting], Run], base: Record, what: Wanted) -> Tried:
    at = base.ledger.facts.get("saved-at")
    if not isinstance(at, int) or at >= base.steps:
        return _resume_inside(run, base, what)
    run(replace(pinned("stopped-1"), until_saved=True))
    rest = run(replace(pinned("resumed-1"), more=what.resume, goes_on=True))
    if not rest.record.steps:
        return Tried("resume", None, "the program took no step with --resume-args")
    return _gone_on(resumed(base, rest.record, at))


def _resume_inside(run: Callable[[Setting], Run], base: Record, what: Wanted) -> Tried:
    """A program that saves at its end only: with these arguments it may stop, load what it has saved and go on by itself."""
    rest = run(replace(pinned("resumed-1"), more=what.resume)).record
    if rest.steps != base.steps or _saves(rest) <= max(_saves(base), 1):
        why = "no `torch.save` was seen between two of the sample's steps, with --resume-args neither; `--steps` makes it longer"
        return Tried("resume", None, why)
    return _gone_on(resumed(base, rest, 0))


def _saves(record: Record) -> int:
    return int(record.ledger.facts.get("saves", 0))


def _gone_on(parted: Divergence | None) -> Tried:
    said = "the resumed run goes on as the uninterrupted one" if parted is None else "the resumed run goes another way"
    return Tried("resume", parted is None, said, parted)


def resumed(whole: Record, rest: Record, at: int) -> Divergence | None:
    """Where a run that goes on after step `at` first differs from the whole run, in the first rank that does."""
    names = sorted(name for name, stream in whole.streams.items() if stream.main)
    return next(filter(None, (_resumed(name, whole, rest, at) for name in names)), None)


def _resumed(rank: str, whole: Record, rest: Record, at: int) -> Divergence | None:
    """Steps are laid beside each other from their ends, since the first one of the run that goes on begins with all that a start
    needs.
    """
    ones, others = _steps(whole, rank)[at:], _steps(rest, rank)
    for step, (one, other) in enumerate(zip(ones, others, strict=False), at):
        pairs = []
        for left, right in zip(reversed(one), reversed(other), strict=False):
            if left.same_as[:3] != right.same_as[:3]:
                break
            pairs.append((left, right))
        for left, right in reversed(pairs):
            if (
                left.kind == "STEP"
                and left.values != right.values
                or left.kind != "STEP"
                and left.digest != right.digest
            ):
                distance = apart(left.values, right.values)
                return Divergence(rank, 0, step, left, right, (), distance, lasting=True)
    return None


def _steps(record: Record, rank: str) -> list[list[Event]]:
    """The effects of a rank, by optimizer steps; what follows the last step is no whole step. All are one step where none is
    taken.
    """
    stream, found, now = record.streams.get(rank), [], []
    for _, event in stream.effects if stream else ():
        now.append(event)
        if event.kind == "STEP":
            found.append(now)
            now = []
    return found or [now]

"""Which runs are needed, in which order, and what each factor's release shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from torchdet_lint.verify.compare import Comparison, Divergence, compare
from torchdet_lint.verify.factors import (
    BY_LINE,
    BY_NAME,
    SCREENED,
    Factor,
    Setting,
    asked_for,
    natural,
    pinned,
    released,
)
from torchdet_lint.verify.record import Record
from torchdet_lint.verify.running import Run
from torchdet_lint.verify.trials import NO_TRIALS, Tried, Wanted, tried

if TYPE_CHECKING:
    from torchdet_lint.verify.accelerator import Seen

Execute = Callable[[Setting], Run]
"""Runs the sample in a setting."""

Tell = Callable[[str, int, int], None]
"""Progress: what runs now, the number of runs done, and how many there will be at most."""


_MOST_LINES = 4
"""Lines that ask for one source; where there are more, they are not taken one by one."""


class ProgramFailed(Exception):
    """The program failed by itself in its first run."""

    def __init__(self, run: Run) -> None:
        super().__init__("the program failed")
        self.run = run


class NothingToCompare(Exception):
    """The first run left nothing that could be compared; the text says why, in one line."""


@dataclass(frozen=True)
class Shown:
    """What releasing a factor showed: `no-effect`, `changes`, `confounded` (with addresses), `not-asked` (the program never asks
    for it) or `not-run`. Where several lines ask, `alone` says what releasing it on each of them (`path:line`) alone changes.
    """

    factor: Factor
    status: str
    divergence: Divergence | None = None
    run: str = ""
    alone: Mapping[str, Divergence | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Experiment:
    """All runs and what they show. `pinned` is None where the pinned pair was not run, `seen` where no accelerator was used."""

    runs: tuple[Run, ...]
    natural: Comparison
    pinned: Comparison | None
    shown: Mapping[str, Shown]
    tried: tuple[Tried, ...] = ()
    seen: Seen | None = None

    @property
    def record(self) -> Record:
        """The record of the first natural run."""
        return self.runs[0].record

    @property
    def residual(self) -> bool:
        """Whether two runs differ although everything is held: the schedule, or something that no factor holds."""
        return self.pinned is not None and self.pinned.differ

    def changing(self) -> tuple[Shown, ...]:
        """The factors whose release changes an effect."""
        return tuple(shown for shown in self.shown.values() if shown.status == "changes")


def perform(
    execute: Execute, chosen: frozenset[str], suspected: frozenset[str], tell: Tell, trials: Wanted = NO_TRIALS
) -> Experiment:
    """Runs the natural pair, the pinned pair, the releases of the chosen factors, and the trials. Factors that findings
    suspect are released even where the program seems not to ask for them. Raises ProgramFailed and NothingToCompare.
    """
    lab = _Lab(execute, tell, total=4 + len(chosen) + len(trials.names))
    first = lab.run(natural("natural-1"))
    _check(first)
    parted = compare(first.record, lab.run(natural("natural-2")).record)
    factors = [factor for name, factor in BY_NAME.items() if name in chosen]
    shown = {factor.name: Shown(factor, "not-run") for factor in BY_NAME.values()}
    if first.outcome.stopped == "time" or not (factors or trials.names):  # further runs would take as long
        return Experiment(tuple(lab.runs), parted, None, shown)
    base = lab.run(pinned("pinned-1")).record
    held = compare(base, lab.run(pinned("pinned-2")).record)
    if not held.differ:
        needed = [factor for factor in factors if asked_for(factor, first.record.ledger) or factor.name in suspected]
        shown.update({factor.name: Shown(factor, "not-asked") for factor in factors if factor not in needed})
        released = {item.factor.name: item for item in _release(lab, base, needed)}
        if first.record.ledger.facts.get("tasks") and _looks_scheduled(released):
            held = _held_again(lab, base)
        shown.update(released if not held.differ else {})
    found = tuple(tried(lab.run, base, trials, held.differ))
    return Experiment(tuple(lab.runs), parted, held, _confounded(shown), found)


class _Lab:
    """Runs things and keeps what came of them."""

    def __init__(self, execute: Execute, tell: Tell, total: int) -> None:
        self._execute = execute
        self._tell = tell
        self._total = total
        self.runs: list[Run] = []

    def run(self, setting: Setting) -> Run:
        self._tell(setting.name, len(self.runs), max(self._total, len(self.runs) + 1))
        run = self._execute(setting)
        # Only what the first run recorded is needed later; a record may have hundreds of thousands of events.
        self.runs.append(replace(run, record=run.record.ends()) if self.runs else run)
        return run

    def against(
        self, base: Record, factors: tuple[Factor, ...], variants: Iterable[int]
    ) -> tuple[Divergence | None, int]:
        """The first difference that a release makes in one of these variants, and which one it was."""
        for variant in variants:
            found = compare(base, self.run(released(factors, variant)).record).first
            if found is not None:
                return found, variant
        return None, 0


def _release(lab: _Lab, base: Record, waiting: list[Factor]) -> Iterator[Shown]:
    """Releases factors: traceless ones together first, then one by one whatever that leaves open."""
    together = tuple(factor for factor in waiting if factor.name in SCREENED)
    parted, first = lab.against(base, together, _all(together)) if len(together) > 1 else (None, -1)
    for factor in waiting:
        variants = _all((factor,))
        if factor in together and first >= 0:
            if parted is None:
                yield Shown(factor, "no-effect")
                continue
            if factor.name != "address":  # of which all variants are needed, to know what is confounded
                variants = range(min(first, factor.variants - 1), factor.variants)[:1]
        divergence, variant = lab.against(base, (factor,), variants)
        if divergence is not None and factor.name == "memory" and not divergence.lasting:
            divergence = None  # read, and then masked out or overwritten: it reached nothing
        if divergence is None:
            yield Shown(factor, "no-effect")
        else:
            alone = _alone(lab, base, factor, variant)
            yield Shown(factor, "changes", divergence, f"{factor.name}-{variant + 1}", alone)


_TRACELESS = frozenset(SCREENED) - {"completion", "cwd"}
_AGAIN = 3
"""Pinned runs that are made once more where tasks may have finished in another order by chance."""


def _looks_scheduled(released: Mapping[str, Shown]) -> bool:
    """Whether a factor that leaves no trace itself changes something. The order in which tasks finish is held by delays, and a
    busy machine may break it in any run.
    """
    return any(item.status == "changes" and name in _TRACELESS for name, item in released.items())


def _held_again(lab: _Lab, base: Record) -> Comparison:
    """The first of further pinned runs that differs, or the last."""
    found = Comparison()
    for number in range(3, 3 + _AGAIN):
        found = compare(base, lab.run(pinned(f"pinned-{number}")).record)
        if found.differ:
            break
    return found


def _alone(lab: _Lab, base: Record, factor: Factor, variant: int) -> dict[str, Divergence | None]:
    """What a factor changes when it is released on one line alone, for each of a few lines that ask for it."""
    asked = {
        place.rpartition(":")[0]
        for kind, _, place, _ in lab.runs[0].record.ledger.asked
        if kind in factor.kinds and place
    }
    if factor.name not in BY_LINE or not 1 < len(asked) <= _MOST_LINES:
        return {}
    found = {}
    for number, line in enumerate(sorted(asked), 1):
        setting = released((factor,), variant)
        alone = replace(setting, name=f"{setting.name}-line-{number}", only=(line,))
        found[line] = compare(base, lab.run(alone).record).first
    return found


def _all(factors: tuple[Factor, ...]) -> range:
    """The variants of factors that are released together."""
    return range(max((factor.variants for factor in factors), default=0))


def _confounded(shown: Mapping[str, Shown]) -> Mapping[str, Shown]:
    """Every change moves the heap: a factor that first makes a difference where other addresses do so may be innocent."""
    address = shown["address"].divergence
    if address is None:
        return shown
    return {name: _judged(item, address) for name, item in shown.items()}


def _judged(item: Shown, address: Divergence) -> Shown:
    divergence = item.divergence
    if item.factor.name == "address" or divergence is None or divergence.place != address.place:
        return item
    return replace(item, status="confounded")


def _check(run: Run) -> None:
    record, outcome = run.record, run.outcome
    if not record.processes:
        raise NothingToCompare(
            "not instrumented: the command started no Python that reads PYTHONPATH (`-E`, `-I` and `-S` keep it from doing so)"
        )
    if outcome.stopped and not record.effects:
        why = "; ".join(outcome.notes) or f"it was stopped: {outcome.stopped}"
        raise NothingToCompare(f"the program reached no operation of torch; {why}")
    if outcome.status not in (0, None) and not record.stopped:
        raise ProgramFailed(run)
    if not record.effects:
        raise NothingToCompare(_empty(record))


def _empty(record: Record) -> str:
    if "torch" not in record.ledger.facts:
        return "the program never imported torch: there is nothing to compare"
    return "the program ended before it reached an operation of torch: there is nothing to compare"


def failures(runs: tuple[Run, ...]) -> Iterator[str]:
    """What went wrong in runs after the first, one line each, and what was not tried for that."""
    if runs[0].outcome.stopped == "time":
        yield "each run would take that long, so no factors were released; --seconds shortens the sample"
    for run in runs[1:]:
        if run.outcome.stopped:
            yield f"run {run.setting.name} was stopped: {run.outcome.stopped}"
        elif run.outcome.status not in (0, None) and not run.record.stopped:
            yield f"run {run.setting.name} ended with status {run.outcome.status}"

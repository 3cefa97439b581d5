"""CPU seconds and memory of whole processes, and what pairs of them say. Needs `os.wait4`: Linux or macOS."""

from __future__ import annotations

import os
import resource
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

HEAVY_SECONDS = 20.0
"""A contender that takes longer is run once: no noise matters to a ratio of a hundred, and the whole must end."""

LIMIT_SECONDS = 1800


class Sample(NamedTuple):
    """One run: CPU seconds (user and system) with all descendants, peak resident bytes of the largest process, wall seconds."""

    cpu: float
    peak: int
    wall: float


class Failed(Exception):
    """A command that did not do its work; the text is one line for people."""


@dataclass(frozen=True)
class Contender:
    """A command to measure. `fine` are the exit statuses of a run that did its work; `once`: one round is enough.

    It runs in the folder `cwd` (an empty one of its own where that is None), and `before` is done before each run, unmeasured.
    """

    name: str
    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    fine: frozenset[int] = frozenset((0,))
    once: bool = False
    cwd: str | None = None
    before: Callable[[], object] | None = None


@dataclass
class Outcome:
    """The samples of a contender, by round, or why there are none."""

    samples: list[Sample] = field(default_factory=list)
    reason: str = ""

    @property
    def cpu(self) -> float:
        return median([sample.cpu for sample in self.samples])

    @property
    def peak(self) -> int:
        return max((sample.peak for sample in self.samples), default=0)


def median(values: Sequence[float]) -> float:
    """The median; NaN of nothing."""
    return statistics.median(values) if values else float("nan")


def ratio(ours: Outcome, theirs: Outcome) -> float:
    """The median over rounds of our CPU time by theirs in the same round; NaN where nothing can be compared."""
    pairs = zip(ours.samples, theirs.samples, strict=False)  # whoever was stopped after a round has fewer
    return median([mine.cpu / other.cpu for mine, other in pairs if other.cpu > 0])


def compete(contenders: Sequence[Contender], rounds: int) -> dict[str, Outcome]:
    """Runs everyone in turn, `rounds` times, so that whatever slows the machine slows them alike."""
    outcomes = {contender.name: Outcome() for contender in contenders}
    for number in range(rounds):
        for contender in contenders:
            outcome = outcomes[contender.name]
            if outcome.reason or (number and _once(contender, outcome)):
                continue
            try:
                outcome.samples.append(run(contender))
            except Failed as error:
                outcome.reason = str(error)
                outcome.samples.clear()
    return outcomes


def _once(contender: Contender, outcome: Outcome) -> bool:
    return contender.once or (contender.name != "torchdet-lint" and outcome.cpu > HEAVY_SECONDS)


def run(contender: Contender, limit: float = LIMIT_SECONDS) -> Sample:
    """One run. Raises Failed when it cannot be started, takes too long, or ends in trouble.

    On Linux a process starts with its parent's peak as its own, so this one should not grow large.
    """
    if contender.before is not None:
        contender.before()
    with tempfile.TemporaryFile() as errors, tempfile.TemporaryDirectory() as empty:
        started = time.monotonic()
        try:
            process = subprocess.Popen(
                contender.command,
                cwd=contender.cwd or empty,
                env={**_plain_environment(), **contender.env},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
            )
        except OSError as error:
            raise Failed(f"cannot be started: {error.strerror or error}") from None
        usage = _wait(process, started + limit)
        wall = time.monotonic() - started
        if process.returncode not in contender.fine:
            errors.seek(0)
            said = errors.read()[-2000:].decode(errors="replace").strip().splitlines()
            if wall > limit:
                raise Failed(f"took more than {limit:.0f} s")
            raise Failed(": ".join([f"ended with status {process.returncode}", *(line[:120] for line in said[-1:])]))
    peak = usage.ru_maxrss * (1 if os.uname().sysname == "Darwin" else 1024)
    return Sample(usage.ru_utime + usage.ru_stime, peak, wall)


def _plain_environment() -> dict[str, str]:
    """The environment without what steers Python: where it may not keep compiled modules, every start compiles them again."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def _wait(process: subprocess.Popen[bytes], deadline: float) -> resource.struct_rusage:
    """Waits for the process, which has its own group, and ends the group when it is late."""
    killed = False
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage
        if time.monotonic() > deadline and not killed:
            os.killpg(process.pid, signal.SIGKILL)
            killed = True
        time.sleep(0.005)

"""Trials run in fresh processes, in the box."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from torchdet_lint.finding import Evidence
from torchdet_lint.verify.box import Outcome, StartError, run_boxed
from torchdet_lint.verify.probe.evidence import Seen, Trial, Unprobed, unprobed
from torchdet_lint.verify.probe.program import MARK, program

_STARTING = 120.0
_EACH = 20.0
"""Seconds for the start of a process (torch may be slow to import), and for each trial."""

_APART = 1.1
"""Seconds between two processes: clocks are often read in whole seconds."""

_LEFT_OUT = ("PYTHONPATH", "PYTHONSTARTUP", "PYTHONHASHSEED", "PYTHONINSPECT", "TORCH_LOGS", "CUBLAS_WORKSPACE_CONFIG")
"""Variables that would bring code of the user's into a probe, or settings that it is about."""

_MOST_SAID = 1 << 28
"""Bytes of reports: none may be lost, however many there are."""

_SETTINGS = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""Probes compute next to nothing; threads that wait for each other only cost time."""


class _Report(NamedTuple):
    seen: Seen
    torch: str


def judge_all(trials: Sequence[Trial], python: str, progress: Callable[[int, int], None]) -> list[Evidence]:
    """The evidence of each trial, on the torch that the interpreter `python` imports.

    Every trial runs in two processes that share nothing, not even the salt of hashes. One that ends its process costs itself.
    """
    with tempfile.TemporaryDirectory(prefix="tdl-") as folder:
        path = os.path.join(folder, "probes.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(program(trials))
        one = _run_all(len(trials), [python, path], folder, "1", lambda done: progress(done, 2 * len(trials)))
        time.sleep(_APART)
        other = _run_all(
            len(trials), [python, path], folder, "2", lambda done: progress(len(trials) + done, 2 * len(trials))
        )
    return [_judge(trial, one[number], other[number]) for number, trial in enumerate(trials)]


def _run_all(
    count: int, command: list[str], folder: str, salt: str, progress: Callable[[int], None]
) -> Mapping[int, _Report]:
    """What each trial saw; a process that dies is followed by one for the trials after the one that it died in."""
    reports: dict[int, _Report] = {}
    todo = list(range(count))
    progress(0)
    env = {name: value for name, value in os.environ.items() if name not in _LEFT_OUT}
    while todo:
        try:
            outcome = run_boxed(
                [*command, *map(str, todo)],
                cwd=folder,
                env={**env, **_SETTINGS, "PYTHONHASHSEED": salt},
                seconds=_STARTING + _EACH * len(todo),
                output_limit=_MOST_SAID,
            )
        except StartError as error:
            return dict.fromkeys(range(count), _Report({"error": str(error)}, ""))
        for line in outcome.stdout.split("\n"):
            if line.startswith(MARK):
                number, torch, seen = json.loads(line[len(MARK) :])
                reports[number] = _Report(seen, torch)
        lost = next((number for number in todo if number not in reports), None)
        if lost is None:
            break
        reports[lost] = _Report({"error": _end(outcome)}, "")
        todo = [number for number in todo if number > lost]
        progress(len(reports))
    return reports


def _end(outcome: Outcome) -> str:
    """How a process ended that did not report a trial."""
    if outcome.stopped:
        return outcome.notes[0] if outcome.notes else outcome.stopped
    lines = outcome.stderr.strip().splitlines()
    return lines[-1] if lines else f"the process ended with status {outcome.status}"


def _judge(trial: Trial, one: _Report, other: _Report) -> Evidence:
    for seen in (one.seen, other.seen):
        if "missing" in seen:
            return unprobed(f"the interpreter has no {seen['missing']}: {seen['why']}")
        if "error" in seen:
            return unprobed(f"the probe failed: {seen['error']}")
    try:
        found = trial.judge(one.seen, other.seen)
    except Unprobed as reason:
        return unprobed(str(reason))
    text = f"{found.text} (torch {one.torch})" if "torch" in trial.modules else found.text
    return Evidence(found.verdict, text, found.factor, found.check)

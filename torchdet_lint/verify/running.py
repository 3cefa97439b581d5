"""One run of the user's command under the recorder, in a working copy of its folder."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from torchdet_lint.verify.box import Outcome, run_boxed, scratch_copy
from torchdet_lint.verify.factors import Setting
from torchdet_lint.verify.record import Record, read
from torchdet_lint.verify.rt.orders import VARIABLE, Orders

_INJECT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "rt", "inject")

_STARTING = 120.0
"""Seconds that a program may take before and after the seconds of its sample: imports, data, workers that end."""


@dataclass(frozen=True)
class Sample:
    """What is run, and how far.

    `folder` is the user's working directory, `base` a folder of ours for copies and, unless `records` names another, for records.
    `lines` are those of which is asked whether they run, `accelerator` the kind of device that has checks of its own.
    """

    command: tuple[str, ...]
    folder: str
    base: str
    steps: int = 20
    ops: int = 200_000
    seconds: float = 120.0
    lines: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    records: str = ""
    accelerator: str = "cuda"


def by_path(lines: Iterable[tuple[str, int]]) -> Mapping[str, tuple[int, ...]]:
    """Lines by their files."""
    found: dict[str, set[int]] = {}
    for path, line in lines:
        found.setdefault(path, set()).add(line)
    return {path: tuple(sorted(wanted)) for path, wanted in found.items()}


@dataclass(frozen=True)
class Run:
    """One run: its setting, what became of the process, and its record."""

    setting: Setting
    outcome: Outcome
    record: Record
    folder: str


def execute(sample: Sample, setting: Setting) -> Run:
    """Runs the sample once in a fresh copy. All runs but those `elsewhere` see the same path. Raises OSError and RecordError."""
    place = (
        os.path.join(sample.base, "somewhere", "else", "altogether")
        if setting.elsewhere
        else os.path.join(sample.base, "run")
    )
    record = os.path.join(sample.records or os.path.join(sample.base, "records"), setting.name)
    shutil.rmtree(record, ignore_errors=True)
    os.makedirs(record)
    copy = _left(sample) if setting.goes_on else _fresh(sample, place)
    orders = Orders(
        folder=record,
        roots=(copy, sample.folder),
        steps=sample.steps,
        ops=sample.ops,
        seconds=sample.seconds,
        pins=setting.pins,
        only=setting.only,
        lines={} if setting.pins else sample.lines,
        without=setting.without,
        until_saved=setting.until_saved,
        accelerator=sample.accelerator,
    )
    outcome = run_boxed(
        (*(_still() if setting.still else ()), *sample.command, *setting.more),
        cwd=copy,
        env=_environment(orders, setting),
        seconds=sample.seconds + _STARTING,
        write_only=(copy, record),
    )
    if setting.until_saved:
        _leave(sample, copy)
    else:
        shutil.rmtree(copy, ignore_errors=True)
    found = read(record)
    if found.processes and not found.computes and outcome.status == 0 and outcome.stdout.strip():
        found = found.with_output(outcome.stdout)
    return Run(setting, outcome, found, record)


def _fresh(sample: Sample, place: str) -> str:
    """A new copy of the user's folder."""
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    return scratch_copy(sample.folder, place)


def _leave(sample: Sample, copy: str) -> None:
    """Notes which copy has been left for the run that goes on."""
    with open(os.path.join(sample.base, "left"), "w", encoding="utf-8") as file:
        file.write(copy)


def _left(sample: Sample) -> str:
    with open(os.path.join(sample.base, "left"), encoding="utf-8") as file:
        return file.read()


def _environment(orders: Orders, setting: Setting) -> dict[str, str]:
    env = {**os.environ, **setting.env, VARIABLE: orders.text()}
    inherited = env.get("PYTHONPATH")
    env["PYTHONPATH"] = _INJECT + (os.pathsep + inherited if inherited else "")
    return env


@lru_cache(maxsize=1)
def _still() -> tuple[str, ...]:
    """The command that switches address randomisation off for what it starts, where there is one and the kernel lets it."""
    tool = shutil.which("setarch")
    if tool is None:
        return ()
    command = (tool, platform.machine(), "-R")
    try:
        works = subprocess.run((*command, "true"), capture_output=True, timeout=10, check=False).returncode == 0  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return command if works else ()

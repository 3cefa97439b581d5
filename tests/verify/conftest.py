"""Programs and records for the tests of the companion."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from torchdet_lint.verify.box import Outcome
from torchdet_lint.verify.factors import Setting, natural
from torchdet_lint.verify.record import Event, Ledger, Record, Stream
from torchdet_lint.verify.running import Run, Sample, execute

needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="runs programs that import torch")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whole programs run here, several times, beside whatever else the machine does: a limit is there for what hangs."""
    for item in items:
        if item.path.parent.name == "verify" and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(600))


@pytest.fixture(autouse=True)
def lines_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who runs tests in parallel sets the width to which reports are folded."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def sample(tmp_path: Path) -> Callable[..., Sample]:
    """`sample(source, …)`: a folder with `train.py`, to be run by this Python."""

    def made(source: str, **limits: object) -> Sample:
        folder = tmp_path / "project"
        folder.mkdir()
        (folder / "pyproject.toml").touch()
        (folder / "train.py").write_text(source, encoding="utf-8")
        base = tmp_path / "base"
        base.mkdir()
        command = (sys.executable, *limits.pop("flags", ()), "train.py")  # type: ignore[misc]
        return Sample(command, str(folder), os.path.realpath(base), **limits)  # type: ignore[arg-type]

    return made


@pytest.fixture
def ran(sample: Callable[..., Sample]) -> Callable[..., Run]:
    """`ran(source, setting)`: one run of a program."""

    def run(source: str, setting: Setting | None = None, **limits: object) -> Run:
        return execute(sample(source, **limits), setting or natural("natural-1"))

    return run


def event(
    kind: str, digest: str = "1", place: str = "train.py:1:<module>", name: str = "aten.add", **more: str
) -> Event:
    """An event whose time the record gives."""
    return Event(kind, name, place, digest, more.get("forward", ""), more.get("values", ""), 0)


def stream(name: str, *events: Event, start: int = 0, end: str = "exit") -> Stream:
    """A stream with times in order."""
    ended = (*events, event("END", "", "", end)) if end else events
    return Stream(name, tuple(one._replace(time=start + number) for number, one in enumerate(ended)))


def record(*streams: Stream, ledger: Ledger | None = None, processes: int = 1) -> Record:
    """A record of these streams."""
    facts = {"torch": "2.13.0"}
    return Record({one.name: one for one in streams}, ledger or Ledger(facts=facts), processes)


def run_of(setting: Setting, what: Record, status: int | None = 0, stderr: str = "") -> Run:
    """A run that left this record."""
    return Run(setting, Outcome(status, "", "", stderr, 0.1), what, "")

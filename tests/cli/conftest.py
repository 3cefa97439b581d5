from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import torchdet_lint.engine
from torchdet_lint.card import ProgramCard
from torchdet_lint.cli import main
from torchdet_lint.engine.options import Files, Options, Programs, Progress, Result
from torchdet_lint.finding import Finding, Location

ERROR = Finding(
    "TDL001", "unseeded-torch-rng", "error", "high", "run", "never seeded", Location("a.py", 1, 1, 1, 5), "a.py"
)
WARNING = Finding(
    "TDL101", "dataloader-without-generator", "warning", "high", "run", "shuffles", Location("a.py", 2, 1, 2, 5)
)
NOTE = Finding("TDL007", "optional-seed", "note", "high", "run", "seeded on request", Location("b.py", 1, 1, 1, 5))


class Engine:
    """An engine that gives back what a test puts in, and remembers what it was asked."""

    def __init__(self) -> None:
        self.result = Result(findings=(ERROR, WARNING, NOTE), files=("a.py", "b.py"), suppressed=1, programs=1)
        self.cards: tuple[ProgramCard, ...] = ()
        self.failure: BaseException | None = None
        self.asked: Options | None = None

    def run(self, options: Options, progress: Progress) -> Result:
        self.asked = options
        progress("reading", 1, 2)
        if self.failure is not None:
            raise self.failure
        return self.result

    def files(self, options: Options) -> Files:
        self.asked = options
        return Files(self.result.files, self.result.problems)

    def programs(self, options: Options, progress: Progress) -> Programs:
        self.asked = options
        progress("reading", 1, 2)
        return Programs(self.cards, self.result.problems)

    @property
    def options(self) -> Options:
        assert self.asked is not None
        return self.asked


class Ran(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Engine:
    """A fake engine; the working directory is an empty folder."""
    fake = Engine()
    for name in ("run", "files", "programs"):
        monkeypatch.setattr(torchdet_lint.engine, name, getattr(fake, name), raising=False)
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return fake


@pytest.fixture
def lint(engine: Engine, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    def run(*args: str) -> Ran:
        status = main(args)
        return Ran(status, *capsys.readouterr())

    return run

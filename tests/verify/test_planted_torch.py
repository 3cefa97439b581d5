"""Planted faults, of which `python -m benchmarks.planted_bugs` tries many more: the right factor, at the exact line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.planted_bugs import PROGRAMS, planted, tried
from tests.verify.conftest import needs_torch
from torchdet_lint.verify.factors import BY_NAME


@pytest.mark.parametrize("path", sorted(PROGRAMS.glob("*.py")), ids=lambda path: path.stem)
def test_every_program_says_what_is_planted(path: Path) -> None:
    factor, _, line = planted(path)
    assert factor in (*BY_NAME, "schedule", "none")
    assert bool(line) == (factor != "none")


@needs_torch
@pytest.mark.parametrize("name", ["torch_ranks", "pid_worker"])
def test_a_planted_fault_is_found(name: str) -> None:
    path = PROGRAMS / f"{name}.py"
    found = tried(path, sys.executable, frozenset({planted(path)[0]}))
    assert found.exact, found

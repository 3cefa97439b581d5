"""Lines that are folded where somebody reads them, and are not where a program does."""

from __future__ import annotations

import os
import sys

import pytest

from torchdet_lint.cli.output import fitted

LONG = "  first difference: " + "word " * 30 + "end\n"


@pytest.mark.parametrize(("columns", "most"), [("72", 72), ("20", 40), ("500", 500)])
def test_columns_say_how_wide(monkeypatch: pytest.MonkeyPatch, columns: str, most: int) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    lines = "".join(fitted(["short\n\n", LONG])).splitlines()
    assert lines[:2] == ["short", ""]
    assert max(map(len, lines)) <= most
    assert " ".join(" ".join(lines[2:]).split()) == " ".join(LONG.split())
    assert {line[:5] for line in lines[3:]} <= {"    w", "    e"}


@pytest.mark.parametrize("columns", [None, "", "0", "wide"])
def test_a_pipe_gets_lines_as_they_are(monkeypatch: pytest.MonkeyPatch, columns: str | None) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    assert [*fitted(["a\n", LONG])] == ["a\n", LONG]


def test_a_terminal_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(sys.stdout, "fileno", lambda: 1)
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((60, 20)))
    assert max(map(len, "".join(fitted([LONG])).splitlines())) <= 60

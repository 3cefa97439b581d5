from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from torchdet_lint.catalog.apis import load_apis
from torchdet_lint.engine.load import Loaded, load_all
from torchdet_lint.engine.options import silent
from torchdet_lint.engine.reading import Fault, dump, read, read_ahead, syntax_fault, undump
from torchdet_lint.engine.scope import Entry
from torchdet_lint.lowering import LoweringError, lower

NOTEBOOK = json.dumps(
    {
        "cells": [
            {"cell_type": "markdown", "source": ["# x"]},
            {"cell_type": "code", "source": ["%load_ext x\n", "import torch\n", "torch.rand(2)"]},
        ],
        "metadata": {},
        "nbformat": 4,
    }
)
SOURCE = "import torch\n\n\ndef f(x):  # tdl: ignore[TDL1]\n    return torch.randperm(x)\n\n\nprint('ü')\n"


def entry(data: str | bytes, key: str = "a.py", reported: bool = True) -> Entry:
    return Entry(key, key, f"/nowhere/{key}", reported, data if isinstance(data, bytes) else data.encode())


@pytest.mark.parametrize(("key", "text"), [("a.py", SOURCE), ("n.ipynb", NOTEBOOK), ("a.py", "x = (\n"), ("a.py", "")])
def test_a_reading_survives_the_way_between_processes(key: str, text: str) -> None:
    reading = read_ahead(entry(text, key), load_apis())
    assert undump(dump(reading)) == reading


def test_nothing_is_lowered_ahead_of_a_file_that_is_not_reported() -> None:
    text = "import torch\nx = 1\ntorch.manual_seed(0)\n"
    assert read_ahead(entry(text), load_apis()).bodies
    assert not read_ahead(entry(text, reported=False), load_apis()).bodies


def test_what_is_lowered_ahead_is_what_would_be_lowered() -> None:
    reading = read_ahead(entry("import torch\nx = 1\ntorch.manual_seed(0)\n"), load_apis())
    assert list(reading.bodies) == [2]
    loaded = Loaded()
    loaded.add("a.py", reading)
    assert reading.source is not None
    for _ in range(2):  # from the store, and then anew
        assert loaded.lower(reading.source, reading.source.units[2]) == lower("torch.manual_seed(0)")


@pytest.mark.parametrize(
    ("data", "key", "fault"),
    [
        (
            b"x = '\xff'\n",
            "a.py",
            Fault("encoding", "byte 0xff is not UTF-8, and the file names no other encoding", 1, 6),
        ),
        (b"x = 1\n\0\0", "a.py", Fault("encoding", "a null character: this is no Python source text", 2, 1)),
        (b"{", "n.ipynb", None),
        (b"[1]", "n.ipynb", None),
        ("def f():\n    return (\n", "a.py", Fault("syntax", "'(' was never closed", 2, 12, in_text=True)),
        ("x = 1\n\nprint 'hello'\n", "a.py", None),
        ("if True:\npass\n", "a.py", None),
    ],
)
def test_faults(data: str | bytes, key: str, fault: Fault | None) -> None:
    found = read(entry(data, key)).fault
    assert found is not None
    assert found.reason
    assert fault is None or found == fault
    assert undump(dump(read(entry(data, key)))).fault == found


def test_a_file_that_cannot_be_opened(tmp_path: Path) -> None:
    assert read(Entry("a.py", "a.py", str(tmp_path / "a.py"), True)).fault == Fault("read", "No such file or directory")
    assert read(Entry("a.py", "a.py", str(tmp_path), True)).fault == Fault("read", "Is a directory")
    assert read(Entry("a.py", "a.py", "a\0.py", True)).fault == Fault("read", "embedded null byte")


def test_syntax_is_checked_in_files_that_are_reported() -> None:
    assert read(entry("print 'x'\n", reported=False)).fault is None
    assert syntax_fault("x = '\\d'\nasync def f():\n    await g()\nawait h()\nreturn\n") is None
    assert syntax_fault("type X = int\ntry: pass\nexcept* E: pass\n") is None  # newer than some Pythons that run this


@pytest.mark.parametrize(
    "text", ["x = " + "(" * 3000 + ")" * 3000, "x = " + "-" * 100_000 + "1", "x = a" + ".b" * 9000]
)
def test_nesting_beyond_all_measure_is_a_fault(text: str) -> None:
    found = syntax_fault(text)
    if found is None:  # newer Pythons go deeper; who wants to know what the statement does is told
        with pytest.raises(LoweringError, match="too"):
            lower(text)
    else:
        assert "too" in found.reason


def test_a_unit_that_cannot_be_lowered_is_the_fault_of_its_file() -> None:
    deep = "x = " + "[" * 140 + "]" * 140 + "\n"
    source = read(entry(deep + "y = 1\n" + deep, reported=False)).source
    assert source is not None
    loaded = Loaded({"a.py": source})
    for unit in reversed(source.units):
        loaded.lower(source, unit)
    assert list(loaded.faults) == ["a.py"]
    assert loaded.faults["a.py"].line == 1


@pytest.mark.parametrize("jobs", [1, 2, 8])
def test_several_processes_read_the_same(jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    import torchdet_lint.engine.load as module

    monkeypatch.setattr(module, "FEW_FILES", 0)
    monkeypatch.setattr(module, "BATCH_FILES", 2)
    entries = [entry(SOURCE * (at % 4), f"{at}.py") for at in range(9)] + [entry("(", "broken.py")]
    seen: list[tuple[str, int, int]] = []
    loaded = load_all(entries, load_apis(), jobs, lambda *args: seen.append(args))
    one = load_all(entries, load_apis(), 1, silent)
    assert (loaded.sources, loaded.faults, list(loaded.sources)) == (one.sources, one.faults, list(one.sources))
    assert seen == [("reading", done, 10) for done in range(1, 11)]
    for source in loaded.sources.values():
        for unit in source.units:
            if source.path != "broken.py":
                assert loaded.lower(source, unit) == lower(source.unit_text(unit))


def test_tables_can_be_sent_to_a_spawned_process() -> None:
    assert list(pickle.loads(pickle.dumps(load_apis()))) == list(load_apis())

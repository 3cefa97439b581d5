"""Streams are written by one side and read by the other."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from torchdet_lint.verify.record import RecordError, read
from torchdet_lint.verify.rt.ledger import Ledger
from torchdet_lint.verify.rt.streams import HEAD, Streams


def test_what_is_written_is_read(tmp_path: Path) -> None:
    streams = Streams(str(tmp_path))
    streams.current().event("OP", "aten.add", "träin.py:3:f", "0a", "", "1 2")
    streams.current().event("SEED", "torch.manual_seed", "", "0b")
    streams.flush()
    found = read(str(tmp_path)).streams["rank0"]
    assert [one[:6] for one in found.events] == [
        ("OP", "aten.add", "träin.py:3:f", "0a", "", "1 2"),
        ("SEED", "torch.manual_seed", "", "0b", "", ""),
    ]
    assert [index for index, _ in found.effects] == [0]


def test_each_thread_has_its_stream(tmp_path: Path) -> None:
    streams = Streams(str(tmp_path))

    def work(name: str) -> None:
        streams.enter_thread(name)
        streams.current().event("OP", name, "", "")

    for _ in range(2):
        thread = threading.Thread(target=work, args=(streams.next_thread(),))
        thread.start()
        thread.join()
    streams.flush()
    assert set(read(str(tmp_path)).streams) == {"rank0/thread1", "rank0/thread2"}


def test_a_second_process_of_one_name_gets_its_own_file(tmp_path: Path) -> None:
    for digest in ("1", "2"):
        streams = Streams(str(tmp_path))
        streams.current().event("OP", "a", "", digest)
        streams.flush()
    assert sorted(read(str(tmp_path)).streams) == ["rank0", "rank0~2"]


def test_a_program_that_hangs_has_left_its_effects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first effect is written at once, further ones at the latest with the next that comes a second later."""
    now = [5_000_000_000_000]
    monkeypatch.setattr("torchdet_lint.verify.rt.streams.monotonic_ns", lambda: now[0])
    stream = Streams(str(tmp_path)).current()
    stream.event("SEED", "torch.manual_seed", "", "0b")
    seen = []
    for passed in (0, 400, 400, 400):
        now[0] += passed * 1_000_000
        stream.effect("OP\taten.add\ta.py:1:f\t", "", 7, "", "")
        seen.append(len(read(str(tmp_path)).streams["rank0"].effects))
    assert seen == [1, 1, 1, 4]


def test_a_program_that_closes_everything_keeps_its_stream_and_its_files(tmp_path: Path) -> None:
    stream = Streams(str(tmp_path)).current()
    stream.event("OP", "before", "", "1")
    stream.flush()
    os.close(stream._file)
    with open(tmp_path / "own.txt", "w") as own:  # gets the number of what was closed
        assert own.fileno() == stream._file
        stream.event("OP", "after", "", "2")
        stream.close()
    assert (tmp_path / "own.txt").read_text() == ""
    assert [one.name for one in read(str(tmp_path)).streams["rank0"].events] == ["before", "after"]


def test_half_a_line_of_a_killed_process_is_dropped(tmp_path: Path) -> None:
    (tmp_path / "rank0.stream").write_text(HEAD + "OP\ta\t\t1\t\t\t12\nOP\tb\t\t1", encoding="utf-8")
    assert [one.name for one in read(str(tmp_path)).streams["rank0"].events] == ["a"]


def test_another_version_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "rank0.stream").write_text("torchdet-stream 99\n", encoding="utf-8")
    with pytest.raises(RecordError, match=r"no stream of this version \('torchdet-stream 99'") as caught:
        read(str(tmp_path))
    assert "\n" not in str(caught.value)


def test_ledgers_of_processes_add_up(tmp_path: Path) -> None:
    first, second = Ledger(), Ledger()
    first.draw("numpy", "a.py:1:f")
    second.draw("numpy", "a.py:1:f")
    second.seed("numpy", "a.py:2:f")
    second.draw("numpy", "a.py:1:f")
    first.write(str(tmp_path), "rank0", {"a.py": [1]})
    (tmp_path / next(iter(p.name for p in tmp_path.iterdir()))).rename(tmp_path / "1.ledger.json")
    second.write(str(tmp_path), "rank0/worker1", {"a.py": [2]})
    ledger = read(str(tmp_path)).ledger
    assert {(draw.seeded, draw.times) for draw in ledger.draws} == {("", 2), ("a.py:2:f", 1)}
    assert ledger.reached == {"a.py": frozenset({1, 2})}
    assert ledger.unseeded("numpy")
    assert not ledger.unseeded("torch")

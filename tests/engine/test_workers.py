from __future__ import annotations

import os
import signal
import time
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from torchdet_lint.engine.workers import Crew, Done, each

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="tasks of a test module cannot be imported elsewhere")


def batches(items: list[Any], size: int = 3) -> list[list[tuple[int, Any]]]:
    numbered = list(enumerate(items))
    return [numbered[at : at + size] for at in range(0, len(numbered), size)]


def double(item: int) -> bytes:
    return str(2 * item).encode()


@pytest.mark.parametrize("jobs", [1, 2, 8])
def test_every_item_has_its_result(jobs: int) -> None:
    done = sorted(each(batches(list(range(20))), double, jobs))
    assert done == [Done(item, str(2 * item).encode()) for item in range(20)]


def test_nothing_to_do_starts_nothing() -> None:
    assert list(each([], double, 4)) == []


def picky(item: int) -> bytes:
    if item == 4:
        raise ValueError("not\nfour")
    return double(item)


def test_an_exception_is_told_for_its_item_only() -> None:
    done = sorted(each(batches(list(range(7))), picky, 2))
    assert [each.number for each in done if each.trouble] == [4]
    assert done[4].trouble == "internal error: ValueError: not four"


def deadly(item: int) -> bytes:
    if item in (1, 5):
        os._exit(3)
    if item == 6:
        os.kill(os.getpid(), signal.SIGKILL)
    return double(item)


@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_a_death_costs_one_item(jobs: int) -> None:
    done = sorted(each(batches(list(range(12))), deadly, jobs))
    assert [each.number for each in done] == list(range(12))
    assert {each.number: each.trouble for each in done if each.trouble} == {
        1: "the process that read it ended with status 3",
        5: "the process that read it ended with status 3",
        6: "the process that read it was killed (SIGKILL)",
    }


def fatal_once(marks: str, item: int) -> bytes:
    mark = Path(marks, str(item))
    if item == 2 and not mark.exists():
        mark.touch()
        os._exit(1)
    return double(item)


def test_an_item_gets_a_second_chance(tmp_path: Path) -> None:
    done = sorted(each(batches(list(range(5))), partial(fatal_once, str(tmp_path)), 2))
    assert done[2] == Done(2, b"4")
    assert (tmp_path / "2").exists()


def sleepy(marks: str, item: int) -> bytes:
    Path(marks, f"{os.getpid()}").touch()
    if item:
        time.sleep(60)
    return b""


def test_closing_ends_the_workers_at_once(tmp_path: Path) -> None:
    start = time.monotonic()
    with closing(each(batches([0, 1, 1], 1), partial(sleepy, str(tmp_path)), 3)) as results:
        assert next(results) == Done(0, b"")
    assert time.monotonic() - start < 40
    for path in tmp_path.iterdir():
        with pytest.raises(ProcessLookupError):
            os.kill(int(path.name), 0)


def test_without_processes_the_work_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> int:
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(os, "fork", refuse)
    assert sorted(each(batches([1, 2, 3]), double, 2)) == [Done(0, b"2"), Done(1, b"4"), Done(2, b"6")]


KNOWN: list[str] = []


def briefed(briefing: str, item: str) -> bytes:
    if item == "dies" and not KNOWN:
        os._exit(1)
    return f"{briefing} {item} {KNOWN}".encode()


def test_processes_that_wait_know_what_was_known_then_and_their_briefing() -> None:
    crew = Crew(briefed, 2)
    KNOWN.append("late")
    try:
        done = sorted(crew.run(batches(["a", "dies", "b"], 1), 2, str.lower, "hear:"))
    finally:
        KNOWN.clear()
        crew.dismiss()
    assert done[0] == Done(0, b"hear: a []")
    assert done[1] == Done(1, b"hear: dies ['late']"), "who comes in for a dead one is briefed as well"
    assert done[2].result in (b"hear: b []", b"hear: b ['late']")


def test_what_is_sent_is_packed_when_its_turn_comes() -> None:
    packed: list[int] = []

    def pack(item: int) -> int:
        packed.append(item)
        return -item

    crew = Crew(partial(_negative, 1), 1)
    results = crew.run(batches(list(range(6)), 2), 1, pack)
    assert next(results) == Done(0, b"0")
    assert packed == [0, 1]
    assert [each.result for each in results] == [b"-1", b"-2", b"-3", b"-4", b"-5"]
    assert packed == list(range(6))


def _negative(times: int, _briefing: None, item: int) -> bytes:
    return str(times * item).encode()


@pytest.mark.parametrize(("hired", "jobs", "items"), [(4, 1, 5), (1, 4, 5), (3, 3, 1), (2, 2, 0)])
def test_any_number_may_wait(hired: int, jobs: int, items: int) -> None:
    crew = Crew(partial(_negative, 2), hired)
    try:
        assert sorted(crew.run(batches(list(range(items)), 1), jobs)) == [
            Done(at, str(2 * at).encode()) for at in range(items)
        ]
    finally:
        crew.dismiss()


def test_who_was_not_needed_is_let_go(tmp_path: Path) -> None:
    crew = Crew(partial(_negative, 1), 3)
    waiting = [worker.process.pid for worker in crew._workers.values()]
    crew.dismiss()
    assert len(waiting) == 3
    for pid in waiting:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_who_dies_while_waiting_costs_nothing() -> None:
    crew = Crew(partial(_negative, 1), 2)
    for worker in crew._workers.values():
        worker.process.kill()
        worker.process.join()
    assert sorted(crew.run(batches([1, 2, 3]), 2)) == [Done(0, b"1"), Done(1, b"2"), Done(2, b"3")]

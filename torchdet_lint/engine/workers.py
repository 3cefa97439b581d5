"""Work spread over processes, in batches that go to whoever is free.

A worker that dies takes nobody else's work with it: the item that it was at is tried once more, alone in a fresh process,
and is reported as lost when that one dies too. Workers are forked where that is safe, else spawned.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

Task: TypeAlias = Callable[[Any], bytes]
"""What is done with an item; a function of a module, so that a spawned process finds it."""

BriefedTask: TypeAlias = Callable[[Any, Any], bytes]
"""The same, of a briefing and an item: of what all items need and nobody knew when the processes were started."""

Batch: TypeAlias = Sequence[tuple[int, Any]]
"""Items with their numbers."""


class Done(NamedTuple):
    """What became of the item of that number: its result, or why there is none ("" where there is one)."""

    number: int
    result: bytes
    trouble: str = ""


def processors() -> int:
    """The number of processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def each(batches: Sequence[Batch], task: Task, jobs: int) -> Generator[Done, None, None]:
    """The results of `task` for every item, in the order in which they are ready.

    Closing the iterator, or an exception at the place where it is used, ends all workers at once.
    """
    crew = Crew(partial(_unbriefed, task), min(jobs, len(batches)))
    try:
        yield from crew.run(batches, jobs)
    finally:
        crew.dismiss()


def _as_it_is(item: Any) -> Any:
    return item


def _unbriefed(task: Task, _briefing: None, item: Any) -> bytes:
    return task(item)


def can_fork() -> bool:
    """Whether a worker can be a copy of this process. A copy of a process with threads can deadlock, and macOS's own libraries
    do not survive a fork.
    """
    return hasattr(os, "fork") and sys.platform != "darwin" and threading.active_count() == 1


class _Worker:
    """A process and what it has been given and not yet answered."""

    __slots__ = ("connection", "pending", "process")

    def __init__(self, process: BaseProcess, connection: Connection) -> None:
        self.process = process
        self.connection = connection
        self.pending: deque[tuple[int, Any]] = deque()

    def send(self, message: Any) -> None:
        try:
            self.connection.send(message)
        except OSError:
            pass  # it has died already, which the next look at the connection shows

    def stop(self) -> None:
        """Ends the process: one that waits for work ends when its connection is closed."""
        self.connection.close()
        self.process.join()


class Crew:
    """Processes that have been started, and wait. A copy of this process is as large as this process was when it was made:
    who will need them starts them before he fills his memory.
    """

    def __init__(self, task: BriefedTask, jobs: int) -> None:
        import multiprocessing

        self._forks = can_fork()
        self._context: Any = multiprocessing.get_context("fork" if self._forks else "spawn")
        self._queue: deque[Batch] = deque()
        self._suspects: deque[tuple[int, Any]] = deque()
        self._tried: set[int] = set()
        self._workers: dict[Any, _Worker] = {}
        self._task = task
        self._packed: Callable[[Any], Any] = _as_it_is
        self._briefing: Any = None
        while len(self._workers) < jobs and self._hire():
            pass

    def run(
        self, batches: Sequence[Batch], jobs: int, packed: Callable[[Any], Any] | None = None, briefing: Any = None
    ) -> Iterator[Done]:
        """The results of the task for every item, by `jobs` processes at most. Once, since they end when all is done.

        `packed` turns an item into what is sent, when its turn comes.
        """
        from multiprocessing.connection import wait

        self._queue.extend(batches)
        self._briefing = briefing
        self._packed = packed or _as_it_is
        while len(self._workers) < min(jobs, len(batches)) and self._hire():
            pass
        for at, worker in enumerate(list(self._workers.values())):
            if at < jobs:
                worker.send(briefing)
                self._employ(worker)
            else:
                self._release(worker)
        while self._workers:
            for connection in wait(list(self._workers)):
                yield from self._answer(self._workers[connection])
        for number, item in (*self._suspects, *(pair for batch in self._queue for pair in batch)):
            yield _attempt(self._task, briefing, number, self._packed(item))  # no process could be had

    def _employ(self, worker: _Worker) -> None:
        """Gives a worker more to do, or lets it go."""
        if not self._queue:
            self._release(worker)
            return
        worker.pending.extend(self._queue.popleft())
        worker.send([(number, self._packed(item)) for number, item in worker.pending])

    def _release(self, worker: _Worker) -> None:
        del self._workers[worker.connection]
        worker.stop()

    def _answer(self, worker: _Worker) -> Iterator[Done]:
        """Takes one answer of a worker that has something to say, and gives it more to do."""
        try:
            message = worker.connection.recv_bytes()
        except (EOFError, OSError):
            yield from self._bury(worker)
            return
        number, _ = worker.pending.popleft()
        failed = message[:1] == b"!"
        yield Done(number, b"", message[1:].decode()) if failed else Done(number, message[1:])
        if not worker.pending:
            self._employ(worker)

    def _bury(self, worker: _Worker) -> Iterator[Done]:
        """After a death: the rest of its batch goes back, and what it was at becomes a suspect, or lost for good."""
        self._release(worker)
        suspect, *rest = worker.pending
        if rest:
            self._queue.appendleft(rest)
        if suspect[0] in self._tried:
            yield Done(suspect[0], b"", f"the process that read it {_cause(worker.process.exitcode)}")
        else:
            self._tried.add(suspect[0])
            self._suspects.append(suspect)
        if (self._suspects or self._queue) and (fresh := self._hire()):
            if self._suspects:
                self._queue.appendleft([self._suspects.popleft()])
            fresh.send(self._briefing)
            self._employ(fresh)

    def _hire(self) -> _Worker | None:
        """Starts a worker; None where the system grants no process."""
        try:
            ours, theirs = self._context.Pipe()
        except OSError:
            return None
        # A forked worker must not keep the others' connections open, or they would never see that this process has gone.
        foreign = (ours, *self._workers) if self._forks else ()
        process = self._context.Process(target=_serve, args=(theirs, self._task, foreign), daemon=True)
        masked = _block_interrupts()
        try:
            process.start()
        except OSError:
            ours.close()
            return None
        finally:
            theirs.close()
            _restore_interrupts(masked)
        self._workers[ours] = worker = _Worker(process, ours)
        return worker

    def dismiss(self) -> None:
        """Ends the workers that are left, whatever they are at."""
        for worker in self._workers.values():
            worker.process.kill()
        for worker in self._workers.values():
            worker.stop()
        self._workers.clear()


def _serve(connection: Connection, task: BriefedTask, foreign: Sequence[Connection]) -> None:
    """The life of a worker: the briefing and then batches in, an answer for each item out, until the other side has gone."""
    for other in foreign:
        other.close()
    if hasattr(signal, "SIGINT"):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides
    try:
        briefing = connection.recv()
        while True:
            for number, item in connection.recv():
                done = _attempt(task, briefing, number, item)
                connection.send_bytes(b"!" + done.trouble.encode() if done.trouble else b"." + done.result)
    except (EOFError, OSError):
        pass


def _attempt(task: BriefedTask, briefing: Any, number: int, item: Any) -> Done:
    try:
        return Done(number, task(briefing, item))
    except Exception as error:  # noqa: BLE001 (one item's trouble must not end the others)
        return Done(number, b"", f"internal error: {type(error).__name__}: {' '.join(str(error).split())}")


def _cause(code: int | None) -> str:
    if code is None or code >= 0:
        return f"ended with status {code}"
    try:
        return f"was killed ({signal.Signals(-code).name})"
    except ValueError:
        return f"was killed (signal {-code})"


def _block_interrupts() -> Any:
    """Keeps Ctrl-C away from a process that is just being born; it is held back for this one meanwhile."""
    return signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if hasattr(signal, "pthread_sigmask") else None


def _restore_interrupts(masked: Any) -> None:
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_SETMASK, masked)

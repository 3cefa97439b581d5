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
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

Task: TypeAlias = Callable[[Any], bytes]
"""What is done with an item; a function of a module, so that a spawned process finds it."""

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
    crew = _Crew(batches, task)
    try:
        yield from crew.run(jobs)
    finally:
        crew.dismiss()


def can_fork() -> bool:
    """Whether a worker can be a copy of this process. A copy of a process with threads can deadlock, and macOS's own libraries
    do not survive a fork.
    """
    return hasattr(os, "fork") and sys.platform != "darwin" and threading.active_count() == 1


class _Worker:
    """A process and what it has been given and not yet answered. `fresh` until it has answered anything."""

    __slots__ = ("connection", "fresh", "pending", "process")

    def __init__(self, process: BaseProcess, connection: Connection, batch: Batch) -> None:
        self.process = process
        self.connection = connection
        self.fresh = True
        self.give(batch)

    def give(self, batch: Batch) -> None:
        self.pending = deque(batch)
        try:
            self.connection.send(list(batch))
        except OSError:
            pass  # it has died already, which the next look at the connection shows

    def stop(self) -> None:
        """Ends the process: one that waits for work ends when its connection is closed."""
        self.connection.close()
        self.process.join()


class _Crew:
    def __init__(self, batches: Sequence[Batch], task: Task) -> None:
        import multiprocessing

        forks = can_fork()
        self._context: Any = multiprocessing.get_context("fork" if forks else "spawn")
        self._forks = forks
        self._queue = deque(batches)
        self._suspects: deque[tuple[int, Any]] = deque()
        self._tried: set[int] = set()
        self._workers: dict[Any, _Worker] = {}
        self._task = task

    def run(self, jobs: int) -> Iterator[Done]:
        from multiprocessing.connection import wait

        while len(self._workers) < jobs and self._queue and self._hire(self._queue[0]):
            self._queue.popleft()
        while self._workers:
            for connection in wait(list(self._workers)):
                yield from self._answer(self._workers[connection])
        for number, item in (*self._suspects, *(pair for batch in self._queue for pair in batch)):
            yield _attempt(self._task, number, item)  # no process could be had

    def _answer(self, worker: _Worker) -> Iterator[Done]:
        """Takes one answer of a worker that has something to say, and gives it more to do."""
        try:
            message = worker.connection.recv_bytes()
        except (EOFError, OSError):
            yield from self._bury(worker)
            return
        number, _ = worker.pending.popleft()
        worker.fresh = False
        failed = message[:1] == b"!"
        yield Done(number, b"", message[1:].decode()) if failed else Done(number, message[1:])
        if worker.pending:
            return
        if self._queue:
            worker.give(self._queue.popleft())
        else:
            del self._workers[worker.connection]
            worker.stop()

    def _bury(self, worker: _Worker) -> Iterator[Done]:
        """After a death: the rest of its batch goes back, and what it was at becomes a suspect, or lost for good."""
        del self._workers[worker.connection]
        worker.stop()
        suspect, *rest = worker.pending
        if rest:
            self._queue.appendleft(rest)
        if suspect[0] in self._tried:
            yield Done(suspect[0], b"", f"the process that read it {_cause(worker.process.exitcode)}")
        else:
            self._tried.add(suspect[0])
            self._suspects.append(suspect)
        if self._suspects and self._hire([self._suspects[0]]):
            self._suspects.popleft()
        elif self._queue and not self._suspects and self._hire(self._queue[0]):
            self._queue.popleft()

    def _hire(self, batch: Batch) -> bool:
        """Starts a worker with its first batch; false where the system grants no process."""
        try:
            ours, theirs = self._context.Pipe()
        except OSError:
            return False
        # A forked worker must not keep the others' connections open, or they would never see that this process has gone.
        foreign = (ours, *self._workers) if self._forks else ()
        process = self._context.Process(target=_serve, args=(theirs, self._task, foreign), daemon=True)
        masked = _block_interrupts()
        try:
            process.start()
        except OSError:
            ours.close()
            return False
        finally:
            theirs.close()
            _restore_interrupts(masked)
        self._workers[ours] = _Worker(process, ours, batch)
        return True

    def dismiss(self) -> None:
        """Ends the workers that are left, whatever they are at."""
        for worker in self._workers.values():
            worker.process.kill()
        for worker in self._workers.values():
            worker.stop()
        self._workers.clear()


def _serve(connection: Connection, task: Task, foreign: Sequence[Connection]) -> None:
    """The life of a worker: batches in, an answer for each item out, until the other side has gone."""
    for other in foreign:
        other.close()
    if hasattr(signal, "SIGINT"):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides
    try:
        while True:
            for number, item in connection.recv():
                done = _attempt(task, number, item)
                connection.send_bytes(b"!" + done.trouble.encode() if done.trouble else b"." + done.result)
    except (EOFError, OSError):
        pass


def _attempt(task: Task, number: int, item: Any) -> Done:
    try:
        return Done(number, task(item))
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

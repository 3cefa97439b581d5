"""Streams: append-only files of events, one for each thread of each process.

A line is seven fields between tabs: kind, name, place, digest, forward place, values, microseconds. Lines of kind
MOD are no events: their name is the module that the effects after them belong to.
"""

from __future__ import annotations

import os
import sys
import threading
from time import monotonic_ns

HEAD = "torchdet-stream 2\n"
"""The first line; the number is the version of the format."""

_FULL = 512
"""Events that are held back before they are written; in worker processes, which may be ended any time, none are."""

_OLD = 1_000_000
"""Microseconds after which an effect is written with what has been held back: a program may hang after it, and be ended."""


class Stream:
    """One file that grows."""

    def __init__(self, folder: str, name: str, direct: bool) -> None:
        self.name = name
        self._module = ""
        self._held: list[str] = [HEAD]
        self._limit = 1 if direct else _FULL
        self._written = 0
        self._path, self._file = _open_new(folder, name)
        self._known = _identity(self._file)

    def event(self, kind: str, name: str, place: str, digest: str, forward: str = "", values: str = "") -> None:
        """Appends one event."""
        self._held.append(f"{kind}\t{name}\t{place}\t{digest}\t{forward}\t{values}\t{monotonic_ns() // 1000}\n")
        if len(self._held) >= self._limit:
            self.flush()

    def effect(self, begin: str, module: str, digest: int, forward: str, values: str) -> None:
        """The same for an effect whose beginning (kind, name and place) is known, in a module."""
        if module != self._module:
            self._module = module
            self._held.append(f"MOD\t{module}\t\t\t\t\t0\n")
        now = monotonic_ns() // 1000
        self._held.append(f"{begin}{digest:08x}\t{forward}\t{values}\t{now}\n")
        if len(self._held) >= self._limit or now - self._written > _OLD:
            self._written = now
            self.flush()

    def flush(self) -> None:
        """Writes what is held back. A full disk loses the record, never the program."""
        text, self._held = "".join(self._held), []
        try:
            if (
                _identity(self._file) != self._known
            ):  # the program has closed it, and may have opened something of its own there
                self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND)
                self._known = _identity(self._file)
            os.write(self._file, text.encode("utf-8", "backslashreplace"))
        except OSError:
            pass

    def close(self) -> None:
        """The last event has been written."""
        self.flush()
        if _identity(self._file) == self._known:
            os.close(self._file)

    def forget(self) -> None:
        """Drops what a parent process holds back, in its child."""
        self._held = []


def _identity(file: int) -> tuple[int, int]:
    """Which file a descriptor stands for."""
    try:
        found = os.fstat(file)
    except OSError:
        return (-1, -1)
    return found.st_dev, found.st_ino


def _open_new(folder: str, name: str) -> tuple[str, int]:
    """The path and the descriptor of a new file."""
    base = os.path.join(folder, name.replace("/", "+"))
    for number in range(1, 10_000):
        path = f"{base}~{number}.stream" if number > 1 else f"{base}.stream"
        try:
            return path, os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        except FileExistsError:
            continue
    return os.devnull, os.open(os.devnull, os.O_WRONLY)


def process_name(inside: bool) -> str:
    """`rank0`, `rank1/worker2`, …: the same in every run. Python numbers child processes in the order of their making. `inside`:
    another process of the run started this one as a command; where that is no rank, it is `rank0/command`.
    """
    rank = os.environ.get("RANK", "") if "LOCAL_RANK" in os.environ else ""
    launcher = not rank and os.path.basename(sys.argv[0] if getattr(sys, "argv", None) else "").startswith("torchrun")
    base = "launcher" if launcher else f"rank{rank or 0}"
    process = sys.modules.get("multiprocessing.process")
    identity = getattr(process.current_process(), "_identity", ()) if process is not None else ()
    if inside and not rank and not identity:
        base += "/command"
    return base + "".join(f"/worker{number}" for number in identity)


def is_engines() -> bool:
    """Whether this is a thread that Python did not start: of torch's autograd engine, which has one for each accelerator
    (`torch/csrc/autograd/engine.cpp`) and lends it the mode of the thread that asked for the backward pass.
    """
    return isinstance(threading.current_thread(), threading._DummyThread)


class Silence(Stream):
    """A stream that nobody reads."""

    def __init__(self) -> None:
        self.name = ""

    def event(self, *_: str) -> None:
        """Nothing."""

    effect = event  # type: ignore[assignment]

    def flush(self) -> None:
        """Nothing is held back."""


class Streams:
    """The streams of one process, and which one the current thread writes to."""

    def __init__(self, folder: str, inside: bool = False) -> None:
        self._folder = folder
        self._inside = inside
        self._local = threading.local()
        self._all: list[Stream] = []
        self._threads = 0
        self._lock = threading.Lock()

    def current(self) -> Stream:
        """The stream of this thread."""
        stream = getattr(self._local, "stream", None)
        return stream if stream is not None else self._make("")

    def next_thread(self) -> str:
        """The name of a thread that is about to be started."""
        with self._lock:
            self._threads += 1
            return f"/thread{self._threads}"

    def enter_thread(self, name: str) -> None:
        """Gives the current thread a name; its stream is made when something happens in it."""
        self._local.name = name

    def enter_task(self, name: str, of_pool: bool) -> tuple[str, Stream | None]:
        """From now on this thread works on a task. `of_pool`: of processes, where the process's own name says nothing. Returns
        what `leave_task` needs.
        """
        before = getattr(self._local, "name", ""), getattr(self._local, "stream", None)
        self._local.name, self._local.stream = name, None
        self._local.task = "rank0/pool" if of_pool else ""
        return before

    def leave_task(self, before: tuple[str, Stream | None]) -> None:
        """The thread is free again."""
        stream = getattr(self._local, "stream", None)
        if stream is not None:
            stream.close()
            with self._lock:
                self._all.remove(stream)
        self._local.name, self._local.stream = before
        self._local.task = None

    def silence(self) -> Stream:
        """What this thread does is not recorded from now on. Returns the stream, for `resume`."""
        before = self.current()
        self._local.stream = Silence()
        return before

    def resume(self, before: Stream) -> None:
        """It is recorded again."""
        self._local.stream = before

    @property
    def used(self) -> bool:
        """Whether this process has written anything."""
        return bool(self._all)

    @property
    def in_task(self) -> bool:
        """Whether this thread works on a task of a pool."""
        return getattr(self._local, "task", None) is not None

    def _make(self, name: str) -> Stream:
        process = getattr(self._local, "task", None) or process_name(self._inside)
        if not name:
            main = threading.current_thread() is threading.main_thread()
            name = getattr(self._local, "name", "") or ("" if main else "/backward" if is_engines() else "/other")
        stream = Stream(self._folder, process + name, direct="/" in process + name)
        self._local.stream = stream
        with self._lock:
            self._all.append(stream)
        return stream

    def flush(self) -> None:
        """Writes what all threads hold back."""
        for stream in list(self._all):
            stream.flush()

    def in_child(self) -> None:
        """After a fork: what the parent held back is the parent's, and streams are made anew."""
        for stream in self._all:
            stream.forget()
        self._all = []
        self._local = threading.local()
        self._lock = threading.Lock()
        self._threads = 0

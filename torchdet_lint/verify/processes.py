"""Which processes come from a process, what they use, and their end."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


class Process(NamedTuple):
    """`memory` is its resident set in bytes, in which what processes share is counted in each of them."""

    pid: int
    parent: int
    group: int
    session: int
    memory: int


def adopt_orphans() -> bool:
    """Processes below this one whose parent dies become its children (Linux), so that no daemon gets away."""
    return _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent() -> bool:
    """This process is killed when the one that started it ends (Linux)."""
    return _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _prctl(option: int, value: int) -> bool:
    if sys.platform != "linux":
        return False
    import ctypes

    return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)


def below(root: int) -> list[Process]:
    """The living processes that come from `root`, without itself, as far as a chain of parents leads to it."""
    table = _table()
    found: list[Process] = []
    todo = [root]
    while todo:
        children = table.get(todo.pop(), ())
        found += children
        todo += [child.pid for child in children]
    return found


def memory_of(pids: Iterable[int], *, shared_once: bool) -> int:
    """The memory of some processes together, in bytes; `shared_once` counts what they share once and takes longer (Linux)."""
    return sum((_proportional(pid) if shared_once else _resident(pid)) for pid in pids)


def end_all(root: int, reap: Callable[[], None], patience: float) -> int:
    """Kills everything below `root`, again and again until nothing is left; returns how many are left when for `patience` seconds
    none has gone. A thousand large processes take a busy machine a while.

    Whole groups are killed first: that is one step for the kernel, so that a program that forks all the time cannot outrun it.
    """
    deadline, fewest = time.monotonic() + patience, sys.maxsize
    own = os.getpgrp()
    while True:
        reap()
        rest = below(root)
        if not rest or time.monotonic() > deadline:
            return len(rest)
        if len(rest) < fewest:
            deadline, fewest = time.monotonic() + patience, len(rest)
        for group in {process.group for process in rest} - {own}:
            send(-group, signal.SIGKILL)
        for process in rest:
            send(process.pid, signal.SIGKILL)
        time.sleep(0.01)


def send(target: int, number: int) -> None:
    """Sends a signal to a process, or to a group when `target` is negative; nothing happens where there is none."""
    try:
        os.kill(target, number)
    except OSError:
        pass  # gone, or never ours


def _table() -> Mapping[int, list[Process]]:
    """All living processes by their parent."""
    found: dict[int, list[Process]] = {}
    for process in _from_proc() if os.path.isdir("/proc/self") else _from_ps():
        found.setdefault(process.parent, []).append(process)
    return found


def _from_proc() -> Iterable[Process]:
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        line = _read(f"/proc/{name}/stat")
        fields = line[line.rfind(b")") + 2 :].split()  # the name before it can hold anything
        if len(fields) > 21 and fields[0] not in (b"Z", b"X"):
            yield Process(int(name), int(fields[1]), int(fields[2]), int(fields[3]), int(fields[21]) * _page())


def _from_ps() -> Iterable[Process]:
    import subprocess

    out = subprocess.run(
        ["/bin/ps", "-axo", "pid=,ppid=,pgid=,rss=,stat="], capture_output=True, text=True, check=False, timeout=10
    ).stdout
    for line in out.splitlines():
        fields = line.split()
        if len(fields) == 5 and "Z" not in fields[4]:
            pid, parent, group, kilobytes = map(int, fields[:4])
            yield Process(pid, parent, group, group, kilobytes * 1024)


def _resident(pid: int) -> int:
    fields = _read(f"/proc/{pid}/statm").split()
    return int(fields[1]) * _page() if len(fields) > 1 else 0


def _proportional(pid: int) -> int:
    for line in _read(f"/proc/{pid}/smaps_rollup").splitlines():
        if line.startswith(b"Pss:"):
            return int(line.split()[1]) * 1024
    return _resident(pid)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:  # it has ended in between
        return b""


def _page() -> int:
    return os.sysconf("SC_PAGE_SIZE")

"""How much a program may use, and the watch over it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from typing import NamedTuple

from torchdet_lint.verify.processes import below, memory_of

_SHARE = 20  # looking through all processes may take one part in so many of the time
_RESERVE = 256 << 20  # bytes that stay free on every file system that is written to


class Limits(NamedTuple):
    """`memory`: bytes that all its processes may hold together, 0 for nine tenths of what is free at the start. `disk`: bytes
    by which the free space may shrink where it writes, also the size of one file. `grace`: seconds from the polite request to end
    until it is killed.
    """

    memory: int = 0
    disk: int = 16 << 30
    processes: int = 1024
    grace: float = 2.0


class Watch:
    """Looks now and then at what the processes below `root` use."""

    def __init__(self, root: int, limits: Limits, places: Iterable[str], seconds: float) -> None:
        self._root = root
        self._limits = limits
        self._memory = limits.memory or free_memory() * 9 // 10
        self._disks = {place: _free(place) for place in _one_a_device(places)}
        self._deadline = time.monotonic() + seconds
        self._known: list[int] = []
        self._next_look = 0.0

    def exceeded(self) -> str:
        """The limit that is broken now: "time", "memory", "disk", "processes", or ""."""
        now = time.monotonic()
        if now >= self._deadline:
            return "time"
        if now >= self._next_look:
            self._known = [process.pid for process in below(self._root)]
            after = time.monotonic()
            self._next_look = after + max(0.1, _SHARE * (after - now))
        if len(self._known) > self._limits.processes:
            return "processes"
        if self._memory and self._uses_too_much():
            return "memory"
        return "disk" if any(self._shrunk(place, free) for place, free in self._disks.items()) else ""

    def _uses_too_much(self) -> bool:
        """What processes share is taken apart only when the quick sum, in which it counts several times, is too large."""
        if memory_of(self._known, shared_once=False) <= self._memory:
            return False
        return memory_of(self._known, shared_once=True) > self._memory

    def _shrunk(self, place: str, before: int) -> bool:
        now = _free(place)
        return before - now > self._limits.disk or (now < _RESERVE <= before)


def free_memory() -> int:
    """Bytes that can be used without swapping, 0 where the system does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def _one_a_device(places: Iterable[str]) -> list[str]:
    return list({os.stat(place).st_dev: place for place in places if os.path.exists(place)}.values())


def _free(place: str) -> int:
    try:
        stats = os.statvfs(place)
    except OSError:  # the program has removed it
        return 0
    return stats.f_bavail * stats.f_frsize

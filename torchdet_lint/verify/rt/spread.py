"""Threads and child processes: each gets its own stream, and threads get the mode, which torch keeps a thread."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import Any

from .places import USER
from .state import Runtime
from .tasks import Tasks


class Spread:
    """Wraps the start of threads, and follows forks."""

    def __init__(self, run: Runtime, tasks: Tasks) -> None:
        self._run = run
        self._mode: Any = None
        self._tasks = tasks

    def use(self, mode: Any) -> None:
        """The class of the mode that further threads enter, once torch is there."""
        self._mode = mode

    def install(self) -> None:
        """From now on."""
        self._wrap_threads()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self._run.streams.flush, after_in_child=self._in_child)

    def _wrap_threads(self) -> None:
        spread, streams = self, self._run.streams
        real_start, real_body = threading.Thread.start, threading.Thread._bootstrap_inner  # type: ignore[attr-defined]

        def start(thread: Any) -> None:
            thread._torchdet_name = streams.next_thread()
            thread._torchdet_delay = spread._delay(thread)
            real_start(thread)

        def body(thread: Any) -> None:
            streams.enter_thread(getattr(thread, "_torchdet_name", "/other"))
            if getattr(thread, "_torchdet_delay", 0):
                time.sleep(thread._torchdet_delay)
            if spread._mode is None:
                real_body(thread)
                return
            with spread._mode():
                real_body(thread)

        threading.Thread.start = start  # type: ignore[method-assign,assignment]
        threading.Thread._bootstrap_inner = body  # type: ignore[attr-defined]

    def _delay(self, thread: Any) -> float:
        """Seconds that a thread of the user's waits, where completion order is held."""
        code = getattr(getattr(thread, "_target", None), "__code__", None) or type(thread).run.__code__
        if self._run.places.owner(code.co_filename) != USER:
            return 0.0
        return self._tasks.delay(self._tasks.next_number())

    def _in_child(self) -> None:
        self._run.streams.in_child()
        self._run.ledger.in_child()
        self._run.ended = False
        util = sys.modules.get("multiprocessing.util")
        if util is not None:
            # A forked worker clears what it inherits and ends without `atexit`: this is the door that stays open.
            util.register_after_fork(self, lambda spread: spread.at_end())

    def at_end(self) -> None:
        """In a worker: write what there is when it ends."""
        util: Any = sys.modules["multiprocessing.util"]
        util.Finalize(None, self._run.write, exitpriority=-100)

"""Threads and child processes: each gets its own stream, and threads get the mode, which torch keeps a thread."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import Any

from . import pins
from .places import USER
from .state import Runtime


class Spread:
    """Wraps the start of threads, and follows forks."""

    def __init__(self, run: Runtime) -> None:
        self._run = run
        self._mode: Any = None
        self._tasks = 0

    def use(self, mode: Any) -> None:
        """The class of the mode that further threads enter, once torch is there."""
        self._mode = mode

    def install(self) -> None:
        """From now on."""
        self._wrap_threads()
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
        return self.next_delay()

    def next_delay(self) -> float:
        """The delay of the next task."""
        self._tasks += 1
        self._run.ledger.facts["tasks"] = self._tasks
        return pins.delay(self._run.held["completion"], self._tasks - 1) if "completion" in self._run.held else 0.0

    def on_futures(self, module: Any) -> None:
        """After `import concurrent.futures.thread`: tasks of a pool are delayed one by one."""
        spread, real = self, module._WorkItem.run
        made = module._WorkItem.__init__

        def init(item: Any, *args: Any, **kwargs: Any) -> None:
            made(item, *args, **kwargs)
            item._torchdet_delay = spread.next_delay()

        def run(item: Any) -> None:
            time.sleep(getattr(item, "_torchdet_delay", 0))
            real(item)

        module._WorkItem.__init__, module._WorkItem.run = init, run

    def _in_child(self) -> None:
        self._run.streams.in_child()
        self._run.ended = False
        util = sys.modules.get("multiprocessing.util")
        if util is not None:
            # A forked worker clears what it inherits and ends without `atexit`: this is the door that stays open.
            util.register_after_fork(self, lambda spread: spread.at_end())

    def at_end(self) -> None:
        """In a worker: write what there is when it ends."""
        util: Any = sys.modules["multiprocessing.util"]
        util.Finalize(None, self._run.write, exitpriority=-100)

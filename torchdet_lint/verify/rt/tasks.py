"""Tasks of pools. Which worker gets which task is chance, so each task has a stream of its own, named by the order of submission;
and where the order of completion is held, each task is delayed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from . import pins
from .state import Runtime

MOST = 64
"""Tasks that get a stream; what later ones do goes to a stream that nobody compares."""


class Tasks:
    """Wraps how pools of threads and of processes take their tasks."""

    def __init__(self, run: Runtime) -> None:
        self._run = run
        self._made = 0

    def delay(self, number: int) -> float:
        """Seconds before the task of that number may start."""
        self._run.ledger.facts["tasks"] = True
        held = self._run.held
        return pins.delay(held["completion"], number) if "completion" in held else 0.0

    def next_number(self) -> int:
        """The number of a task, or of a thread, that is made now."""
        self._made += 1
        return self._made - 1

    def on_threads(self, module: Any) -> None:
        """After `import concurrent.futures.thread`."""
        tasks, item_class = self, module._WorkItem
        make, real = item_class.__init__, item_class.run

        def init(item: Any, *args: Any, **kwargs: Any) -> None:
            make(item, *args, **kwargs)
            item._torchdet_number = tasks.next_number()

        def run(item: Any, *args: Any) -> None:
            number = getattr(item, "_torchdet_number", 0)
            time.sleep(tasks.delay(number))
            before = tasks._run.streams.enter_task(_name(number), of_pool=False)
            try:
                real(item, *args)
            finally:
                tasks._run.streams.leave_task(before)

        item_class.__init__, item_class.run = init, run

    def on_processes(self, module: Any) -> None:
        """After `import concurrent.futures.process`."""
        self._note_made(module.ProcessPoolExecutor)
        self._wrap_worker(module, "_process_worker", lambda item: getattr(item, "work_id", None))

    def on_pool(self, module: Any) -> None:
        """After `import multiprocessing.pool`. A task is (job, place in the job, function, …)."""
        self._note_made(module.Pool)
        self._wrap_worker(module, "worker", lambda item: item[1] if isinstance(item, tuple) else None)

    def _note_made(self, pool: Any) -> None:
        """Notes that there is a pool: its processes may be ended before they can say so."""
        make, facts = pool.__init__, self._run.ledger.facts

        @wraps(make)
        def init(itself: Any, *args: Any, **kwargs: Any) -> None:
            facts["tasks"] = True
            make(itself, *args, **kwargs)

        pool.__init__ = init

    def _wrap_worker(self, module: Any, name: str, number: Callable[[Any], Any]) -> None:
        """Child processes run this function; its first argument is the queue that tasks come from."""
        real, tasks = getattr(module, name), self

        def taken(item: Any) -> None:
            found = number(item)
            if isinstance(found, int):
                time.sleep(tasks.delay(found))
                tasks._run.streams.enter_task(_name(found), of_pool=True)

        def worker(queue: Any, *args: Any, **kwargs: Any) -> Any:
            return real(Taking(queue, taken), *args, **kwargs)

        worker.__module__, worker.__qualname__, worker.__name__ = module.__name__, name, name
        setattr(module, name, worker)


class Taking:
    """Stands before a queue of tasks and tells which one is taken. Queues are shared and may be of C: they are left alone."""

    def __init__(self, queue: Any, taken: Callable[[Any], None]) -> None:
        self._queue = queue
        self._taken = taken

    def get(self, *args: Any, **kwargs: Any) -> Any:
        """The next task, when it may start."""
        item = self._queue.get(*args, **kwargs)
        self._taken(item)
        return item

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queue, name)


def _name(number: int) -> str:
    return f"/task{number + 1}" if number < MOST else "/more"

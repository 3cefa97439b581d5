"""When the engine runs, and who is told: after a pause in typing, for what is open, and once more when something has changed
meanwhile.

Everything here happens on the event loop, but for the run itself, which has a thread of its own and is stopped as soon as its
outcome is of no use.
"""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from torchdet_lint.engine.troubles import trouble
from torchdet_lint.server.buffers import Buffers, Document
from torchdet_lint.server.check import USER_ERRORS, Checked, Checker, Found, Stopped, folder_of

T = TypeVar("T")

PAUSE = 0.25
"""Seconds without a change after which a check begins."""

STACK = 64 * 1024 * 1024
"""Bytes of stack for the thread of a run: analyses recurse, and threads have half a megabyte on some systems."""


class Listener(NamedTuple):
    """Who is told: that the findings of paths are new, and lines for the user ("error") or for the log ("info")."""

    found: Callable[[Iterable[str]], None]
    say: Callable[[str, str], None]


class Stop:
    """Tells a thread that its outcome is of no use."""

    def __init__(self) -> None:
        self.wanted = False

    def progress(self, _stage: str, _done: int, _total: int) -> None:
        """What a run calls now and then."""
        if self.wanted:
            raise Stopped


class Session:
    """The editor's folders and documents, and what is found in them."""

    def __init__(self, checker: Checker, listener: Listener) -> None:
        self.checker = checker
        self.buffers = Buffers()
        self.folders: list[str] = []
        self.found: dict[str, Found] = {}
        self._listener = listener
        self._told: dict[str, str] = {}
        self._revision = 0
        self._done = 0
        self._due = 0.0
        self._latest: str | None = None
        self._alone: tuple[str | None, float] = (None, 0.0)
        self._slow: set[str] = set()
        self._stop = Stop()
        self._moved = asyncio.Condition()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begins to check whenever something changes."""
        self._task = asyncio.get_running_loop().create_task(self._work())

    def end(self) -> None:
        """Stops for good."""
        self._stop.wanted = True
        if self._task is not None:
            self._task.cancel()

    def changed(self, path: str | None = None, pause: float = PAUSE) -> None:
        """Something is not as it was: the text at `path`, or anything. What runs now is stopped."""
        self._revision += 1
        self._latest = path or self._latest
        self._due = asyncio.get_running_loop().time() + pause
        self._stop.wanted = True
        self._notify()

    async def settled(self) -> None:
        """Returns when what is there now has been checked."""
        wanted = self._revision
        async with self._moved:
            await self._moved.wait_for(lambda: self._done >= wanted)

    async def aside(self, work: Callable[[Stop], T]) -> T:
        """Does some work in a thread, and stops it where the request that asked for it is cancelled."""
        stop = Stop()
        try:
            return await _in_thread(lambda: work(stop))
        except asyncio.CancelledError:
            stop.wanted = True
            raise

    def document(self, uri: str) -> Document | None:
        return self.buffers.document_of(uri)

    def _notify(self) -> None:
        async def notify() -> None:
            async with self._moved:
                self._moved.notify_all()

        task = asyncio.get_running_loop().create_task(notify())
        task.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def _work(self) -> None:
        while True:
            async with self._moved:
                await self._moved.wait_for(lambda: self._done < self._revision)
            await self._pause()
            revision = self._revision
            try:
                done = await self._check_all()
            except Exception as error:  # noqa: BLE001 (who waits must not wait for ever)
                self._say("error", "", trouble(error, "checking what is open"))
                done = True
            if done:
                self._done = revision
                self._notify()

    async def _pause(self) -> None:
        """Returns when nothing has changed for some time."""
        loop = asyncio.get_running_loop()
        left = self._due - loop.time()
        if left > 0:
            await asyncio.sleep(left)
            await self._pause()

    async def _check_all(self) -> bool:
        """Checks what is open, folder by folder; whether that was of use to the end."""
        documents = self.buffers.documents()
        contents = {path: self.buffers.bytes_of(document) for path, document in documents.items()}
        self._stop = stop = Stop()
        folders: dict[str, list[str]] = {}
        for path in documents:
            folders.setdefault(folder_of(path, self.folders), []).append(path)
        gone = [path for path in self.found if path not in documents]
        for path in gone:
            del self.found[path]
        latest = self._latest
        for folder, paths in sorted(folders.items(), key=lambda each: latest not in each[1]):
            for named in self._steps(paths):
                if not await self._check(folder, named, contents, stop):
                    return False
        gc.collect()  # nobody else does
        return not stop.wanted

    def _steps(self, paths: list[str]) -> list[list[str]]:
        """What was edited last is judged first, and alone, since fewer programs lead to it than to all that is open; but
        not where it took as long as everything.
        """
        self._alone = (None, 0.0)
        alone = [path for path in paths if path == self._latest and len(paths) > 1 and path not in self._slow]
        return [alone, paths] if alone else [paths]

    async def _check(self, folder: str, paths: list[str], contents: Mapping[str, bytes], stop: Stop) -> bool:
        loop = asyncio.get_running_loop()
        start = loop.time()
        try:
            checked = await _in_thread(lambda: self.checker.check(folder, paths, contents, stop.progress))
        except Stopped:
            return False
        except USER_ERRORS as error:
            self._say("error", folder, str(error))
            self._failed(paths)
            return not stop.wanted
        except Exception as error:  # noqa: BLE001 (one check that fails must not end the server)
            self._say("error", folder, trouble(error, f"checking {folder}"))
            self._failed(paths)
            return not stop.wanted
        if stop.wanted:
            return False
        self._say("error", folder, "")
        self._say("info", folder, "; ".join((*checked.result.problems, *checked.options.settings.notices)))
        self._learn(paths, loop.time() - start)
        self._keep(paths, checked)
        return True

    def _learn(self, paths: list[str], took: float) -> None:
        """Notes which files lead to so much that it does not pay to judge them alone first."""
        path, alone = self._alone
        if len(paths) == 1:
            self._alone = (paths[0], took)
        elif path is not None and alone > took / 2:
            self._slow.add(path)

    def _failed(self, paths: Iterable[str]) -> None:
        gone = [path for path in paths if self.found.pop(path, None) is not None]
        self._listener.found(gone)

    def _keep(self, paths: Iterable[str], checked: Checked) -> None:
        by_path: dict[str, list[Any]] = {path: [] for path in paths}
        for finding in checked.result.findings:
            by_path.setdefault(checked.path(finding.location.path), []).append(finding)
        for path in paths:
            self.found[path] = Found(tuple(by_path[path]), checked)
        self._listener.found(paths)

    def _say(self, kind: str, folder: str, text: str) -> None:
        """Says something once, until it is otherwise."""
        key = kind + os.pathsep + folder
        if self._told.get(key, "") != text:
            self._told[key] = text
            if text:
                self._listener.say(kind, text)


async def _in_thread(work: Callable[[], T]) -> T:
    """The outcome of some work in a thread that does not keep the process from ending."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[T] = loop.create_future()

    def give(set_it: Callable[[Any], None], value: Any) -> None:
        if not outcome.done():
            set_it(value)

    def run() -> None:
        try:
            value = work()
        except BaseException as error:  # noqa: BLE001 (it is raised where the outcome is waited for)
            told = error
        else:
            _call(loop, lambda: give(outcome.set_result, value))
            return
        _call(loop, lambda: give(outcome.set_exception, told))

    before = threading.stack_size(STACK)
    try:
        threading.Thread(target=run, name="torchdet-lint check", daemon=True).start()
    finally:
        threading.stack_size(before)
    return await outcome


def _call(loop: asyncio.AbstractEventLoop, what: Callable[[], None]) -> None:
    try:
        loop.call_soon_threadsafe(what)
    except RuntimeError:
        pass  # the loop has ended, and with it whoever waited

"""When a check begins and ends, with a checker that does as it is told."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pytest

from torchdet_lint.config import ConfigError, SettingsFor
from torchdet_lint.engine.options import Options, Progress, Result

types = pytest.importorskip("lsprotocol.types", reason='the server needs pygls: pip install "torchdet-lint[lsp]"')
sessions = pytest.importorskip("torchdet_lint.server.session")
check = pytest.importorskip("torchdet_lint.server.check")

if TYPE_CHECKING:
    from torchdet_lint.server.session import Session


class Checker:
    """Finds nothing, and notes what it was asked; `error` is raised, `slow` runs until it is stopped."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []
        self.texts: list[bytes] = []
        self.stopped = 0
        self.error: Exception | None = None
        self.slow = threading.Event()

    def check(self, cwd: str, paths: Iterable[str], contents: Mapping[str, bytes], progress: Progress) -> Any:
        named = tuple(sorted(paths))
        self.asked.append(named)
        self.texts.append(b"".join(contents[path] for path in named))
        if self.error is not None:
            raise self.error
        while self.slow.is_set():
            try:
                progress("", 0, 0)
            except check.Stopped:
                self.stopped += 1
                raise
            time.sleep(0.005)
        settings = SettingsFor("/", (), isolated=True)
        return check.Checked(cwd, Options(paths=named, settings=settings, cwd=cwd), Result(()))


class Told:
    def __init__(self) -> None:
        self.found: list[str] = []
        self.said: list[tuple[str, str]] = []

    @property
    def listener(self) -> Any:
        return sessions.Listener(self.found.extend, lambda kind, text: self.said.append((kind, text)))


def play(
    scenario: Callable[[Session, Checker, Told], Awaitable[None]], monkeypatch: pytest.MonkeyPatch, pause: float = 0.05
) -> None:
    monkeypatch.setattr(sessions, "PAUSE", pause)

    async def whole() -> None:
        checker, told = Checker(), Told()
        session = sessions.Session(checker, told.listener)
        session.start()
        try:
            await asyncio.wait_for(scenario(session, checker, told), 30)
        finally:
            session.end()

    asyncio.run(whole())


async def until(condition: Callable[[], bool]) -> None:
    for _ in range(2000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen")


def write(session: Session, path: str, text: str) -> None:
    session.buffers.opened(types.TextDocumentItem(f"file://{path}", "python", 1, text))
    session.changed(path, sessions.PAUSE)


def test_one_check_for_many_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(session: Session, checker: Checker, told: Told) -> None:
        for number in range(30):
            write(session, "/p/a.py", f"x = {number}\n")
            await asyncio.sleep(0)
        await session.settled()
        assert checker.texts == [b"x = 29\n"]
        assert told.found == ["/p/a.py"]
        await session.settled()
        assert len(checker.asked) == 1

    play(scenario, monkeypatch, pause=0.5)  # longer than any of the thirty may take on a busy machine


def test_a_change_stops_the_check_that_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(session: Session, checker: Checker, told: Told) -> None:
        checker.slow.set()
        write(session, "/p/a.py", "old\n")
        waiting = asyncio.ensure_future(session.settled())
        await until(lambda: bool(checker.asked))
        write(session, "/p/a.py", "new\n")
        await until(lambda: bool(checker.stopped))
        checker.slow.clear()
        await waiting
        assert checker.texts[-1] == b"new\n"
        assert told.found == ["/p/a.py"]  # what was stopped has said nothing
        assert told.said == []

    play(scenario, monkeypatch)


def test_what_was_edited_last_is_judged_first_and_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(session: Session, checker: Checker, told: Told) -> None:
        write(session, "/p/a.py", "a\n")
        write(session, "/p/b.py", "b\n")
        session.folders.append("/p")
        await session.settled()
        assert checker.asked == [("/p/b.py",), ("/p/a.py", "/p/b.py")]
        write(session, "/q/c.py", "c\n")
        await session.settled()
        assert checker.asked[2:][0] == ("/q/c.py",)

    play(scenario, monkeypatch)


@pytest.mark.parametrize("error", [ConfigError("pyproject.toml: wrong"), ZeroDivisionError("a\nb")])
def test_trouble_is_said_once_and_forgotten_when_it_is_over(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(session: Session, checker: Checker, told: Told) -> None:
        for attempt in (error, error, None, error):
            checker.error = attempt
            write(session, "/p/a.py", "x\n")
            await session.settled()
        assert len(told.said) == 2
        kind, text = told.said[0]
        assert kind == "error"
        assert "\n" not in text
        assert ("internal error" in text) is isinstance(error, ZeroDivisionError)

    play(scenario, monkeypatch)


def test_folders_hold_files_innermost_first() -> None:
    folder_of = check.folder_of
    assert folder_of("/w/a/b/x.py", ["/w", "/w/a", "/w/ab"]) == "/w/a"
    assert folder_of("/w/abc.py", ["/w/a"]) == "/w"

"""An editor: a client of the server, which runs as the process that editors start and speaks through its pipes."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient
from pygls.uris import from_fs_path

Scenario = Callable[["Editor"], Awaitable[None]]
Play = Callable[..., None]

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}

LIMIT = 45.0
"""Seconds that nothing here takes."""


class Editor(LanguageClient):
    """What an editor knows: the diagnostics that it was sent, what it was told, and what it was asked."""

    def __init__(self, root: Path) -> None:
        super().__init__("editor", "1")
        self.root = root
        self.diagnostics: dict[str, list[types.Diagnostic]] = {}
        self.messages: list[str] = []
        self.log: list[str] = []
        self.refreshes = 0
        self.registered: list[types.Registration] = []
        self.capabilities: types.ServerCapabilities
        self._happened = asyncio.Event()
        self._versions: dict[str, int] = {}
        self._listen()

    def _listen(self) -> None:
        @self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.diagnostics[params.uri] = list(params.diagnostics)
            self._happened.set()

        @self.feature(types.WINDOW_SHOW_MESSAGE)
        def shown(params: types.ShowMessageParams) -> None:
            self.messages.append(params.message)
            self._happened.set()

        @self.feature(types.WINDOW_LOG_MESSAGE)
        def logged(params: types.LogMessageParams) -> None:
            self.log.append(params.message)
            self._happened.set()

        @self.feature(types.WORKSPACE_DIAGNOSTIC_REFRESH)
        def refresh(_params: None) -> None:
            self.refreshes += 1
            self._happened.set()

        @self.feature(types.CLIENT_REGISTER_CAPABILITY)
        def register(params: types.RegistrationParams) -> None:
            self.registered += params.registrations
            self._happened.set()

    def report_server_error(self, error: Exception, source: Any) -> None:
        raise AssertionError(f"{source}: {error}")

    async def begin(
        self,
        *folders: str,
        capabilities: types.ClientCapabilities | None = None,
        options: Any = None,
        arguments: tuple[str, ...] = (),
    ) -> None:
        """Starts the server and introduces itself."""
        await self.start_io(
            sys.executable, "-m", "torchdet_lint", "server", *arguments, cwd=str(self.root), env=ENVIRONMENT
        )
        named = [types.WorkspaceFolder(self.uri(folder), folder) for folder in folders or (".",)]
        asked = types.InitializeParams(
            capabilities=capabilities or types.ClientCapabilities(),
            workspace_folders=named,
            initialization_options=options,
        )
        self.capabilities = (await self.initialize_async(asked)).capabilities
        self.initialized(types.InitializedParams())

    async def finish(self) -> int:
        await self.shutdown_async(None)
        self.exit(None)
        assert self._server is not None
        status = await asyncio.wait_for(self._server.wait(), LIMIT)
        await self.stop()
        return status

    async def kill(self) -> None:
        if self._server is not None and self._server.returncode is None:
            self._server.kill()
            await self._server.wait()

    def uri(self, path: str) -> str:
        found = from_fs_path(str((self.root / path).resolve() if path == "." else self.root / path))
        assert found is not None
        return found

    def open(self, path: str, text: str | None = None) -> None:
        text = (self.root / path).read_text(encoding="utf-8") if text is None else text
        self._versions[path] = 1
        item = types.TextDocumentItem(self.uri(path), "python", 1, text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, path: str, *changes: types.TextDocumentContentChangeEvent | str) -> None:
        self._versions[path] += 1
        named = types.VersionedTextDocumentIdentifier(self._versions[path], self.uri(path))
        listed = [
            types.TextDocumentContentChangeWholeDocument(each) if isinstance(each, str) else each for each in changes
        ]
        self.text_document_did_change(types.DidChangeTextDocumentParams(named, listed))

    def close(self, path: str) -> None:
        self.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(self.uri(path))))

    def codes(self, path: str) -> list[str] | None:
        """What is shown for a file, as `line code`, from 1; None before anything was said about it."""
        found = self.diagnostics.get(self.uri(path))
        return None if found is None else sorted(f"{each.range.start.line + 1} {each.code}" for each in found)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Waits for something to be so."""

        async def wait() -> None:
            while not condition():
                self._happened.clear()
                await self._happened.wait()

        try:
            await asyncio.wait_for(wait(), LIMIT)
        except asyncio.TimeoutError:
            raise AssertionError(f"shown: {self.diagnostics}; said: {self.messages}; log: {self.log}") from None

    def ranges(self, path: str) -> list[tuple[int, int, int, int]]:
        """The ranges of what is shown for a file."""
        found = [each.range for each in self.diagnostics.get(self.uri(path), ())]
        return [(each.start.line, each.start.character, each.end.line, each.end.character) for each in found]

    async def shows(self, path: str, *codes: str) -> None:
        """Waits until a file shows exactly these."""
        await self.until(lambda: self.codes(path) == sorted(codes))

    async def actions(
        self, path: str, line: int, only: list[types.CodeActionKind | str] | None = None
    ) -> list[types.CodeAction]:
        at = types.Range(types.Position(line - 1, 0), types.Position(line - 1, 200))
        context = types.CodeActionContext(diagnostics=[], only=only)
        asked = types.CodeActionParams(types.TextDocumentIdentifier(self.uri(path)), at, context)
        return [
            each
            for each in await self.text_document_code_action_async(asked) or ()
            if isinstance(each, types.CodeAction)
        ]

    async def hover(self, path: str, line: int, character: int) -> str | None:
        place = types.HoverParams(types.TextDocumentIdentifier(self.uri(path)), types.Position(line - 1, character))
        found = await self.text_document_hover_async(place)
        return found.contents.value if found is not None and isinstance(found.contents, types.MarkupContent) else None

    def watched(self, *paths: str) -> None:
        """Something on the disk is not as it was."""
        events = [types.FileEvent(self.uri(path), types.FileChangeType.Changed) for path in paths]
        self.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(events))


def edit(line: int, start: int, end: int, text: str) -> types.TextDocumentContentChangePartial:
    """A change within a line, from 1; columns are the editor's, from 0."""
    at = types.Range(types.Position(line - 1, start), types.Position(line - 1, end))
    return types.TextDocumentContentChangePartial(at, text)


def applied(text: str, edit: types.WorkspaceEdit | None, uri: str) -> str:
    """A text, of the basic plane only, after the edits of an action."""
    assert edit is not None
    listed: list[Any] = list((edit.changes or {}).get(uri, ()))
    for change in edit.document_changes or ():
        assert isinstance(change, types.TextDocumentEdit)
        listed += change.edits if change.text_document.uri == uri else []
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:at])) for at in range(len(lines) + 1)]
    for each in sorted(listed, key=lambda each: (each.range.start.line, each.range.start.character), reverse=True):
        start, end = (starts[at.line] + at.character for at in (each.range.start, each.range.end))
        text = text[:start] + each.new_text + text[end:]
    return text

"""The language server: what the protocol asks, handed to the rooms that know."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Awaitable, Callable, Iterable
from functools import wraps
from typing import Any, BinaryIO, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from torchdet_lint import __version__
from torchdet_lint.engine.troubles import trouble
from torchdet_lint.server import actions, buffers
from torchdet_lint.server.actions import Abilities
from torchdet_lint.server.buffers import Document, path_of
from torchdet_lint.server.check import Checker, Found, Given
from torchdet_lint.server.diagnostics import Pulled, Pushed, View, diagnostics
from torchdet_lint.server.edits import edits_between, workspace_edit
from torchdet_lint.server.hover import hover
from torchdet_lint.server.session import Listener, Session

P = TypeVar("P")
R = TypeVar("R")

NAME = "torchdet-lint"

WATCHED = ("**/*.py", "**/*.pyi", "**/*.ipynb", "**/*.toml", "**/.gitignore", "**/requirements*.txt", "**/setup.cfg")
"""What findings depend on besides open documents: code, configuration (which may extend other files), versions."""

NOTEBOOKS = types.NotebookDocumentSyncOptions(
    notebook_selector=[
        types.NotebookDocumentFilterWithCells(
            cells=[types.NotebookCellLanguage(language=buffers.PYTHON)],
            notebook=types.NotebookDocumentFilterNotebookType(notebook_type="jupyter-notebook"),
        )
    ],
    save=True,
)


class Server(LanguageServer):
    """One editor's server."""

    def __init__(self, given: Given) -> None:
        super().__init__(NAME, __version__, notebook_document_sync=NOTEBOOKS)
        self.checker = Checker(given)
        self.pushed: Pushed | None = None
        self.pulled: Pulled | None = None
        self.can = Abilities()
        self.ended = False
        self._session: Session | None = None

    @property
    def session(self) -> Session:
        """Begun by `initialize`."""
        if self._session is None:
            self._session = Session(self.checker, Listener(self.found, self.say))
        return self._session

    def report_server_error(self, error: Exception, _source: Any) -> None:
        """What pygls could not do, in one line of the log: whoever asked has been answered."""
        self.say("info", f"a message could not be handled: {' '.join(str(error).split())}")

    def say(self, kind: str, text: str) -> None:
        """To the user ("error") or to the log."""
        if kind == "error":
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"{NAME}: {text}"))
        else:
            self.window_log_message(types.LogMessageParams(types.MessageType.Info, text))

    def view(self) -> View:
        """What is open now."""
        return View(self.session.buffers.documents(), self.session.buffers.encoding)

    def found(self, paths: Iterable[str]) -> None:
        """Findings of these paths are new."""
        view = self.view()
        stale = False
        for path in paths:
            document = view.documents.get(path)
            if document is None:
                continue
            listed = diagnostics(document, self.session.found.get(path), view)
            if self.pushed is not None:
                self.pushed.send(document, listed)
            elif self.pulled is not None:
                stale = stale or any(self.pulled.is_stale(uri, own) for uri, own in listed.items())
        if stale:
            self.workspace_diagnostic_refresh(None)

    def closed(self) -> None:
        """Takes back what was said about documents that are not open any more."""
        if self.pushed is not None:
            documents = self.session.buffers.documents().values()
            self.pushed.keep_only(text.uri for document in documents for text in document.texts)

    async def settled(self, uri: str) -> tuple[Document, Found] | None:
        """A document and what is found in it as it is now; None where it is none that is checked."""
        session = self.session
        if session.document(uri) is None:
            return None
        await session.settled()
        document = session.document(uri)
        found = session.found.get(document.path) if document is not None else None
        return None if document is None or found is None else (document, found)


def make(given: Given) -> Server:
    """A server with all that it answers."""
    server = Server(given)
    _life(server)
    _documents(server)
    _questions(server)
    return server


def _careful(server: Server, otherwise: R) -> Callable[[Callable[[P], Awaitable[R]]], Callable[[P], Awaitable[R]]]:
    """Answers `otherwise` where a question cannot be answered, and says so in the log: nobody wants to see a traceback."""

    def decorate(handler: Callable[[P], Awaitable[R]]) -> Callable[[P], Awaitable[R]]:
        @wraps(handler)
        async def answered(params: P) -> R:
            try:
                return await handler(params)
            except Exception as error:  # noqa: BLE001 (the last line of defence)
                server.say("info", trouble(error, handler.__name__.replace("_", " "), "the answer is empty"))
                return otherwise

        return answered

    return decorate


def _life(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    async def initialize(params: types.InitializeParams) -> None:
        session = server.session
        session.buffers.encoding = str(
            getattr(server.workspace.position_encoding, "value", server.workspace.position_encoding)
        )
        folders = [folder.uri for folder in params.workspace_folders or ()] or [params.root_uri or ""]
        session.folders = [path for uri in folders if (path := path_of(uri)) is not None]
        _configure(server, params.initialization_options)
        _learn(server, params.capabilities)
        session.start()

    @server.feature(types.INITIALIZED)
    @_careful(server, None)
    async def initialized(_params: types.InitializedParams) -> None:
        workspace = server.client_capabilities.workspace
        watched = workspace.did_change_watched_files if workspace else None
        if watched is not None and watched.dynamic_registration:
            watchers = [types.FileSystemWatcher(glob_pattern=pattern) for pattern in WATCHED]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            registration = types.Registration("watched", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            await server.client_register_capability_async(types.RegistrationParams([registration]))

    @server.feature(types.SHUTDOWN)
    async def shutdown(_params: None = None) -> None:
        server.ended = True
        server.session.end()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    @_careful(server, None)
    async def folders_changed(params: types.DidChangeWorkspaceFoldersParams) -> None:
        session = server.session
        gone = {path_of(folder.uri) for folder in params.event.removed}
        session.folders = [path for path in session.folders if path not in gone]
        session.folders += [path for folder in params.event.added if (path := path_of(folder.uri)) is not None]
        session.changed()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    @_careful(server, None)
    async def configuration_changed(params: types.DidChangeConfigurationParams) -> None:
        if isinstance(params.settings, dict) and NAME in params.settings:
            _configure(server, params.settings[NAME])
        server.session.changed()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    @_careful(server, None)
    async def files_changed(params: types.DidChangeWatchedFilesParams) -> None:
        open_now = server.session.buffers.documents()
        if any(path_of(change.uri) not in open_now for change in params.changes):
            server.session.changed()


def _configure(server: Server, options: Any) -> None:
    """Takes what the editor sets: `config`, a table of keys of the configuration, and `ignoreReason`."""
    options = options if isinstance(options, dict) else {}
    config, reason = options.get("config"), options.get("ignoreReason")
    server.checker.editor = config if isinstance(config, dict) else {}
    reason = reason.strip() if isinstance(reason, str) and reason.isprintable() and "#" not in reason else ""
    can = server.can
    server.can = Abilities(can.versioned, can.resolves, can.snippets, reason)


def _learn(server: Server, client: types.ClientCapabilities) -> None:
    """What the editor can do decides how it is served."""
    document, workspace = client.text_document, client.workspace
    edit = workspace.workspace_edit if workspace else None
    action = document.code_action if document else None
    resolve = action.resolve_support if action else None
    server.can = Abilities(
        versioned=bool(edit and edit.document_changes),
        resolves=resolve is not None and "edit" in resolve.properties,
        snippets=bool(edit and edit.snippet_edit_support),
        reason=server.can.reason,
    )
    refresh = workspace.diagnostics if workspace else None
    # An editor that asks, but cannot be told to ask again, would not hear of what a change does to other files.
    if document is None or document.diagnostic is None or refresh is None or not refresh.refresh_support:
        server.pushed = Pushed(server.text_document_publish_diagnostics)
        return
    pulled = server.pulled = Pulled()
    options = types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier=NAME)

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    @_careful(server, types.RelatedFullDocumentDiagnosticReport(items=[]))
    async def diagnostic(params: types.DocumentDiagnosticParams) -> Any:
        uri = params.text_document.uri
        pulled.asked(uri)
        try:
            there = await server.settled(uri)
        finally:
            pulled.gone(uri)
        listed = {} if there is None else diagnostics(*there, server.view())
        return pulled.answer(uri, listed.get(uri, []), params.previous_result_id)


def _documents(server: Server) -> None:
    session = server.session

    def on(method: str, do: Callable[[Any], None], uri: Callable[[Any], str], pause: float | None = None) -> None:
        """Notes what a notification says, and checks soon."""

        @server.feature(method)
        @_careful(server, None)
        async def note(params: Any) -> None:
            do(params)
            server.closed()
            if pause is None:
                session.changed(path_of(uri(params)))
            else:
                session.changed(path_of(uri(params)), pause)

    texts, notebooks = lambda params: params.text_document.uri, lambda params: params.notebook_document.uri
    held = session.buffers
    on(types.TEXT_DOCUMENT_DID_OPEN, lambda params: held.opened(params.text_document), texts, 0.0)
    on(
        types.TEXT_DOCUMENT_DID_CHANGE,
        lambda params: held.changed(params.text_document.uri, params.text_document.version, params.content_changes),
        texts,
    )
    on(types.TEXT_DOCUMENT_DID_SAVE, lambda _params: None, texts, 0.0)
    on(types.TEXT_DOCUMENT_DID_CLOSE, lambda params: held.closed(params.text_document.uri), texts)
    on(types.NOTEBOOK_DOCUMENT_DID_OPEN, held.notebook_opened, notebooks, 0.0)
    on(types.NOTEBOOK_DOCUMENT_DID_CHANGE, held.notebook_changed, notebooks)
    on(types.NOTEBOOK_DOCUMENT_DID_SAVE, lambda _params: None, notebooks, 0.0)
    on(types.NOTEBOOK_DOCUMENT_DID_CLOSE, held.notebook_closed, notebooks)


def _questions(server: Server) -> None:
    nothing: Any = None

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    @_careful(server, nothing)
    async def hovering(params: types.HoverParams) -> types.Hover | None:
        there = await server.settled(params.text_document.uri)
        if there is None:
            return None
        document, found = there
        text = next(each for each in document.texts if each.uri == params.text_document.uri)
        return hover(text, params.position, found, server.view())

    options = types.CodeActionOptions(code_action_kinds=actions.KINDS, resolve_provider=True)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)
    @_careful(server, nothing)
    async def offering_actions(params: types.CodeActionParams) -> list[types.CodeAction] | None:
        there = await server.settled(params.text_document.uri)
        if there is None:
            return None
        document, found = there
        offered: list[types.CodeAction] = []
        only, uri = params.context.only, params.text_document.uri
        if actions.wanted(types.CodeActionKind.QuickFix.value, only):
            data = server.session.buffers.bytes_of(document)
            offered += actions.quick_fixes(uri, params.range, found, data, server.view(), server.can)
        if actions.wanted(actions.FIX_ALL, only):
            action = actions.fix_all(uri, document, found)
            if action is not None and not server.can.resolves:
                action = await _resolved(server, action) if only is not None else None
            offered += [action] if action is not None else []
        return offered

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolving_an_action(action: types.CodeAction) -> types.CodeAction:
        try:
            return await _resolved(server, action)
        except Exception as error:  # noqa: BLE001 (the last line of defence)
            server.say("info", trouble(error, "fixing", "nothing is changed"))
            return action


async def _resolved(server: Server, action: types.CodeAction) -> types.CodeAction:
    """An action with its edits."""
    uri = actions.uri_of(action.data)
    there = None if uri is None else await server.settled(uri)
    if there is None:
        return action
    document, found = there
    fixed = await server.session.aside(lambda stop: server.checker.fix(found.by, document.path, stop.progress))
    documents = server.view().documents
    if documents.get(document.path) != document:  # somebody has typed meanwhile
        return action
    edits = edits_between(fixed.files, documents)
    action.edit = workspace_edit(edits, documents.values(), server.can.versioned)
    return action


def serve(given: Given, *, verbose: bool = False) -> int:
    """Serves one editor on standard input and output until it says `exit`; the exit status is what the protocol asks for."""
    logging.basicConfig(stream=sys.stderr, level=logging.INFO if verbose else logging.CRITICAL + 1)
    server = make(given)
    server.start_io(stdout=_own_output())
    server.session.end()
    return 0 if server.ended else 1


def _own_output() -> BinaryIO:
    """Standard output for the protocol alone: what else is written to it, by whatever code, goes to standard error."""
    own = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    try:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):  # standard error is closed
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return own

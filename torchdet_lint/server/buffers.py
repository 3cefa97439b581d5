"""What is open in the editor: texts, and notebooks whose cells are texts, as they are there now."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from lsprotocol import types
from pygls.uris import to_fs_path

from torchdet_lint.server.positions import offset_at
from torchdet_lint.source.files import EXTENSIONS
from torchdet_lint.source.text import encoding_of, without_surrogates

PYTHON = "python"


@dataclass
class Text:
    """A text document: a file of its own, or a cell."""

    uri: str
    text: str
    version: int
    language: str


@dataclass
class Notebook:
    """A notebook: the documents of its cells that the editor sent, in order, and whether they hold code."""

    uri: str
    path: str
    cells: list[tuple[str, bool]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Document:
    """What is open at an absolute path: one text, or the texts of a notebook's cells, of which cell 1 is the first."""

    path: str
    texts: tuple[Text, ...]
    notebook: bool = False

    def text_of(self, cell: int | None) -> Text | None:
        """The text that a place is in. A notebook that is open as JSON has no cells of its own."""
        if not self.notebook:
            return self.texts[0]
        return self.texts[cell - 1] if cell is not None and cell <= len(self.texts) else None


class Buffers:
    """All open documents. What the protocol says is done as it is told; what is not open is passed over."""

    def __init__(self) -> None:
        self.encoding: str = types.PositionEncodingKind.Utf16
        self._texts: dict[str, Text] = {}
        self._notebooks: dict[str, Notebook] = {}

    def opened(self, item: types.TextDocumentItem) -> None:
        self._texts[item.uri] = Text(item.uri, item.text, item.version, item.language_id)

    def changed(self, uri: str, version: int, changes: Iterable[types.TextDocumentContentChangeEvent]) -> None:
        """Applies changes in their order, each to the outcome of the one before."""
        text = self._texts.get(uri)
        if text is None:
            return
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                start, end = (offset_at(text.text, at, self.encoding) for at in (change.range.start, change.range.end))
                text.text = text.text[:start] + change.text + text.text[end:]
            else:
                text.text = change.text
        text.version = version

    def closed(self, uri: str) -> None:
        self._texts.pop(uri, None)

    def notebook_opened(self, params: types.DidOpenNotebookDocumentParams) -> None:
        path = path_of(params.notebook_document.uri)
        for item in params.cell_text_documents:
            self.opened(item)
        if path is not None:
            uri = params.notebook_document.uri
            self._notebooks[uri] = Notebook(uri, path, _listed(params.notebook_document.cells))

    def notebook_changed(self, params: types.DidChangeNotebookDocumentParams) -> None:
        notebook, cells = self._notebooks.get(params.notebook_document.uri), params.change.cells
        if notebook is None or cells is None:
            return
        if cells.structure is not None:
            array = cells.structure.array
            for item in cells.structure.did_open or ():
                self.opened(item)
            notebook.cells[array.start : array.start + array.delete_count] = _listed(array.cells or ())
            for gone in cells.structure.did_close or ():
                self.closed(gone.uri)
        kinds = dict(_listed(cells.data or ()))
        notebook.cells = [(uri, kinds.get(uri, code)) for uri, code in notebook.cells]
        for content in cells.text_content or ():
            self.changed(content.document.uri, content.document.version, content.changes)

    def notebook_closed(self, params: types.DidCloseNotebookDocumentParams) -> None:
        self._notebooks.pop(params.notebook_document.uri, None)
        for cell in params.cell_text_documents:
            self.closed(cell.uri)

    def documents(self) -> dict[str, Document]:
        """What is open, by path: Python files and notebooks that have a path."""
        found: dict[str, Document] = {}
        cells: set[str] = set()
        for notebook in self._notebooks.values():
            texts = [self._texts.get(uri) or Text(uri, "", 0, "") for uri, _ in notebook.cells]
            cells |= {uri for uri, _ in notebook.cells}
            found[notebook.path] = Document(notebook.path, tuple(texts), notebook=True)
        for text in self._texts.values():
            path = None if text.uri in cells else path_of(text.uri)
            if path is not None and path not in found and (text.language == PYTHON or path.endswith(EXTENSIONS)):
                found[path] = Document(path, (text,))
        return found

    def document_of(self, uri: str) -> Document | None:
        """The document that holds a text."""
        return next((each for each in self.documents().values() if any(t.uri == uri for t in each.texts)), None)

    def bytes_of(self, document: Document) -> bytes:
        """What a document would be on the disk, near enough for the analysis."""
        return _notebook(document.texts, self._code()) if document.notebook else _encoded(document.texts[0].text)

    def _code(self) -> set[str]:
        return {uri for notebook in self._notebooks.values() for uri, code in notebook.cells if code}


def path_of(uri: str) -> str | None:
    """The path of a document; None for one that is not of the file system (never saved, or from somewhere else)."""
    path = to_fs_path(uri)
    return None if not path or "\0" in path else os.path.normpath(path)


def _listed(cells: Iterable[types.NotebookCell]) -> list[tuple[str, bool]]:
    return [(cell.document, cell.kind == types.NotebookCellKind.Code) for cell in cells]


def _encoded(text: str) -> bytes:
    """A text in the encoding that it declares, as the editor would save it."""
    text = without_surrogates(text)
    data = text.encode()
    try:
        return text.encode(encoding_of(data))
    except (UnicodeError, LookupError):  # the analysis will say it
        return data


def _notebook(texts: Sequence[Text], code: set[str]) -> bytes:
    """The JSON of a notebook with these cells; those in other languages than Python hold nothing to analyse."""
    cells: list[dict[str, Any]] = [
        {
            "cell_type": "code" if text.uri in code and text.language == PYTHON else "raw",
            "metadata": {},
            "source": without_surrogates(text.text),
        }
        for text in texts
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()

"""Edits of findings, and changed files, as edits of the editor's documents."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence

from lsprotocol import types

from torchdet_lint.engine.fixing import FixedFile
from torchdet_lint.finding import Fix
from torchdet_lint.server.buffers import Document
from torchdet_lint.server.check import Checked
from torchdet_lint.server.diagnostics import View
from torchdet_lint.source.lines import line_starts
from torchdet_lint.source.notebook_json import read_cells
from torchdet_lint.source.text import decode

Edit = types.TextEdit | types.AnnotatedTextEdit | types.SnippetTextEdit
Edits = Mapping[str, Sequence[Edit]]
"""Edits by the document that they are made in."""


def edits_of(fix: Fix, by: Checked, view: View) -> Edits | None:
    """What a fix changes; None where a part of it is in no document that the editor can change."""
    found: dict[str, list[Edit]] = {}
    for edit in (*fix.imports, *fix.edits):
        if by.path(edit.location.path) in by.held:
            return None
        uri = view.uri(by, edit.location)
        document = view.documents.get(by.path(edit.location.path))
        if uri is None or (edit.location.cell is not None and (document is None or not document.notebook)):
            return None
        found.setdefault(uri, []).append(types.TextEdit(view.range(by, edit.location), edit.text))
    return found


def edits_between(files: Iterable[FixedFile], documents: Mapping[str, Document]) -> Edits:
    """The way from files as they were to files as they are, for those that are open."""
    found: dict[str, list[Edit]] = {}
    for file in files:
        document = documents.get(file.path)
        if document is None:
            continue
        if not document.notebook:
            _add(found, document.texts[0].uri, decode(file.before, file.path), decode(file.after, file.path))
            continue
        before, after = _cells(file.before), _cells(file.after)
        for number in before.keys() & after.keys():
            text = document.text_of(number)
            if text is not None:
                _add(found, text.uri, before[number], after[number])
    return found


def _cells(data: bytes) -> dict[int, str]:
    _, cells = read_cells(data.decode("utf-8-sig"))
    return {cell.number: "".join(piece.text for piece in cell.pieces) for cell in cells}


def _add(found: dict[str, list[Edit]], uri: str, before: str, after: str) -> None:
    edits = list(_differences(_lines(before), _lines(after)))
    if edits:
        found.setdefault(uri, []).extend(edits)


def _differences(before: list[str], after: list[str]) -> Iterator[types.TextEdit]:
    """Whole lines, so that it does not matter in which units columns are counted."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for kind, start, end, first, last in matcher.get_opcodes():
        if kind != "equal":
            at = types.Range(types.Position(start, 0), types.Position(end, 0))
            yield types.TextEdit(at, "".join(after[first:last]))


def _lines(text: str) -> list[str]:
    """The lines of a text with their ends. A last one without an end is its own, so that an edit of it ends behind the text."""
    starts = line_starts(text)
    return [text[start:end] for start, end in zip(starts, (*starts[1:], len(text)), strict=True) if start < end]


def workspace_edit(edits: Edits, documents: Iterable[Document], versioned: bool) -> types.WorkspaceEdit:
    """For an editor that knows versions of documents, or for one that does not."""
    if not versioned:
        plain = {uri: [each for each in own if isinstance(each, types.TextEdit)] for uri, own in edits.items()}
        return types.WorkspaceEdit(changes=plain)
    versions = {text.uri: text.version for document in documents for text in document.texts}
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, versions.get(uri)), list(own))
            for uri, own in edits.items()
        ]
    )

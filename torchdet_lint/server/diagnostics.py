"""Findings as the diagnostics of documents."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from typing import NamedTuple

from lsprotocol import converters, types
from pygls.uris import from_fs_path

from torchdet_lint.finding import Finding, Location
from torchdet_lint.server.buffers import Document
from torchdet_lint.server.check import Checked, Found
from torchdet_lint.server.positions import range_of

SOURCE = "torchdet-lint"

_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
_UNNECESSARY = ("TDL900",)
"""Rules about something that can be taken away; editors show it faded."""

_CONVERTER = converters.get_converter()


class View(NamedTuple):
    """How places of a run become those of the editor: what is open, by path, and in which units it counts."""

    documents: dict[str, Document]
    encoding: str

    def uri(self, by: Checked, at: Location) -> str | None:
        """The document that a place is in; None for the cell of a notebook that is not open as one."""
        path = by.path(at.path)
        document = self.documents.get(path)
        if document is not None:
            text = document.text_of(at.cell)
            return None if text is None else text.uri
        return from_fs_path(path) or None

    def range(self, by: Checked, at: Location) -> types.Range:
        document = self.documents.get(by.path(at.path))
        if at.file_line is not None and (document is None or not document.notebook):
            return types.Range(types.Position(at.file_line - 1, 0), types.Position(at.file_line, 0))
        return range_of(at, by.excerpt, self.encoding)


def diagnostics(document: Document, found: Found | None, view: View) -> dict[str, list[types.Diagnostic]]:
    """The diagnostics of each text of a document."""
    listed: dict[str, list[types.Diagnostic]] = {text.uri: [] for text in document.texts}
    for finding in () if found is None else found.findings:
        uri = view.uri(found.by, finding.location) if found is not None else None
        if uri in listed and found is not None:
            listed[uri].append(diagnostic(finding, found.by, view))
    return listed


def diagnostic(finding: Finding, by: Checked, view: View) -> types.Diagnostic:
    help_line = f"\nhelp: {finding.help}" if finding.help else ""
    described = types.CodeDescription(href=finding.url) if "://" in finding.url else None
    return types.Diagnostic(
        range=view.range(by, finding.location),
        message=finding.message + help_line,
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        code_description=described,
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if finding.code in _UNNECESSARY else None,
        related_information=list(_related(finding, by, view)) or None,
        data={"fingerprint": finding.fingerprint},
    )


def _related(finding: Finding, by: Checked, view: View) -> Iterable[types.DiagnosticRelatedInformation]:
    for place, label in finding.related:
        uri = view.uri(by, place)
        if uri is not None:
            yield types.DiagnosticRelatedInformation(types.Location(uri, view.range(by, place)), label)


def name_of(found: Iterable[types.Diagnostic]) -> str:
    """A name for a list of diagnostics, the same for equal lists."""
    text = json.dumps([_CONVERTER.unstructure(each) for each in found], sort_keys=True)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


Publish = Callable[[types.PublishDiagnosticsParams], None]


class Pushed:
    """Diagnostics for an editor that does not ask for them: sent when they are new, taken back when a document is closed."""

    def __init__(self, publish: Publish) -> None:
        self._publish = publish
        self._sent: dict[str, tuple[str, int]] = {}

    def send(self, document: Document, listed: dict[str, list[types.Diagnostic]]) -> None:
        for text in document.texts:
            name = (name_of(listed[text.uri]), text.version)
            if self._sent.get(text.uri) != name:
                self._sent[text.uri] = name
                self._publish(types.PublishDiagnosticsParams(text.uri, listed[text.uri], text.version))

    def keep_only(self, uris: Iterable[str]) -> None:
        for uri in set(self._sent).difference(uris):
            del self._sent[uri]
            self._publish(types.PublishDiagnosticsParams(uri, []))


class Pulled:
    """What an editor that asks for diagnostics was given last, and which of its questions are still open."""

    def __init__(self) -> None:
        self._given: dict[str, str] = {}
        self._open: dict[str, int] = {}

    def asked(self, uri: str) -> None:
        self._open[uri] = self._open.get(uri, 0) + 1

    def gone(self, uri: str) -> None:
        """A question has been answered, or taken back."""
        self._open[uri] -= 1

    def answer(
        self, uri: str, found: list[types.Diagnostic], known: str | None
    ) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
        name = self._given[uri] = name_of(found)
        if name == known:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=name)
        return types.RelatedFullDocumentDiagnosticReport(items=found, result_id=name)

    def is_stale(self, uri: str, found: list[types.Diagnostic]) -> bool:
        """Whether the editor shows something else, and is not about to be told."""
        return not self._open.get(uri) and self._given.get(uri, name_of(())) != name_of(found)

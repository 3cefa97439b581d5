"""What can be done about findings: fix one, say that it is meant, fix all that is safe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from lsprotocol import types

from torchdet_lint.engine.ignoring import NEVER, comments_for
from torchdet_lint.finding import Finding
from torchdet_lint.server.buffers import Document
from torchdet_lint.server.check import Found
from torchdet_lint.server.diagnostics import View, diagnostic
from torchdet_lint.server.edits import Edit, edits_of, workspace_edit
from torchdet_lint.server.positions import overlap
from torchdet_lint.source import SourceError, load

FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.torchdet-lint"

KINDS: list[types.CodeActionKind | str] = [types.CodeActionKind.QuickFix, FIX_ALL]


@dataclass(frozen=True, slots=True)
class Abilities:
    """What the editor can do with actions, and what it says about reasons."""

    versioned: bool = False
    resolves: bool = False
    snippets: bool = False
    reason: str = ""


def wanted(kind: str, only: Iterable[types.CodeActionKind | str] | None) -> bool:
    """Whether actions of a kind are asked for: `source.fixAll` asks for `source.fixAll.torchdet-lint` too."""
    asked = None if only is None else [str(getattr(each, "value", each)) for each in only]
    return asked is None or any(kind == each or kind.startswith(f"{each}.") or not each for each in asked)


def quick_fixes(
    uri: str, where: types.Range, found: Found, data: bytes, view: View, can: Abilities
) -> Iterator[types.CodeAction]:
    """The actions for the findings at a place of a document, whose bytes are `data`."""
    here = [
        finding
        for finding in found.findings
        if view.uri(found.by, finding.location) == uri and overlap(view.range(found.by, finding.location), where)
    ]
    for finding in here:
        action = _fix(finding, found, view, can)
        if action is not None:
            yield action
    for finding in here:
        action = _ignore(finding, found, data, view, can)
        if action is not None:
            yield action


def _fix(finding: Finding, found: Found, view: View, can: Abilities) -> types.CodeAction | None:
    fix = finding.fix
    edits = None if fix is None or fix.safety == "display" else edits_of(fix, found.by, view)
    if fix is None or not edits:
        return None
    return types.CodeAction(
        title=f"{finding.code}: {fix.title}" + (" (unsafe: changes results)" if fix.safety == "unsafe" else ""),
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic(finding, found.by, view)],
        is_preferred=fix.safety == "safe",
        edit=workspace_edit(edits, view.documents.values(), can.versioned),
    )


def _ignore(finding: Finding, found: Found, data: bytes, view: View, can: Abilities) -> types.CodeAction | None:
    if finding.code in NEVER:
        return None
    shown, path = finding.location.path, found.by.path(finding.location.path)
    try:
        source = load(path, data, shown)
    except SourceError:
        return None
    edits: dict[str, list[Edit]] = {}
    for change in comments_for(source, (finding,), can.reason):
        at = source.location(change.start, change.end)
        uri, there = view.uri(found.by, at), view.range(found.by, at)
        if uri is None:
            return None
        edits.setdefault(uri, []).append(_comment(there, change.text, can))
    return types.CodeAction(
        title=f"{finding.code}: ignore it in this statement",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic(finding, found.by, view)],
        edit=workspace_edit(edits, view.documents.values(), can.versioned),
    )


def _comment(there: types.Range, text: str, can: Abilities) -> Edit:
    """The comment; where the editor can do that, with its reason selected, to be written over."""
    if not (can.snippets and can.versioned and text.startswith("  #")):
        return types.TextEdit(there, text)
    comment = text.removesuffix(can.reason).rstrip()
    escaped = comment.replace("\\", "\\\\").replace("$", "\\$").replace("}", "\\}")
    reason = (can.reason or "reason").replace("\\", "\\\\").replace("$", "\\$").replace("}", "\\}")
    return types.SnippetTextEdit(there, types.StringValue(f"{escaped} ${{1:{reason}}}"))


def fix_all(uri: str, document: Document, found: Found) -> types.CodeAction | None:
    """The action that makes all safe fixes, without its edits; None where there are none."""
    if not any(finding.fix is not None and finding.fix.safety == "safe" for finding in found.findings):
        return None
    return types.CodeAction(title="torchdet-lint: fix all that is safe", kind=FIX_ALL, data={"uri": uri})


def uri_of(data: Any) -> str | None:
    """The document that an action which an editor gives back is about."""
    uri = data.get("uri") if isinstance(data, dict) else getattr(data, "uri", None)
    return uri if isinstance(uri, str) else None

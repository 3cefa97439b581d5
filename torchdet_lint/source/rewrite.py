"""Edited text back to the bytes of a file: its encoding, byte order mark and line ends stay, and all of a notebook's JSON
outside of the strings that are touched.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import NamedTuple

from torchdet_lint.source.magics import without_magics
from torchdet_lint.source.notebook_json import CodeCell, Piece, read_cells
from torchdet_lint.source.text import decode, encoding_of, without_surrogates


class Change(NamedTuple):
    """A replacement of a span of the analysed text."""

    start: int
    end: int
    text: str


class RewriteError(Exception):
    """A file whose bytes cannot be made from the edited text: why, in one line."""


def edited(text: str, changes: Iterable[Change]) -> str:
    """The text with changes that do not overlap; those at one place in their order."""
    pieces: list[str] = []
    copied = 0
    for change in sorted(changes, key=lambda change: (change.start, change.end)):
        pieces += (text[copied : change.start], change.text)
        copied = change.end
    return "".join((*pieces, text[copied:]))


def rewritten(path: str, data: bytes, changes: Sequence[Change]) -> bytes:
    """The bytes of a file with its analysed text changed. Raises RewriteError."""
    if path.endswith(".ipynb"):
        return _notebook(data, changes)
    marked = data.startswith(codecs.BOM_UTF8)
    encoding = encoding_of(data)
    text = decode(data, path)
    before = codecs.BOM_UTF8 if marked else b""
    try:
        if before + text.encode(encoding) != data:
            raise RewriteError(f"its bytes cannot be written back as {encoding}")
        return before + edited(text, changes).encode(encoding)
    except UnicodeEncodeError:
        raise RewriteError(f"the change cannot be written as {encoding}") from None


def _notebook(data: bytes, changes: Sequence[Change]) -> bytes:
    marked = data.startswith(codecs.BOM_UTF8)
    raw = data.decode("utf-8-sig")
    _, cells = read_cells(raw)
    replacements: list[Change] = []
    left = list(changes)
    for cell, start, source, code in _placed(cells):
        end = start + len(source)
        own = [change for change in left if start <= change.start < start + max(len(code), 1) and change.end <= end]
        own = own or [change for change in left if change.start == change.end == end == start + len(code)]
        left = [change for change in left if change not in own]
        if own:
            replacements += _cell(
                raw, cell, source, code, [Change(c.start - start, c.end - start, c.text) for c in own]
            )
    if left:
        raise RewriteError("the change does not fit into one cell")
    text = edited(raw, replacements)
    return (codecs.BOM_UTF8 if marked else b"") + text.encode("utf-8")


def _placed(cells: list[CodeCell]) -> Iterable[tuple[CodeCell, int, str, str]]:
    """The cells with code: (cell, where it starts in the joined text, its source, its share of the joined text)."""
    at = 0
    for cell in cells:
        source = "".join(piece.text for piece in cell.pieces)
        if not source:
            continue
        code = without_magics(without_surrogates(source))
        code += "\n\n" if code.endswith("\\") else "" if code.endswith("\n") else "\n"
        yield cell, at, source, code
        at += len(code)


def _cell(raw: str, cell: CodeCell, source: str, code: str, changes: list[Change]) -> list[Change]:
    """The replacements in the raw file for changes of one cell's source."""
    for change in changes:
        if source[change.start : change.end] != code[change.start : change.end]:
            raise RewriteError("the change would touch a magic command of the notebook")
    found: list[Change] = []
    pieces = list(cell.pieces)
    for first, last in _groups(pieces, changes):
        start = sum(len(piece.text) for piece in pieces[:first])
        text = "".join(piece.text for piece in pieces[first : last + 1])
        own = [c for c in changes if _touches(c, start, start + len(text), last == len(pieces) - 1)]
        if not own:
            continue
        changed = edited(text, [Change(c.start - start, c.end - start, c.text) for c in own])
        begin, end = pieces[first].offset, _literal_end(raw, pieces[last])
        if not changed and last + 1 < len(pieces):  # a line that is gone leaves no empty string behind
            found.append(Change(begin, pieces[last + 1].offset, ""))
            continue
        found.append(Change(begin, end, _literals(raw, pieces, first, changed, len(pieces))))
    return found


def _touches(change: Change, start: int, end: int, final: bool) -> bool:
    return start <= change.start and (change.start < end or (final and change.start == end)) and change.end <= end


def _groups(pieces: list[Piece], changes: list[Change]) -> list[tuple[int, int]]:
    """Runs of strings that have to be written together, since a change goes over their borders."""
    bounds = [0]
    for piece in pieces:
        bounds.append(bounds[-1] + len(piece.text))
    groups: list[tuple[int, int]] = []
    for index in range(len(pieces)):
        border = bounds[index]
        joined = any(change.start < border < change.end for change in changes)
        if joined and groups:
            groups[-1] = (groups[-1][0], index)
        else:
            groups.append((index, index))
    return groups


def _literals(raw: str, pieces: list[Piece], first: int, text: str, count: int) -> str:
    """A cell's text as JSON: one string where the source was one string, else a string a line, as the others are."""
    ascii_only = raw.isascii() and "\\u" in raw
    if count == 1 and not _in_list(raw, pieces[0]):
        return json.dumps(text, ensure_ascii=ascii_only)
    lines = text.splitlines(keepends=True) if "\r" not in text else [text]
    separator = _separator(raw, pieces)
    return separator.join(json.dumps(line, ensure_ascii=ascii_only) for line in _plain_lines(lines)) or '""'


def _plain_lines(lines: list[str]) -> list[str]:
    """Lines that end with a line feed only: other separators of lines are characters like any."""
    joined: list[str] = []
    for line in lines:
        if joined and not joined[-1].endswith("\n"):
            joined[-1] += line
        else:
            joined.append(line)
    return joined


def _in_list(raw: str, piece: Piece) -> bool:
    return raw[: piece.offset].rstrip().endswith("[")


def _separator(raw: str, pieces: list[Piece]) -> str:
    """What stands between two strings of the list."""
    if len(pieces) > 1:
        return raw[_literal_end(raw, pieces[0]) : pieces[1].offset]
    lead = raw[: pieces[0].offset]
    blank = lead[len(lead.rstrip()) :]
    return "," + (blank if "\n" in blank else " ")


def _literal_end(raw: str, piece: Piece) -> int:
    end: int = scanstring(raw, piece.offset + 1, True)[1]
    return end

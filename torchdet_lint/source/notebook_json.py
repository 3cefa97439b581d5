"""The JSON of a notebook, read so that the place of every string of a cell's source in the raw file is kept.

Only the way down to the sources is walked here; every other value is read, and checked, by the decoder of `json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple


class Piece(NamedTuple):
    """A string of a cell's source, and the offset of its opening quote in the raw file."""

    text: str
    offset: int


class CodeCell(NamedTuple):
    """A code cell; `number` counts the cells of every kind, from 1."""

    number: int
    pieces: tuple[Piece, ...]


class NotANotebookError(Exception):
    """JSON that is no notebook."""


_BLANK = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


def is_python(language: str) -> bool:
    """Whether a notebook's or cell's language is Python or a dialect of it."""
    return language.lower().startswith(("python", "ipython", "cython", "sage"))


def read_cells(raw: str) -> tuple[str, list[CodeCell]]:
    """The language of a notebook ("python" where it names none) and its code cells, from format 3 on.

    Raises json.JSONDecodeError, RecursionError, NotANotebookError.
    """
    cells: list[CodeCell] = []
    language, count, listed = "python", 0, False

    def cell(at: int) -> int:
        nonlocal count
        count += 1
        fields, pieces, end = _read_cell(raw, at)
        if fields.get("cell_type") == "code" and is_python(_cell_language(fields)):
            cells.append(CodeCell(count, pieces))
        return end

    def sheet(at: int) -> int:
        return _object(raw, at, top) if raw.startswith("{", at) else _skip(raw, at)

    def top(key: str, at: int) -> int:
        nonlocal language, listed
        if key in ("cells", "worksheets") and raw.startswith("[", at):
            listed = True
            return _array(raw, at, cell if key == "cells" else sheet)
        value, end = _DECODER.raw_decode(raw, at)
        if key == "metadata":
            language = _notebook_language(value) or language
        return end

    start = _after_blank(raw, 0)
    end = sheet(start)
    if _after_blank(raw, end) != len(raw):
        raise json.JSONDecodeError("Extra data", raw, _after_blank(raw, end))
    if not listed:
        raise NotANotebookError("it has no list of cells")
    return language, cells


def _read_cell(raw: str, at: int) -> tuple[dict[str, Any], tuple[Piece, ...], int]:
    """The fields of a cell other than its source, the strings of its source, and the offset after the cell."""
    fields: dict[str, Any] = {}
    pieces: list[Piece] = []

    def string(at: int) -> int:
        if not raw.startswith('"', at):
            return _skip(raw, at)
        text, end = _string(raw, at)
        pieces.append(Piece(text, at))
        return end

    def field(key: str, at: int) -> int:
        if key in ("source", "input"):
            pieces.clear()
            return _array(raw, at, string) if raw.startswith("[", at) else string(at)
        value, end = _DECODER.raw_decode(raw, at)
        fields[key] = value
        return end

    end = _object(raw, at, field) if raw.startswith("{", at) else _skip(raw, at)
    return fields, tuple(pieces), end


def _notebook_language(metadata: Any) -> str:
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        found = _text(metadata, key, name)
        if found:
            return found
    return ""


def _cell_language(fields: dict[str, Any]) -> str:
    """Format 3 names the language in the cell, and Visual Studio Code in the cell's metadata."""
    return _text(fields, "language") or _text(fields, "metadata", "vscode", "languageId") or "python"


def _text(value: Any, *keys: str) -> str:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def _after_blank(raw: str, at: int) -> int:
    found = _BLANK.match(raw, at)
    return found.end() if found else at


def _skip(raw: str, at: int) -> int:
    return _DECODER.raw_decode(raw, at)[1]


def _string(raw: str, at: int) -> tuple[str, int]:
    read: tuple[str, int] = scanstring(raw, at + 1, True)
    return read


def _object(raw: str, at: int, read: Callable[[str, int], int]) -> int:
    """Reads the object whose brace stands at `at`; `read(key, offset)` reads a value, and returns its end."""

    def member(at: int) -> int:
        if not raw.startswith('"', at):
            raise json.JSONDecodeError("Expecting property name enclosed in double quotes", raw, at)
        key, end = _string(raw, at)
        end = _after_blank(raw, end)
        if not raw.startswith(":", end):
            raise json.JSONDecodeError("Expecting ':' delimiter", raw, end)
        return read(key, _after_blank(raw, end + 1))

    return _listed(raw, at, "}", member)


def _array(raw: str, at: int, read: Callable[[int], int]) -> int:
    """Reads the array whose bracket stands at `at`; `read(offset)` reads an item and returns the offset after it."""
    return _listed(raw, at, "]", read)


def _listed(raw: str, at: int, close: str, read: Callable[[int], int]) -> int:
    at = _after_blank(raw, at + 1)
    if raw.startswith(close, at):
        return at + 1
    while True:
        at = _after_blank(raw, read(at))
        if raw.startswith(close, at):
            return at + 1
        if not raw.startswith(",", at):
            raise json.JSONDecodeError("Expecting ',' delimiter", raw, at)
        at = _after_blank(raw, at + 1)

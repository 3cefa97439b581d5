"""Lines of the user's files, for people to see what a place is."""

from __future__ import annotations

import os
from functools import cache
from io import StringIO

from torchdet_lint.source.notebook import read_notebook
from torchdet_lint.source.text import SourceError
from torchdet_lint.verify.page.stream import Lines
from torchdet_lint.verify.spoken import cell_of, file_of

_MOST = 2_000_000
"""Bytes of a file beyond which nothing of it is shown."""


def lines_in(folder: str) -> Lines:
    """The lines of the Python files and notebooks in a folder, as they are now."""

    @cache
    def text(path: str) -> tuple[str, ...]:
        full = os.path.join(folder, file_of(path))
        try:
            if not full.endswith((".py", ".ipynb")) or os.path.getsize(full) > _MOST:
                return ()
            with open(full, "rb") as file:
                data = file.read()
            return _cell(data, cell_of(path)) if full.endswith(".ipynb") else _lines(data.decode("utf-8", "replace"))
        except (OSError, ValueError, SourceError):
            return ()

    def line(path: str, number: int) -> str:
        found = text(path)
        return found[number - 1].rstrip("\r\n") if 0 < number <= len(found) else ""

    return line


def _lines(text: str) -> tuple[str, ...]:
    return tuple(StringIO(text, None))


def _cell(data: bytes, number: int) -> tuple[str, ...]:
    code, cells = read_notebook(data, "")
    return next((_lines(cells.code(code, cell)) for cell in cells.cells if cell.number == number), ())

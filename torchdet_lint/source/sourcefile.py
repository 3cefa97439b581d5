"""A source file as the rest of the tool sees it."""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from torchdet_lint import disk
from torchdet_lint.disk import content_digest
from torchdet_lint.finding import Location
from torchdet_lint.source.cells import NotebookMap
from torchdet_lint.source.imports import ImportRecord
from torchdet_lint.source.lines import line_starts, position
from torchdet_lint.source.scan import Unit, scan
from torchdet_lint.source.statements import Statements
from torchdet_lint.source.suppress import HEAD_LINES, Suppressions, directives, find_suppressions
from torchdet_lint.source.text import SourceError, decode


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file, decoded and scanned.

    `path` is as reported. `body` is its text, or that deflated (`packed`). `text` is what is analysed: the byte order mark
    is dropped; of a notebook, the code cells joined with their magics blanked. `units` are its top-level statements in
    order, `imports` its import statements at any depth, `comments` the spans of the comments in which a suppression may
    stand. `digest` names the bytes of the file. Lines of `text` count from 1.
    """

    path: str
    body: str | bytes = field(repr=False, compare=False)
    units: tuple[Unit, ...]
    imports: tuple[ImportRecord, ...]
    comments: tuple[tuple[int, int], ...]
    notebook: NotebookMap | None
    digest: str
    _memo: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def text(self) -> str:
        return self.body if isinstance(self.body, str) else _inflated(self.body)

    def packed(self) -> SourceFile:
        """The same file, with a text that takes a quarter of the memory and is inflated when somebody asks for it."""
        if isinstance(self.body, bytes):
            return self
        return replace(self, body=zlib.compress(self.body.encode("utf-8", "surrogatepass"), 1))

    def unpacked(self) -> SourceFile:
        """The same file, for those who ask for its text again and again."""
        return replace(self, body=self.text)

    def unit_text(self, unit: Unit) -> str:
        return self.text[unit.start : unit.end]

    def locate(self, unit: Unit, span: tuple[int, int]) -> Location:
        """The place of a span that is relative to the start of a unit."""
        return self.location(unit.start + span[0], unit.start + span[1])

    def location(self, start: int, end: int) -> Location:
        """The place of a span of the text."""
        line, column = position(self.line_starts, start)
        end_line, end_column = position(self.line_starts, end)
        if self.notebook is None:
            return Location(self.path, line, column, end_line, end_column)
        cell, inside, file_line = self.notebook.place(line)
        return Location(self.path, inside, column, inside + end_line - line, end_column, cell, file_line)

    def line_start(self, offset: int) -> int:
        """The offset at which the line of an offset starts."""
        return self.line_starts[position(self.line_starts, offset)[0] - 1]

    def line_text(self, line: int, cell: int | None = None) -> str:
        """A line without its line end, or nothing where there is none; `line` and `cell` as in a `Location`."""
        if cell is not None and self.notebook is not None:
            line = self.notebook.text_line(cell, line)
        starts = (*self.line_starts, len(self.text))
        return self.text[starts[line - 1] : starts[line]].rstrip("\r\n") if 0 < line < len(starts) else ""

    def line_text_at(self, start: int) -> str:
        """The line that starts at an offset, without its line end."""
        line, _ = position(self.line_starts, start)
        end = self.line_starts[line] if line < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    @property
    def line_starts(self) -> tuple[int, ...]:
        """The offsets at which the lines of the text start."""
        if "lines" not in self._memo:
            self._memo["lines"] = line_starts(self.text)
        starts: tuple[int, ...] = self._memo["lines"]
        return starts

    @property
    def _statements(self) -> Statements:
        if "statements" not in self._memo:
            self._memo["statements"] = Statements(self.text, self.line_starts)
        statements: Statements = self._memo["statements"]
        return statements

    def statement_lines(self, offset: int) -> tuple[int, int]:
        """First and last line of the statement that holds the offset; of a compound statement, of its header."""
        return self._statements.lines(offset)

    @property
    def suppressions(self) -> Suppressions:
        """The suppression comments; their lines are those of the text, as `statement_lines` gives them."""
        if "suppressions" not in self._memo:
            comments = tuple(find_suppressions(self.text, self.comments, self.line_starts)) if self.comments else ()
            self._memo["suppressions"] = Suppressions(comments, self._statements, self._head_end) if comments else _NONE
        suppressions: Suppressions = self._memo["suppressions"]
        return suppressions

    @property
    def _head_end(self) -> int:
        """The offset before which a comment stands near the head of the file."""
        starts = self.line_starts
        lines_end = starts[HEAD_LINES] if len(starts) > HEAD_LINES else len(self.text)
        for unit in self.units:
            docstring = unit.kind == "expr" and self.text[unit.start :].startswith(("'", '"', "r'", 'r"'))
            if not docstring and unit.kind not in ("import", "from"):
                return max(lines_end, unit.start)
        return len(self.text)


@lru_cache(maxsize=32)  # who asks for a text asks for it more than once before he turns to the next file
def _inflated(body: bytes) -> str:
    return zlib.decompress(body).decode("utf-8", "surrogatepass")


_NONE = Suppressions((), Statements("", (0,)), 0)


def load(path: str, data: bytes | None = None, display: str | None = None) -> SourceFile:
    """The source file at `path`, reported as `display` (the path itself unless given); `data` are its bytes where
    they are known.

    A file named `.ipynb` is read as a notebook, any other as Python. Raises SourceError (rule TDL999), also where the
    file cannot be opened.
    """
    shown = path.replace(os.sep, "/") if display is None else display
    if data is None:
        data = _read(path, shown)
    notebook: NotebookMap | None = None
    if path.endswith(".ipynb"):
        from torchdet_lint.source.notebook import read_notebook  # which needs `json`; most runs do not

        text, notebook = read_notebook(data, shown)
    else:
        text = decode(data, shown)
    found = scan(text)
    comments = tuple(directives(text, found.comments))
    return SourceFile(shown, text, found.units, found.imports, comments, notebook, content_digest(data))


def _read(path: str, shown: str) -> bytes:
    try:
        return disk.read(path)
    except OSError as error:
        raise SourceError(shown, 1, 1, f"the file cannot be read: {error.strerror or error}") from None

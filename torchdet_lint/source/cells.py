"""The way from lines of a notebook's joined code back to its cells; apart from the reader, which needs `json`."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from torchdet_lint.source.lines import line_starts


class Cell(NamedTuple):
    """One code cell: its number (cells of every kind are counted, from 1), its first line in the joined text, and for
    each of its lines the line of the raw file in which that line's string starts.
    """

    number: int
    first_line: int
    file_lines: tuple[int, ...]


class NotebookMap(NamedTuple):
    cells: tuple[Cell, ...]

    def place(self, line: int) -> tuple[int, int, int]:
        """(cell, line in the cell, line of the raw file) of a line of the joined text, all from 1."""
        cell = self.cells[max(bisect_right(self.cells, line, key=lambda cell: cell.first_line) - 1, 0)]
        inside = line - cell.first_line + 1
        return cell.number, inside, cell.file_lines[min(inside, len(cell.file_lines)) - 1]

    def code(self, text: str, cell: Cell) -> str:
        """The code of one of the cells in the joined text."""
        starts = (*line_starts(text), len(text))
        later = (each.first_line for each in self.cells if each.first_line > cell.first_line)
        return text[starts[cell.first_line - 1] : starts[min(later, default=len(starts)) - 1]]

    def text_line(self, number: int, line: int) -> int:
        """The line of the joined text for a line of a cell; 0 where there is none."""
        for cell in self.cells:
            if cell.number == number and line <= len(cell.file_lines):
                return cell.first_line + line - 1
        return 0

"""Notebooks: the code cells of an `.ipynb` file as one text, with the way back to cells and raw lines."""

from __future__ import annotations

from collections.abc import Iterator
from json import JSONDecodeError

from torchdet_lint.source.cells import Cell, NotebookMap
from torchdet_lint.source.lines import line_starts, position
from torchdet_lint.source.magics import without_magics
from torchdet_lint.source.notebook_json import CodeCell, NotANotebookError, Piece, is_python, read_cells
from torchdet_lint.source.text import SourceError, without_surrogates


def read_notebook(data: bytes, path: str) -> tuple[str, NotebookMap]:
    """The Python code of a notebook: its code cells joined, each ending with a line end, magics replaced.

    A notebook of another language has no code. Raises SourceError for what is not a notebook.
    """
    raw = _decode(data, path)
    starts = line_starts(raw)
    try:
        language, cells = read_cells(raw)
    except JSONDecodeError as error:
        line, column = position(starts, error.pos)
        raise SourceError(path, line, column, f"the notebook is not valid JSON: {error.msg}") from None
    except ValueError:  # of JSON: a number with thousands of digits
        raise SourceError(path, 1, 1, "a number in the notebook has too many digits to be read") from None
    except RecursionError:
        raise SourceError(path, 1, 1, "the notebook's JSON is nested too deeply to be read") from None
    except NotANotebookError as error:
        raise SourceError(path, 1, 1, f"not a Jupyter notebook: {error}") from None
    if not is_python(language):
        return "", NotebookMap(())
    return _joined(cells, starts)


def _decode(data: bytes, path: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig")
        line, column = position(line_starts(before), len(before))
        raise SourceError(
            path, line, column, f"byte 0x{data[error.start]:02x} is not UTF-8, as a notebook must be"
        ) from None


def _joined(cells: list[CodeCell], starts: tuple[int, ...]) -> tuple[str, NotebookMap]:
    texts: list[str] = []
    mapped: list[Cell] = []
    line = 1
    for number, pieces in cells:
        source = "".join(piece.text for piece in pieces)
        if not source:
            continue
        code = without_magics(without_surrogates(source))
        # A backslash at the end of a cell joins nothing of the next cell.
        code += "\n\n" if code.endswith("\\") else "" if code.endswith("\n") else "\n"
        file_lines = tuple(_file_lines(source, pieces, starts))
        mapped.append(Cell(number, line, file_lines))
        line += len(line_starts(code)) - 1
        texts.append(code)
    return "".join(texts), NotebookMap(tuple(mapped))


def _file_lines(source: str, pieces: tuple[Piece, ...], starts: tuple[int, ...]) -> Iterator[int]:
    """For each line of a cell, the raw line of the string that holds its first character."""
    at, rest = 0, iter(pieces)
    piece = next(rest)
    for start in line_starts(source):
        while start >= at + len(piece.text):
            following = next(rest, None)
            if following is None:
                break
            at, piece = at + len(piece.text), following
        yield position(starts, piece.offset)[0]

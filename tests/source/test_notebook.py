"""Notebooks: code cells as one text, and back to cells and raw lines."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torchdet_lint.source import SourceError, SourceFile, load


def read(raw: str | bytes) -> SourceFile:
    return load("a.ipynb", raw.encode() if isinstance(raw, str) else raw)


def code_cell(source: Any, **fields: Any) -> dict[str, Any]:
    return {"cell_type": "code", "metadata": {}, "outputs": [], "source": source, **fields}


MARKDOWN = {"cell_type": "markdown", "metadata": {}, "source": ["# a 'title\n", "%cd"]}


def test_places() -> None:
    cells = [
        MARKDOWN,
        code_cell(["%cd x\n", "import torch\n", "a = torch"]),
        code_cell([]),
        code_cell("b = 1\nif b:\n    !ls\n"),
    ]
    raw = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}, indent=1)
    file = read(raw)
    assert [file.unit_text(unit) for unit in file.units] == ["import torch", "a = torch", "b = 1", "if b:\n    0"]
    places = [file.locate(unit, (0, 1)) for unit in file.units]
    assert [(at.cell, at.line, at.column, at.end_line, at.end_column) for at in places] == [
        (2, 2, 1, 2, 2),
        (2, 3, 1, 3, 2),
        (4, 1, 1, 1, 2),
        (4, 2, 1, 2, 2),
    ]
    lines = [at.file_line for at in places if at.file_line]
    shown = [raw.split("\n")[line - 1].strip() for line in lines]
    assert shown[:2] == ['"import torch\\n",', '"a = torch"']
    assert shown[2] == shown[3]
    assert shown[2].startswith('"source": "b = 1')
    assert [file.line_text(at.line, at.cell) for at in places] == ["import torch", "a = torch", "b = 1", "if b:"]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.booleans(),
            st.lists(st.sampled_from(["x = 'é\\u1234'\n", "", "# c\n", "y =", " 1\n", "z = 1", "\n", "😀 = 1\n"])),
        ),
        max_size=5,
    ),
    st.sampled_from([None, 0, 2]),
    st.booleans(),
)
def test_every_line_maps_to_the_string_that_starts_it(
    described: list[tuple[bool, list[str]]], indent: int | None, ascii_only: bool
) -> None:
    cells = [code_cell(source) if code else {**MARKDOWN, "source": source} for code, source in described]
    raw = json.dumps({"metadata": {"a": [{"cells": "x"}]}, "cells": cells}, indent=indent, ensure_ascii=ascii_only)
    file = read(raw)
    raw_lines = raw.split("\n")
    line = 1
    for number, (code, source) in enumerate(described, 1):
        joined = "".join(source)
        if not code or not joined:
            continue
        for inside, text in enumerate(joined.removesuffix("\n").split("\n"), 1):
            assert file.notebook is not None
            cell, cell_line, raw_line = file.notebook.place(line)
            assert (cell, cell_line) == (number, inside)
            assert file.line_text(cell_line, cell) == text
            first = next(
                piece for start, piece in _starts(source) if start <= _offset(joined, inside) < start + len(piece)
            )
            assert json.dumps(first, ensure_ascii=ascii_only) in raw_lines[raw_line - 1]
            line += 1
    assert file.text == "" or file.text.count("\n") == line - 1


def _starts(source: list[str]) -> list[tuple[int, str]]:
    at, starts = 0, []
    for piece in source:
        starts.append((at, piece))
        at += len(piece)
    return starts


def _offset(joined: str, line: int) -> int:
    return sum(len(each) + 1 for each in joined.split("\n")[: line - 1])


def test_cells_do_not_run_into_each_other() -> None:
    file = read(json.dumps({"cells": [code_cell("x = 1 \\"), code_cell("y = 2")]}))
    assert [unit.names for unit in file.units] == [("x",), ("y",)]


@pytest.mark.parametrize(
    "metadata",
    [
        {"language_info": {"name": "R"}},
        {"kernelspec": {"language": "julia"}},
        {"kernelspec": {"name": "x", "language": "bash"}},
    ],
)
def test_other_languages_have_no_code(metadata: dict[str, Any]) -> None:
    file = read(json.dumps({"cells": [code_cell("x <- 'a")], "metadata": metadata}))
    assert (file.text, file.units) == ("", ())


def test_cells_of_other_languages_are_left_out() -> None:
    other = code_cell("let x = '", metadata={"vscode": {"languageId": "javascript"}})
    raw = json.dumps({"cells": [other, code_cell("x = 1")], "metadata": {"kernelspec": {"name": "my-own"}}})
    file = read(raw)
    assert file.text == "x = 1\n"
    assert file.locate(file.units[0], (0, 1)).cell == 2


def test_format_3() -> None:
    sheet = {
        "cells": [
            {"cell_type": "heading", "source": "x"},
            {"cell_type": "code", "language": "python", "input": ["x = 1"]},
        ]
    }
    file = read(json.dumps({"nbformat": 3, "worksheets": [sheet], "metadata": {}}, indent=1))
    assert file.text == "x = 1\n"
    assert file.locate(file.units[0], (0, 1)).cell == 2


@pytest.mark.parametrize(
    ("raw", "line", "column", "message"),
    [
        ("", 1, 1, "Expecting value"),
        ('{\n "cells": [}', 2, 12, "Expecting value"),
        ('{"cells": [\n{"source": ["a" "b"]}]}', 2, 17, "Expecting ','"),
        ('{"cells": []\n', 2, 1, "Expecting ','"),
        ('{"cells": []} x', 1, 15, "Extra data"),
        ('{"cells": [{"source": "a\nb"}]}', 1, 25, "control character"),
        ("{cells: []}", 1, 2, "property name"),
        ("{}", 1, 1, "no list of cells"),
        ("[1]", 1, 1, "no list of cells"),
        ('{"cells": 3}', 1, 1, "no list of cells"),
        (b'{\n"cells": "\xff"}', 2, 11, "not UTF-8"),
        ('{"a": ' + "[" * 200_000, 1, 1, "nested too deeply"),
    ],
)
def test_what_is_not_a_notebook(raw: str | bytes, line: int, column: int, message: str) -> None:
    with pytest.raises(SourceError, match=message) as raised:
        read(raw)
    assert (raised.value.line, raised.value.column) == (line, column)


def test_odd_cells_and_surrogates_are_read() -> None:
    cells = [
        3,
        {"cell_type": "code"},
        {"cell_type": "code", "source": [1, None, "x = 1"]},
        code_cell({"a": 1}),
        code_cell("s = '\ud800'"),
    ]
    file = read("\ufeff" + json.dumps({"cells": cells}))
    file.text.encode()
    assert [(unit.names, file.locate(unit, (0, 1)).cell) for unit in file.units] == [(("x",), 3), (("s",), 5)]

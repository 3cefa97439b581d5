"""Edited text back to bytes: encodings, marks, line ends, notebooks."""

from __future__ import annotations

import json

import pytest

from tests.fixes.conftest import FixAll
from torchdet_lint.source import load
from torchdet_lint.source.rewrite import Change, RewriteError, rewritten


@pytest.mark.parametrize(
    ("before", "changes", "after"),
    [
        (b"a = 1\r\nb = 2", [Change(4, 5, "3"), Change(12, 12, "0")], b"a = 3\r\nb = 20"),
        (b"\xef\xbb\xbfa = 1\n", [Change(0, 1, "b")], b"\xef\xbb\xbfb = 1\n"),
        ("é = '→'\n".encode(), [Change(4, 7, "'←'")], "é = '←'\n".encode()),
        (b"# coding: latin-1\na = '\xe9'  # x\n", [Change(24, 24, "!")], b"# coding: latin-1\na = '\xe9!'  # x\n"),
        (b"\x0cdef f():\r    pass\r", [Change(1, 4, "DEF")], b"\x0cDEF f():\r    pass\r"),
    ],
)
def test_files(before: bytes, changes: list[Change], after: bytes) -> None:
    assert rewritten("a.py", before, changes) == after
    if b"coding" in before:
        assert rewritten("a.py", before, []) == before


def test_what_the_encoding_does_not_have_is_refused() -> None:
    with pytest.raises(RewriteError, match="cannot be written as iso8859-1"):
        rewritten("a.py", b"# coding: latin-1\na = 1\n", [Change(22, 23, "→")])


def notebook(*cells: object, indent: int | None = 1, ascii_only: bool = False) -> bytes:
    listed = [
        {
            "cell_type": "code",
            "execution_count": 7,
            "metadata": {"é": 1.50},
            "outputs": [{"text": ["x"]}],
            "source": each,
        }
        for each in cells
    ]
    document = {"cells": listed, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=indent, ensure_ascii=ascii_only).encode()


def sources(data: bytes) -> list[object]:
    return [cell["source"] for cell in json.loads(data)["cells"]]


def change_at(data: bytes, text: str, new: str, after: bool = False) -> Change:
    joined = load("a.ipynb", data).text
    start = joined.index(text)
    return Change(start + len(text), start + len(text), new) if after else Change(start, start + len(text), new)


@pytest.mark.parametrize("indent", [None, 1, 4])
def test_only_the_strings_that_are_touched_are_written(indent: int | None) -> None:
    data = notebook(["import os\n", "é = 1\n", "x = 2"], ["y = 3"], "z = 4\nw = 5", indent=indent)
    changed = rewritten("a.ipynb", data, [change_at(data, "x = 2", "x = 22"), change_at(data, "w = 5", "w = 6\nv = 7")])
    assert sources(changed) == [["import os\n", "é = 1\n", "x = 22"], ["y = 3"], "z = 4\nw = 6\nv = 7"]
    expected = data.decode().replace('"x = 2"', '"x = 22"').replace('"z = 4\\nw = 5"', '"z = 4\\nw = 6\\nv = 7"')
    assert changed == expected.encode()


def test_new_lines_become_strings_of_their_own() -> None:
    data = notebook(["a = 1\n", "b = 2"], ["c = 3"])
    changed = rewritten(
        "a.ipynb", data, [change_at(data, "b = 2", "\nbb = 2", after=True), change_at(data, "c = 3", "d\nc")]
    )
    assert sources(changed) == [["a = 1\n", "b = 2\n", "bb = 2"], ["d\n", "c"]]
    assert b'"b = 2\\n",\n    "bb = 2"' in changed


def test_a_line_that_is_gone_leaves_no_empty_string() -> None:
    data = notebook(["a = 1\n", "b = 2\n", "c = 3\n", "d = 4"])
    changed = rewritten("a.ipynb", data, [change_at(data, "a = 1\n", ""), change_at(data, "c = 3\n", "")])
    assert sources(changed) == [["b = 2\n", "d = 4"]]
    assert changed == notebook(["b = 2\n", "d = 4"])


def test_a_change_over_several_strings() -> None:
    data = notebook(["f(\n", "  1,\n", ")\n", "g()"])
    changed = rewritten("a.ipynb", data, [change_at(data, "(\n  1,\n)", "(2)")])
    assert sources(changed) == [["f(2)\n", "g()"]]


def test_magics_stay_as_they_are() -> None:
    data = notebook(["%time f()\n", "!ls\n", "x = 1"])
    changed = rewritten("a.ipynb", data, [change_at(data, "x = 1", "x = 2")])
    assert sources(changed) == [["%time f()\n", "!ls\n", "x = 2"]]
    joined = load("a.ipynb", data).text
    with pytest.raises(RewriteError, match="magic"):
        rewritten("a.ipynb", data, [Change(0, joined.index("x"), "")])


def test_a_change_over_two_cells_is_refused() -> None:
    data = notebook(["a = 1"], ["b = 2"])
    with pytest.raises(RewriteError, match="one cell"):
        rewritten("a.ipynb", data, [Change(2, 8, "")])


def test_a_cell_does_not_begin_with_a_blank_line(fix_all: FixAll) -> None:
    """What sets a fix off from the code before it has nothing to do where the code before it is another cell."""
    workers = ["from torch.utils.data import DataLoader\n", "import numpy as np"]
    data = notebook(["import torch"], ["torch.rand(2).backward()"], workers, ["print(DataLoader([1], num_workers=2))"])
    fixed = fix_all({"a.ipynb": data}, wanted=lambda finding: finding.fix is not None)
    assert [each.code for each in fixed.done] == ["TDL001", "TDL102"]
    first, second, *rest = sources(fixed.files[0].after)
    assert second == ["torch.manual_seed(0)\n", "\n", "torch.rand(2).backward()"]
    assert all(str(cell[0]).strip() for cell in (first, *rest))  # type: ignore[index]


def test_a_notebook_is_fixed(fix_all: FixAll) -> None:
    data = notebook(
        ["!pip install torch\n", "import torch\n", "from torch import nn\n"],
        ["%%time\n", "# the model\n", "model = nn.Linear(2, 1)\n", "print('é')"],
        ["import os\n", "names = [n for n in os.listdir('d')]\n", "torch.save(names, 'n.pt')"],
    )
    fixed = fix_all({"a.ipynb": data})
    assert fixed.problems == ()
    assert [each.code for each in fixed.done] == ["TDL001", "TDL105"]
    first, second, third = sources(fixed.files[0].after)
    assert first == ["!pip install torch\n", "import torch\n", "from torch import nn\n"]
    assert second == [
        "%%time\n",
        "torch.manual_seed(0)\n",
        "\n",
        "# the model\n",
        "model = nn.Linear(2, 1)\n",
        "print('é')",
    ]
    assert third == ["import os\n", "names = [n for n in sorted(os.listdir('d'))]\n", "torch.save(names, 'n.pt')"]
    untouched = data.decode().split('"source"')[0]
    assert fixed.files[0].after.decode().startswith(untouched)

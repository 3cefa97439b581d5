"""Notebooks as programs of a sample."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from torchdet_lint.verify.notebooks import Entry, entry, runnable


@pytest.mark.parametrize(
    ("command", "found"),
    [
        (("/b/python", "a.ipynb"), Entry(("/b/python",), "a.ipynb")),
        (("/b/python3.11", "-u", "-X", "dev", "n/a.ipynb"), Entry(("/b/python3.11", "-u", "-X", "dev"), "n/a.ipynb")),
        (("/b/python", "-m", "nbconvert", "--execute", "a.ipynb"), Entry(("/b/python",), "a.ipynb")),
        (("/b/python", "-m", "jupyter", "execute", "a.ipynb"), Entry(("/b/python",), "a.ipynb")),
        (("/b/python", "convert.py", "a.ipynb"), None),
        (("/b/python", "-m", "mine", "a.ipynb"), None),
        (("/b/python", "-c", "print()", "a.ipynb"), None),
        (("/b/python", "train.py"), None),
        (("/none/jupyter", "execute", "a.ipynb"), None),  # no Python beside it: as it is
        (("/b/torchrun", "a.ipynb"), None),
    ],
)
def test_what_runs_a_notebook(command: tuple[str, ...], found: Entry | None) -> None:
    assert entry(command) == found


@pytest.mark.parametrize("words", [("jupyter", "nbconvert", "--to", "html", "--execute"), ("papermill",)])
def test_kernels_are_of_the_python_beside_them(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "python").touch()
    command = (str(tmp_path / words[0]), *words[1:], "a.ipynb", "out.ipynb")
    assert entry(command) == Entry((str(tmp_path / "python"),), "a.ipynb")


def notebook(path: Path, *cells: str | list[str], kind: str = "code") -> Path:
    made = [
        {"cell_type": kind, "metadata": {}, "outputs": [], "execution_count": None, "source": cell} for cell in cells
    ]
    markdown = {"cell_type": "markdown", "metadata": {}, "source": ["# Not ( code\n"]}
    content = {"cells": [markdown, *made], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return path


def ran(folder: Path, file: str) -> subprocess.CompletedProcess[str]:
    base = folder / "base"
    base.mkdir()
    command = runnable(Entry((sys.executable,), file), str(folder), str(base))
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_cells_share_their_names_and_run_in_their_folder(tmp_path: Path) -> None:
    notebook(
        tmp_path / "deep" / "a.ipynb",
        ["%matplotlib inline\n", "import sys, os\n", "from beside import X"],
        "!pip install something\nget_ipython().run_line_magic('time', '')\n",
        "async def two():\n    return 2\ny = await two()",
        [
            "print(X + y, os.path.basename(os.getcwd()), __name__, len(sys.argv))\n",
            "display(X)\n",
            "X  # shown to nobody",
        ],
    )
    (tmp_path / "deep" / "beside.py").write_text("X = 1")
    done = ran(tmp_path, os.path.join("deep", "a.ipynb"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "3 deep __main__ 1\n1\n", "")


@pytest.mark.parametrize("code", ["x = (1 +\n     nothing)", "x = 1\n1 /"])
@pytest.mark.parametrize("one_string", [True, False])
def test_tracebacks_name_the_line_of_the_file(tmp_path: Path, code: str, one_string: bool) -> None:
    path = notebook(tmp_path / "a.ipynb", "a = 1\n", code if one_string else code.splitlines(keepends=True))
    done = ran(tmp_path, "a.ipynb")
    raw = path.read_text(encoding="utf-8").splitlines()
    last = next(number for number, text in enumerate(raw, 1) if "nothing)" in text or "1 /" in text)
    assert done.returncode == 1
    assert f'a.ipynb", line {last}' in done.stderr

"""Notebooks as programs of a sample."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from torchdet_lint.verify.notebooks import Entry, NotebookError, entry, runnable


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
        (("/b/python", "-W", "a.ipynb"), None),
        (("/b/python", "a.ipynb", "--lr", "3", "b.ipynb"), Entry(("/b/python",), "a.ipynb", ("--lr", "3", "b.ipynb"))),
        (("/b/python", "-m", "papermill", "a.ipynb", "out.ipynb", "-k", "x"), Entry(("/b/python",), "a.ipynb")),
    ],
)
def test_what_runs_a_notebook(command: tuple[str, ...], found: Entry | None) -> None:
    assert entry(command) == found


@pytest.mark.parametrize("words", [("jupyter", "nbconvert", "--execute", "--output"), ("papermill", "a.ipynb")])
def test_kernels_are_of_the_python_beside_them(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "python").touch()
    command = (str(tmp_path / words[0]), *words[1:], "out.ipynb", "a.ipynb")
    assert entry(command) == Entry((str(tmp_path / "python"),), "a.ipynb")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("papermill", "a.ipynb", "o.ipynb", "-p", "lr", "3"), "the parameters of papermill (-p) do not reach"),
        (("papermill", "a.ipynb", "o.ipynb", "--parameters_file", "p.yaml"), "papermill (--parameters_file)"),
        (("nbconvert", "--execute", "a.ipynb", "b.ipynb"), "the command runs 2 notebooks; verify one at a time"),
    ],
)
def test_what_would_run_another_program_is_refused(words: tuple[str, ...], said: str) -> None:
    with pytest.raises(NotebookError) as caught:
        entry(("/b/python", "-m", *words))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def notebook(path: Path, *cells: str | list[str], kind: str = "code") -> Path:
    made = [
        {"cell_type": kind, "metadata": {}, "outputs": [], "execution_count": None, "source": cell} for cell in cells
    ]
    markdown = {"cell_type": "markdown", "metadata": {}, "source": ["# Not ( code\n"]}
    content = {"cells": [markdown, *made], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return path


def ran(folder: Path, file: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    base = folder / "base"
    base.mkdir()
    command = runnable(Entry((sys.executable,), file, arguments), str(folder), str(base))
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_cells_share_their_names_and_run_in_their_folder(tmp_path: Path) -> None:
    notebook(
        tmp_path / "deep" / "a.ipynb",
        ["%matplotlib inline\n", "import sys, os\n", "from beside import X"],
        "!pip install something\nget_ipython().run_line_magic('time', '')\n",
        "async def two():\n    return 2\ny = await two()",
        [
            "print(X + y, os.path.basename(os.getcwd()), __name__, sys.argv[1:])\n",
            "display(X)\n",
            "X  # shown to nobody",
        ],
    )
    (tmp_path / "deep" / "beside.py").write_text("X = 1")
    done = ran(tmp_path, os.path.join("deep", "a.ipynb"), "--lr", "3")
    assert (done.returncode, done.stdout, done.stderr) == (0, "3 deep __main__ ['--lr', '3']\n1\n", "")


@pytest.mark.parametrize("code", ["x = (1 +\n     nothing)", "x = 1\n1 /"])
@pytest.mark.parametrize("one_string", [True, False])
def test_tracebacks_name_cell_and_line(tmp_path: Path, code: str, one_string: bool) -> None:
    notebook(tmp_path / "a.ipynb", "a = 1\n", code if one_string else code.splitlines(keepends=True))
    done = ran(tmp_path, "a.ipynb")
    assert done.returncode == 1
    assert 'a.ipynb:cell 3", line 2' in done.stderr


def test_functions_of_cells_have_sources(tmp_path: Path) -> None:
    code = ["import inspect\n", "def f():\n", "    return 1\n", "print(inspect.getsource(f), end='')"]
    notebook(tmp_path / "a.ipynb", "a = 1\n", code)
    assert ran(tmp_path, "a.ipynb").stdout == "def f():\n    return 1\n"

"""A notebook as the program of a sample: its code cells are run in one process, as the linter reads them."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from torchdet_lint.source.notebook import read_notebook

_RUNNER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "rt", "notebook.py")
_KERNELS = ("jupyter", "jupyter-execute", "jupyter-nbconvert", "jupyter-run", "papermill", "runipy", "treon")
"""Commands that run a notebook in a kernel, which is another process with other places."""

_MODULES = ("jupyter", "nbconvert", "nbclient", "papermill", "jupyter_core")
_PYTHONS = ("python3", "python", "python.exe")
_PARAMETERS = ("-p", "-r", "-f", "-y", "-b", "--parameters")
"""Options of papermill that change values in the notebook (`papermill/cli.py`; the long ones begin alike)."""


class NotebookError(Exception):
    """A notebook cannot be run as the command says; the text says why, in one line."""


class Entry(NamedTuple):
    """A command that runs a notebook: the Python with its options, the notebook's file, and the arguments that it gets."""

    python: tuple[str, ...]
    file: str
    arguments: tuple[str, ...] = ()


def entry(command: Sequence[str]) -> Entry | None:
    """The notebook that a command runs, by Python itself (`python a.ipynb`) or by what starts a kernel; else None. Raises
    NotebookError.
    """
    program = os.path.basename(command[0]).removesuffix(".exe")
    if not any(word.endswith(".ipynb") for word in command[1:]):
        return None
    if program in _KERNELS:
        beside = (os.path.join(os.path.dirname(command[0]), name) for name in _PYTHONS)
        python = next((path for path in beside if os.path.isfile(path)), "")
        return _in_kernel((python,), command) if python else None
    if not program.startswith("python"):
        return None
    options = _options(command[1:])
    rest = command[1 + len(options) :]
    if rest[:1] == ("-m",) and rest[1] in _MODULES:
        return _in_kernel((command[0], *options), rest[1:])
    if rest and rest[0].endswith(".ipynb"):
        return Entry((command[0], *options), rest[0], tuple(rest[1:]))
    return None


def _in_kernel(python: tuple[str, ...], command: Sequence[str]) -> Entry:
    """What a kernel would run. Such a notebook gets no arguments; papermill would write its parameters into the cells."""
    files = [
        word for before, word in pairwise(command) if word.endswith(".ipynb") and not before.startswith("--output")
    ]
    papermill = "papermill" in os.path.basename(command[0])
    given = next((word for word in command[1:] if word.startswith(_PARAMETERS)), "")
    if papermill and given:
        said = f"the parameters of papermill ({given}) do not reach the notebook here"
        raise NotebookError(f"{said}: write them into its cells")
    if len(files) > 1 and not papermill:  # whose second one is what it writes
        raise NotebookError(f"the command runs {len(files)} notebooks; verify one at a time")
    return Entry(python, files[0])


def _options(words: Sequence[str]) -> tuple[str, ...]:
    """Options of Python itself before the program."""
    found: list[str] = []
    for word in words:
        if found and found[-1] in ("-W", "-X") or word.startswith("-") and word not in ("-m", "-c", "-"):
            found.append(word)
        else:
            break
    return tuple(found)


def runnable(what: Entry, folder: str, base: str) -> tuple[str, ...]:
    """The command that runs a notebook of `folder`, by a plan that is written to `base`. Raises OSError and SourceError."""
    with open(os.path.join(folder, what.file), "rb") as file:
        text, cells = read_notebook(file.read(), what.file)
    plan = [{"code": cells.code(text, cell), "number": cell.number} for cell in cells.cells]
    path = os.path.join(base, "notebook.json")
    with open(path, "w", encoding="utf-8") as file_out:
        json.dump({"file": os.path.relpath(os.path.join(folder, what.file), folder), "cells": plan}, file_out)
    return (*what.python, _RUNNER, path, *what.arguments)

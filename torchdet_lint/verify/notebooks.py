"""A notebook as the program of a sample: its code cells are run in one process, as the linter reads them."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import NamedTuple

from torchdet_lint.source.lines import line_starts
from torchdet_lint.source.notebook import read_notebook

_RUNNER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "rt", "notebook.py")
_KERNELS = ("jupyter", "jupyter-execute", "jupyter-nbconvert", "jupyter-run", "papermill", "runipy", "treon")
"""Commands that run a notebook in a kernel, which is another process with other places."""

_MODULES = ("jupyter", "nbconvert", "nbclient", "papermill", "jupyter_core")
_PYTHONS = ("python3", "python", "python.exe")


class Entry(NamedTuple):
    """A command that runs a notebook: the Python with its options, and the notebook's file."""

    python: tuple[str, ...]
    file: str


def entry(command: Sequence[str]) -> Entry | None:
    """The notebook that a command runs, by Python itself (`python a.ipynb`) or by what starts a kernel; else None."""
    program = os.path.basename(command[0]).removesuffix(".exe")
    file = next((word for word in command[1:] if word.endswith(".ipynb")), "")
    if not file:
        return None
    if program in _KERNELS:
        beside = (os.path.join(os.path.dirname(command[0]), name) for name in _PYTHONS)
        python = next((path for path in beside if os.path.isfile(path)), "")
        return Entry((python,), file) if python else None
    if not program.startswith("python"):
        return None
    options = _options(command[1:])
    rest = command[1 + len(options) :]
    if rest[0] == file or (rest[0] == "-m" and rest[1] in _MODULES):
        return Entry((command[0], *options), file)
    return None


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
    starts = (*line_starts(text), len(text))
    ends = [cell.first_line for cell in cells.cells[1:]] + [len(starts)]
    plan = [
        {"code": text[starts[cell.first_line - 1] : starts[end - 1]], "lines": cell.file_lines}
        for cell, end in zip(cells.cells, ends, strict=True)
    ]
    path = os.path.join(base, "notebook.json")
    with open(path, "w", encoding="utf-8") as file_out:
        json.dump({"file": os.path.relpath(os.path.join(folder, what.file), folder), "cells": plan}, file_out)
    return (*what.python, _RUNNER, path)

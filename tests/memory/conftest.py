"""Small programs as projects, and what the memory analysis says of them."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import pytest

from torchdet_lint.analysis.memory import MemoryUse, memory_uses
from torchdet_lint.lowering import lower
from torchdet_lint.project.modules import Project
from torchdet_lint.project.names import Names
from torchdet_lint.source import load

HEAD = """\
import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


"""

Answer = tuple[str, MemoryUse]


def answers(files: dict[str, str]) -> list[Answer]:
    """Every use in the files, with the source of the line of its allocation."""
    sources = [load(path, (HEAD + textwrap.dedent(text)).encode()) for path, text in files.items()]
    project = Project(sources, lambda source, unit: lower(source.unit_text(unit)))
    found: list[Answer] = []
    for source in sources:
        names = Names(project, source.path, lambda dotted: dotted)
        for unit in source.units:
            for use in memory_uses(project, source.path, unit.index, names):
                assert (use.path, use.unit) == (source.path, unit.index)
                found.append((source.line_text(source.locate(unit, use.span).line).strip(), use))
    return found


@pytest.fixture
def ask() -> Callable[..., list[Answer]]:
    """`ask(text)` for one file `train.py`, `ask(**{"a.py": …})` or `ask({...})` for several."""

    def asked(files: str | dict[str, str]) -> list[Answer]:
        return answers({"train.py": files} if isinstance(files, str) else files)

    return asked


@pytest.fixture
def inside() -> Callable[[str], list[Answer]]:
    """The same for the body of a function `def f(x, n: int, cond, xs)`."""

    def asked(body: str) -> list[Answer]:
        return answers({"train.py": "def f(x, n: int, cond, xs):\n" + textwrap.indent(textwrap.dedent(body), "    ")})

    return asked

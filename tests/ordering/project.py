"""A small project out of texts, and what the analysis says of it."""

from __future__ import annotations

import textwrap

from torchdet_lint import ir
from torchdet_lint.analysis.ordering import Listed, OrderUse, order_uses
from torchdet_lint.lowering import lower
from torchdet_lint.project.modules import Project
from torchdet_lint.project.names import Names
from torchdet_lint.source import SourceFile, Unit, load

LISTS = {
    name: Listed("listing", name)
    for name in ("os.listdir", "os.scandir", "os.walk", "glob.glob", "glob.iglob", "tensorflow.io.gfile.listdir")
} | {name: Listed("completion", name) for name in ("concurrent.futures.as_completed", "asyncio.as_completed")}
IMPORTS = """\
import os, glob, random, torch, shutil, itertools
from pathlib import Path
from collections import defaultdict, Counter
from torch import nn
"""


def lowered(source: SourceFile, unit: Unit) -> ir.Body:
    return lower(source.unit_text(unit))


def uses_in(files: dict[str, str]) -> list[tuple[str, str, OrderUse]]:
    """(file, text of the span, use) for every use in the project, file by file."""
    sources = [load(path, textwrap.dedent(text).encode()) for path, text in files.items()]
    project = Project(sources, lowered)
    found = []
    lists = LISTS.get
    for source in sources:
        names = Names(project, source.path, lambda dotted: dotted)
        for unit in source.units:
            if unit.kind not in ("import", "from"):
                for use in order_uses(project, source.path, unit.index, names, lists):
                    assert (use.path, use.unit) == (source.path, unit.index)
                    found.append((source.path, source.unit_text(unit)[slice(*use.span)], use))
    return found


def uses(text: str) -> list[tuple[str, OrderUse]]:
    """(text of the span, use) for a single file; the usual imports stand before it."""
    return [(span, use) for _, span, use in uses_in({"train.py": IMPORTS + textwrap.dedent(text)})]

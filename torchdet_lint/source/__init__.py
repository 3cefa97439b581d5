"""Source files: found, decoded, and taken apart into top-level statements without a parse."""

from __future__ import annotations

from torchdet_lint.source.cells import Cell, NotebookMap
from torchdet_lint.source.files import DEFAULT_EXCLUDE, Discovery, File, discover
from torchdet_lint.source.imports import ImportRecord
from torchdet_lint.source.scan import Unit
from torchdet_lint.source.sourcefile import SourceFile, load
from torchdet_lint.source.suppress import Suppression, Suppressions
from torchdet_lint.source.text import SourceError, decode

__all__ = [
    "DEFAULT_EXCLUDE",
    "Cell",
    "Discovery",
    "File",
    "ImportRecord",
    "NotebookMap",
    "SourceError",
    "SourceFile",
    "Suppression",
    "Suppressions",
    "Unit",
    "decode",
    "discover",
    "load",
]

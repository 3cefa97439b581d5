"""Which top-level statements can leave memory unwritten: a look at their words and text, before any parse."""

from __future__ import annotations

import re

from torchdet_lint.analysis.memory.tables import ALLOCATING_WORDS
from torchdet_lint.project.modules import Module
from torchdet_lint.source import SourceFile, Unit

_WORDS = "|".join(sorted(ALLOCATING_WORDS, key=len, reverse=True))
_ALLOCATES = re.compile(rf"\b(?:{_WORDS})\s*\(|=[^=\n]*\b(?:{_WORDS})\s*(?:$|\n|if\b|else\b|[;#,)])", re.MULTILINE)
"""A call of an allocator, or an assignment that gives it another name; an annotation (`x: Tensor`) is neither."""

_HOSTS = frozenset({"cpu", "pin_memory"})
_CPU = re.compile(r"""["']cpu["']""")


def holds_memory(source: SourceFile, unit: Unit) -> bool:
    """Whether the statement can allocate memory without writing it, or start a copy to the host that goes on beside it."""
    words = unit.words
    if "non_blocking" in words and not (_HOSTS.isdisjoint(words) and _CPU.search(source.text) is None):
        return True  # the device may have a name at the top of the file
    if ALLOCATING_WORDS.isdisjoint(words):
        return False
    return unit.kind == "file" or _ALLOCATES.search(source.text, unit.start, unit.end) is not None


def may_allocate(module: Module, unit: Unit) -> bool:
    """Whether the text of the unit calls something that allocates, or gives it another name: no annotation does."""
    if holds_memory(module.source, unit):
        return True
    return any(
        member in ALLOCATING_WORDS and bound != member and bound in unit.words
        for bound, (_, _, member) in module.imports.items()
    )

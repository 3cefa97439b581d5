"""The project's base classes of a class: their methods set and read the same attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchdet_lint import ir
from torchdet_lint.analysis.ordering.frame import Method
from torchdet_lint.project.modules import Definition
from torchdet_lint.project.names import flat

if TYPE_CHECKING:
    from torchdet_lint.analysis.ordering.scopes import Ordering

_DEPTH = 6
"""Bases of bases are followed this far, which also ends circles."""


def own_methods(path: str, unit: int, definition: ir.Class) -> dict[str, Method]:
    """The methods in a class body by name; of several with one name the last."""
    return {s.name: Method(path, unit, s) for s in flat(definition.body) if isinstance(s, ir.Function)}


def base_classes(
    ordering: Ordering, path: str, definition: ir.Class, depth: int = _DEPTH
) -> Iterator[tuple[str, int, ir.Class]]:
    """The base classes that the project defines at the top level of a file, as (file, unit, class), in order of look-up."""
    names = ordering.names(path)
    for arg in definition.bases if depth else ():
        symbol = names.symbol(arg.value) if not arg.star else None
        found = ordering.definition(symbol) if isinstance(symbol, Definition) else None
        if isinstance(symbol, Definition) and found is not None and isinstance(found[1], ir.Class):
            yield symbol.path, found[0], found[1]
            yield from base_classes(ordering, symbol.path, found[1], depth - 1)

"""Orders that are not defined: of file listings, of sets, of what finishes first, followed to where they make a difference."""

from __future__ import annotations

from collections.abc import Iterator

from torchdet_lint.analysis.ordering.carriers import Carriers
from torchdet_lint.analysis.ordering.screen import NOTHING_OUTSIDE, Outside, makes_order
from torchdet_lint.analysis.ordering.use import OrderUse
from torchdet_lint.analysis.ordering.values import Listed, Lists
from torchdet_lint.project.modules import Project
from torchdet_lint.project.names import Names


def order_uses(
    project: Project, path: str, unit: int, names: Names, lists: Lists, outside: Outside = NOTHING_OUTSIDE
) -> Iterator[OrderUse]:
    """The listings and sets of one unit whose order makes a difference, in the order of their places.

    `lists` says by canonical dotted name which callables list files, or hand results over, in no defined order. A unit
    that cannot have answers (see `Carriers`) costs nothing: it is not even lowered.
    """
    carriers = project.once((Carriers, outside), lambda: Carriers(project, outside))
    if carriers.units:
        from torchdet_lint.analysis.ordering.uses import uses  # twenty modules that most single files do without

        yield from uses(carriers, path, unit, names, lists, outside)


__all__ = ["Listed", "OrderUse", "Outside", "makes_order", "order_uses"]

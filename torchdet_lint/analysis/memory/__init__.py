"""Memory that nothing has written: which allocations are read before they are wholly written.

A forward data flow over the IR of one unit: buffers are followed through names, displays, views, attributes of `self`, and
calls of functions of the project, until they are written, read, or handed to code out of sight (then they are silent).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchdet_lint.analysis.memory.screen import may_allocate
from torchdet_lint.analysis.memory.use import MemoryUse
from torchdet_lint.project.modules import Project
from torchdet_lint.project.names import Names

if TYPE_CHECKING:
    from torchdet_lint.analysis.memory.frame import Analysis


def memory_uses(
    project: Project, path: str, unit: int, names: Names, top_levels: dict[str, Analysis] | None = None
) -> Iterator[MemoryUse]:
    """The allocations in this unit that are read before they are wholly written, in order of their place.

    `names` resolves at the top level of the file. An allocation is reported once, by the first of its surest reads.
    `top_levels` keeps what is known of a file's top level, which is run as a whole, for its next statement.
    """
    module = project.modules[path]
    if may_allocate(module, module.source.units[unit]):
        from torchdet_lint.analysis.memory.units import uses  # twenty modules that most single files do without

        yield from uses(project, path, unit, names, top_levels)


__all__ = ["MemoryUse", "memory_uses"]

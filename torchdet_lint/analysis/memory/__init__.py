"""Memory that nothing has written: which allocations are read before they are wholly written.

A forward data flow over the IR of one unit: buffers are followed through names, displays, views, attributes of `self`, and
calls of functions of the project, until they are written, read, or handed to code out of sight (then they are silent).
"""

from torchdet_lint.analysis.memory.frame import Analysis
from torchdet_lint.analysis.memory.units import MemoryUse, memory_uses

__all__ = ["Analysis", "MemoryUse", "memory_uses"]

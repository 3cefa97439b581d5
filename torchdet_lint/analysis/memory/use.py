"""The answer: an allocation that is read too early."""

from __future__ import annotations

from dataclasses import dataclass

from torchdet_lint import ir


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """An allocation whose memory is read before it was wholly written, and how it is read.

    `certainty`: "certain"; "likely" where other code could in principle write it first; "warm-up" where nothing comes of
    what was read. `parameter` tells parameters and buffers of a module, `attribute` the attribute of `self` that holds it.
    """

    path: str
    unit: int
    span: ir.Span
    api: str
    read: str
    read_path: str
    read_unit: int
    read_span: ir.Span
    certainty: str
    parameter: bool
    attribute: str

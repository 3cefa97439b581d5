"""The answer: an order that makes a difference."""

from __future__ import annotations

from dataclasses import dataclass

from torchdet_lint import ir


@dataclass(frozen=True, slots=True)
class OrderUse:
    """An order that is not defined, and that makes a difference.

    `span` (in unit `unit` of the file `path`) is where the finding stands: the listing call, or the expression or loop that
    walks through the set, or the call that hands over what has finished. `source…` is where the set comes from; for a listing
    `source` is None, unless a `with` statement opened it (`os.scandir`): then it is that call, and the finding stands where
    the entries are walked through. `api`
    names what has no order, `consumer` continues a sentence about it ("is indexed with [0]"). `elements` is "str",
    "object" or "unknown": sets of objects vary even under a fixed hash seed. `certain_fix`: `sorted(...)` can be put
    around `fix_span`.
    """

    kind: str
    path: str
    unit: int
    span: ir.Span
    source_path: str
    source_unit: int
    source: ir.Span | None
    api: str
    consumer: str
    elements: str
    confidence: str
    certain_fix: bool
    fix_span: ir.Span | None

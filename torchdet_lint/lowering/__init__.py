"""Lowering: the text of one top-level unit, or of a whole file, to the intermediate representation.

The only room that parses. libcst is imported by the first call of `lower`, not before: a run whose units all come
from the cache never pays for it.
"""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.lowering.errors import LoweringError

__all__ = ["LoweringError", "lower"]


def lower(text: str) -> tuple[ir.Stmt, ...]:
    """The statements of `text`, docstrings, `pass` and bare constants left out; a function of `text` alone.

    Spans are those of libcst's `PositionProvider`, as code point offsets in `text`: an expression's own parentheses do
    not count (nor do those of a tuple or a generator, which libcst takes for the same thing), a statement ends before
    its semicolon or comment, and the span of a statement with a body is its header, from the first keyword (decorators
    excluded) to the colon.

    Raises `LoweringError` for a syntax error and for code that is nested too deeply, with its place.
    """
    from torchdet_lint.lowering import accelerate

    accelerate.load()
    from torchdet_lint.lowering.unit import lower_unit

    return lower_unit(text)

"""The way out for a unit whose tree and text do not agree token for token: spans from libcst's own metadata.

It costs about ten times the parse, so it has to stay rare; `unit.counts` tells how often it was needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import libcst as cst
from libcst.metadata import CodePosition, MetadataWrapper, PositionProvider

from torchdet_lint import ir
from torchdet_lint.lowering.cursor import BlindCursor, Cursor, Handlers
from torchdet_lint.lowering.expressions import is_tuple_key
from torchdet_lint.lowering.statements import statements

_NEWLINE = re.compile(r"\r\n?|\n")


def lower_by_positions(tree: cst.Module, spans: Spans, handlers: Handlers) -> ir.Body:
    """The same as the walk along the text makes, with spans from `PositionProvider`."""
    located: Handlers = {kind: _located(handler, spans) for kind, handler in handlers.items()}
    return statements(tree.body, BlindCursor("", located))


class Spans:
    """Where each node of a tree is, as offsets."""

    def __init__(self, tree: cst.Module, text: str) -> None:
        self._length = len(text)
        self._lines = [0, *[newline.end() for newline in _NEWLINE.finditer(text)]]
        self._ranges = MetadataWrapper(tree, unsafe_skip_copy=True).resolve(PositionProvider)

    def of(self, node: Any) -> ir.Span:
        """The span of what `node` is lowered to."""
        if isinstance(node, cst.Param):
            return self.whole(node.name)
        if isinstance(node, cst.Match):
            return (self.whole(node)[0], self.whole(node.whitespace_after_colon)[0])
        if isinstance(node, cst.BaseCompoundStatement):
            return (self.whole(node)[0], self._body(node.body))
        return self.whole(node)

    def whole(self, node: cst.CSTNode) -> ir.Span:
        """The span that libcst gives to the node, but for a slice, where it counts blanks around the outer colons."""
        start, end = self._range(node)
        if isinstance(node, cst.Slice):
            if node.lower is None:
                start = self._range(node.first_colon)[0]
            if node.step is None and isinstance(node.second_colon, cst.Colon):
                end = self._range(node.second_colon)[1]
            elif node.step is None and node.upper is None:
                end = self._range(node.first_colon)[1]
        return (start, end)

    def _range(self, node: cst.CSTNode) -> ir.Span:
        where = self._ranges[node]
        return (self._offset(where.start), self._offset(where.end))

    def _body(self, suite: cst.BaseSuite) -> int:
        """The place right behind the colon: whatever libcst puts first into a body begins there."""
        if isinstance(suite, cst.IndentedBlock):
            return self._range(suite.header)[0]
        return self._range(cst.ensure_type(suite, cst.SimpleStatementSuite).leading_whitespace)[0]

    def _offset(self, place: CodePosition) -> int:
        return min(self._lines[place.line - 1] + place.column, self._length)


def _located(handler: Callable[[Any, Cursor], Any], spans: Spans) -> Callable[[Any, Cursor], Any]:
    def lower_located(node: Any, at: Cursor) -> Any:
        lowered = handler(node, at)
        if "span" not in getattr(lowered, "_fields", ()) or _is_transparent(node):
            return lowered
        changes: dict[str, Any] = {"span": spans.of(node)}
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            changes["name_span"] = spans.whole(node.name)
        elif isinstance(node, cst.Subscript) and is_tuple_key(node):
            first, last = spans.whole(node.slice[0].slice), spans.whole(node.slice[-1].slice)
            changes["key"] = lowered.key._replace(span=(first[0], last[1]))
        return lowered._replace(**changes)

    return lower_located


def _is_transparent(node: Any) -> bool:
    """Whether the node is lowered to what it holds, which has its span by then."""
    return isinstance(node, _FIELDS) or (isinstance(node, cst.Index) and node.star is None)


_FIELDS = (cst.FormattedStringExpression, getattr(cst, "TemplatedStringExpression", cst.FormattedStringExpression))

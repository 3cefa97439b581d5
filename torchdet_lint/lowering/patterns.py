"""Patterns of `match` statements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import libcst as cst

from torchdet_lint import ir
from torchdet_lint.lowering.cursor import Cursor
from torchdet_lint.lowering.expressions import expression
from torchdet_lint.lowering.registry import lowers


class Pattern(NamedTuple):
    """What `ir.Case` keeps of a pattern."""

    values: tuple[ir.Expr, ...]
    irrefutable: bool
    names: tuple[str, ...]


def pattern(node: Any, at: Cursor) -> Pattern:
    """Any pattern, with its own parentheses."""
    at.descend()
    handler = at.handlers[type(node)]
    if isinstance(node, (cst.MatchValue, cst.MatchSingleton)):
        found: Pattern = handler(node, at)  # their parentheses are those of the expression
    else:
        for _ in node.lpar:
            at.take("(")
        found = handler(node, at)
        for _ in node.rpar:
            at.take(")")
    at.depth -= 1
    return found


@lowers("MatchValue", "MatchSingleton")
def value(node: cst.MatchValue | cst.MatchSingleton, at: Cursor) -> Pattern:
    return Pattern((expression(node.value, at),), False, ())


@lowers("MatchAs")
def capture(node: cst.MatchAs, at: Cursor) -> Pattern:
    inner = Pattern((), True, ())
    if node.pattern is not None:
        inner = pattern(node.pattern, at)
        at.take("as")
    if node.name is None:
        at.take("_")
        return inner
    at.take(node.name.value)
    return inner._replace(names=(*inner.names, node.name.value))


@lowers("MatchOr")
def union(node: cst.MatchOr, at: Cursor) -> Pattern:
    found: list[Pattern] = []
    for element in node.patterns:
        if found:
            at.take("|")
        found.append(pattern(element.pattern, at))
    plain = all(one.values for one in found)
    return Pattern(
        tuple([value for one in found for value in one.values]) if plain else (),
        any(one.irrefutable for one in found),
        _names(found),
    )


@lowers("MatchList", "MatchTuple")
def sequence(node: cst.MatchList | cst.MatchTuple, at: Cursor) -> Pattern:
    brackets = isinstance(node, cst.MatchList) and node.lbracket is not None
    if brackets:
        at.take("[")
    found = _elements(node.patterns, at)
    if brackets:
        at.take("]")
    return Pattern((), False, _names(found))


def _elements(elements: Sequence[Any], at: Cursor) -> list[Pattern]:
    return [
        _star(element, at) if isinstance(element, cst.MatchStar) else pattern(element.value, at) for element in elements
    ]


def _star(node: cst.MatchStar, at: Cursor) -> Pattern:
    at.take("*")
    name = "_" if node.name is None else node.name.value
    at.take(name)
    return Pattern((), True, () if node.name is None else (name,))


@lowers("MatchMapping")
def mapping(node: cst.MatchMapping, at: Cursor) -> Pattern:
    at.take("{")
    found = []
    for element in node.elements:
        expression(element.key, at)
        at.take(":")
        found.append(pattern(element.pattern, at))
    names = _names(found)
    if node.rest is not None:
        at.take("**")
        at.take(node.rest.value)
        names = (*names, node.rest.value)
    at.take("}")
    return Pattern((), False, names)


@lowers("MatchClass")
def class_(node: cst.MatchClass, at: Cursor) -> Pattern:
    expression(node.cls, at)
    at.take("(")
    found = _elements(node.patterns, at)
    for keyword in node.kwds:
        at.take(keyword.key.value)
        at.take("=")
        found.append(pattern(keyword.pattern, at))
    at.take(")")
    return Pattern((), False, _names(found))


def _names(found: list[Pattern]) -> tuple[str, ...]:
    """The names bound by all, each once, in order (the sides of `|` bind the same ones)."""
    return tuple(dict.fromkeys([name for one in found for name in one.names]))

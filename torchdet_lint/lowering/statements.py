"""Statements with a body, and bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from torchdet_lint import ir
from torchdet_lint.lowering.cursor import Cursor
from torchdet_lint.lowering.expressions import argument, expression, parameters
from torchdet_lint.lowering.patterns import pattern
from torchdet_lint.lowering.registry import lowers
from torchdet_lint.lowering.simple import type_parameters


def statements(body: Sequence[Any], at: Cursor) -> ir.Body:
    """The statements of a module or block; those that say nothing (`pass`, docstrings, constants) are left out."""
    handlers = at.handlers
    found: list[Any] = []
    for line in body:
        if type(line) is cst.SimpleStatementLine:
            found += [handlers[type(small)](small, at) for small in line.body]
        else:
            found.append(handlers[type(line)](line, at))
    return tuple([statement for statement in found if statement is not None])


def _block(suite: cst.BaseSuite, at: Cursor) -> ir.Body:
    at.descend()
    body = statements(suite.body, at)
    at.depth -= 1
    return body


def _header(start: int, at: Cursor) -> ir.Span:
    """Consume the colon of the header that begins at `start`."""
    at.take(":")
    return (start, at.end)


def _branch(keyword: str, clause: cst.Else | cst.Finally | None, at: Cursor) -> ir.Body:
    if clause is None:
        return ()
    at.take(keyword)
    at.take(":")
    return _block(clause.body, at)


@lowers("If")
def if_(node: cst.If, at: Cursor) -> ir.If:
    start = at.pos
    at.take("elif" if at.text.startswith("elif", start) else "if")
    test = expression(node.test, at)
    span = _header(start, at)
    body = _block(node.body, at)
    if not isinstance(node.orelse, cst.If):
        return ir.If(test, body, _branch("else", node.orelse, at), span)
    # One level for who writes it: `nesting.MAX_BRANCHES` bounds how many there are, not `MAX_DEPTH`.
    return ir.If(test, body, (at.handlers[cst.If](node.orelse, at),), span)


@lowers("For")
def for_(node: cst.For, at: Cursor) -> ir.For:
    start = at.pos
    if node.asynchronous is not None:
        at.take("async")
    at.take("for")
    target = expression(node.target, at)
    at.take("in")
    source = expression(node.iter, at)
    span = _header(start, at)
    body = _block(node.body, at)
    return ir.For(target, source, body, _branch("else", node.orelse, at), span)


@lowers("While")
def while_(node: cst.While, at: Cursor) -> ir.While:
    start = at.pos
    at.take("while")
    test = expression(node.test, at)
    span = _header(start, at)
    body = _block(node.body, at)
    return ir.While(test, body, _branch("else", node.orelse, at), span)


@lowers("With")
def with_(node: cst.With, at: Cursor) -> ir.With:
    start = at.pos
    if node.asynchronous is not None:
        at.take("async")
    at.take("with")
    parenthesised = isinstance(node.lpar, cst.LeftParen)
    if parenthesised:
        at.take("(")
    items = []
    for item in node.items:
        context = expression(item.item, at)
        target = None
        if item.asname is not None:
            at.take("as")
            target = expression(item.asname.name, at)
        items.append((context, target))
    if parenthesised:
        at.take(")")
    span = _header(start, at)
    return ir.With(tuple(items), _block(node.body, at), span)


@lowers("Try", "TryStar")
def try_(node: cst.Try | cst.TryStar, at: Cursor) -> ir.Try:
    start = at.pos
    at.take("try")
    span = _header(start, at)
    body = _block(node.body, at)
    handlers = tuple([_except(handler, at) for handler in node.handlers])
    orelse = _branch("else", node.orelse, at)
    return ir.Try(body, handlers, orelse, _branch("finally", node.finalbody, at), span)


def _except(node: cst.ExceptHandler | cst.ExceptStarHandler, at: Cursor) -> ir.Handler:
    at.take("except")
    if isinstance(node, cst.ExceptStarHandler):
        at.take("*")
    caught = None if node.type is None else expression(node.type, at)
    name = ""
    if node.name is not None and isinstance(node.name.name, cst.Name):
        name = node.name.name.value
        at.take("as")
        at.take(name)
    at.take(":")
    return ir.Handler(caught, name, _block(node.body, at))


@lowers("Match")
def match(node: cst.Match, at: Cursor) -> ir.Match:
    start = at.pos
    at.take("match")
    subject = expression(node.subject, at)
    span = _header(start, at)
    return ir.Match(subject, tuple([_case(case, at) for case in node.cases]), span)


def _case(node: cst.MatchCase, at: Cursor) -> ir.Case:
    at.descend()
    at.take("case")
    found = pattern(node.pattern, at)
    guard = None
    if node.guard is not None:
        at.take("if")
        guard = expression(node.guard, at)
    at.take(":")
    body = _block(node.body, at)
    at.depth -= 1
    return ir.Case(found.values, found.irrefutable, found.names, guard, body)


@lowers("FunctionDef")
def function(node: cst.FunctionDef, at: Cursor) -> ir.Function:
    decorators = _decorators(node.decorators, at)
    start = at.pos
    if node.asynchronous is not None:
        at.take("async")
    at.take("def")
    name_span = at.take(node.name.value)
    type_parameters(node.type_parameters, at)
    at.take("(")
    params = parameters(node.params, at)
    at.take(")")
    returns = None
    if node.returns is not None:
        at.take("->")
        returns = expression(node.returns.annotation, at)
    span = _header(start, at)
    outside = at.yields
    at.yields = False
    body = _block(node.body, at)
    is_generator = at.yields
    at.yields = outside
    is_async = node.asynchronous is not None
    return ir.Function(
        node.name.value, params, body, decorators, is_async, is_generator, returns, span, name_span
    )  # fmt: skip


@lowers("ClassDef")
def class_(node: cst.ClassDef, at: Cursor) -> ir.Class:
    decorators = _decorators(node.decorators, at)
    start = at.pos
    at.take("class")
    name_span = at.take(node.name.value)
    type_parameters(node.type_parameters, at)
    parenthesised = isinstance(node.lpar, cst.LeftParen)
    if parenthesised:
        at.take("(")
    bases = tuple([argument(arg, at) for arg in (*node.bases, *node.keywords)])
    if parenthesised:
        at.take(")")
    span = _header(start, at)
    return ir.Class(node.name.value, bases, _block(node.body, at), decorators, span, name_span)


def _decorators(nodes: Sequence[cst.Decorator], at: Cursor) -> tuple[Any, ...]:
    found = []
    for node in nodes:
        at.take("@")
        found.append(expression(node.decorator, at))
    return tuple(found)

"""Tuple, list, set and dict displays, and comprehensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from torchdet_lint import ir
from torchdet_lint.lowering.cursor import Cursor
from torchdet_lint.lowering.expressions import expression
from torchdet_lint.lowering.registry import lowers


@lowers("Tuple")
def tuple_(node: cst.Tuple, at: Cursor) -> ir.Sequence:
    start = at.pos
    items = _elements(node.elements, at)
    if not items:
        return ir.Sequence("tuple", (), (start, start))
    if isinstance(node.elements[-1].comma, cst.Comma):
        at.take_trailing_comma()
    return ir.Sequence("tuple", items, (start, at.end))


@lowers("List")
def list_(node: cst.List, at: Cursor) -> ir.Sequence:
    start = at.pos
    at.take("[")
    items = _elements(node.elements, at)
    at.take("]")
    return ir.Sequence("list", items, (start, at.end))


@lowers("Set")
def set_(node: cst.Set, at: Cursor) -> ir.Sequence:
    start = at.pos
    at.take("{")
    items = _elements(node.elements, at)
    at.take("}")
    return ir.Sequence("set", items, (start, at.end))


def _elements(elements: Sequence[cst.BaseElement], at: Cursor) -> tuple[Any, ...]:
    return tuple([
        expression(element if isinstance(element, cst.StarredElement) else element.value, at) for element in elements
    ])  # fmt: skip


@lowers("StarredElement")
def starred(node: cst.StarredElement, at: Cursor) -> ir.Starred:
    start = at.pos
    at.take("*")
    return ir.Starred(expression(node.value, at), (start, at.end))


@lowers("Dict")
def dict_(node: cst.Dict, at: Cursor) -> ir.Mapping:
    start = at.pos
    at.take("{")
    items = []
    for element in node.elements:
        key = None
        if isinstance(element, cst.DictElement):
            key = expression(element.key, at)
            at.take(":")
        else:
            at.take("**")
        items.append((key, expression(element.value, at)))
    at.take("}")
    return ir.Mapping(tuple(items), (start, at.end))


@lowers("GeneratorExp")
def generator(node: cst.GeneratorExp, at: Cursor) -> ir.Comprehension:
    start = at.pos
    element = expression(node.elt, at)
    return ir.Comprehension("generator", element, None, _loops(node.for_in, at), (start, at.end))


@lowers("ListComp")
def list_comprehension(node: cst.ListComp, at: Cursor) -> ir.Comprehension:
    start = at.pos
    at.take("[")
    element = expression(node.elt, at)
    loops = _loops(node.for_in, at)
    at.take("]")
    return ir.Comprehension("list", element, None, loops, (start, at.end))


@lowers("SetComp")
def set_comprehension(node: cst.SetComp, at: Cursor) -> ir.Comprehension:
    start = at.pos
    at.take("{")
    element = expression(node.elt, at)
    loops = _loops(node.for_in, at)
    at.take("}")
    return ir.Comprehension("set", element, None, loops, (start, at.end))


@lowers("DictComp", "StarredDictComp")
def dict_comprehension(node: Any, at: Cursor) -> ir.Comprehension:
    """`{key: value for …}`, or `{**value for …}` (PEP 798), whose key is None."""
    start = at.pos
    at.take("{")
    key = None
    if isinstance(node, cst.DictComp):
        key = expression(node.key, at)
        at.take(":")
    else:
        at.take("**")
    element = expression(node.value, at)
    loops = _loops(node.for_in, at)
    at.take("}")
    return ir.Comprehension("dict", element, key, loops, (start, at.end))


def _loops(node: cst.CompFor | None, at: Cursor) -> tuple[ir.Loop, ...]:
    loops = []
    while node is not None:
        if node.asynchronous is not None:
            at.take("async")
        at.take("for")
        target = expression(node.target, at)
        at.take("in")
        source = expression(node.iter, at)
        tests = []
        for test in node.ifs:
            at.take("if")
            tests.append(expression(test.test, at))
        loops.append(ir.Loop(target, source, tuple(tests)))
        node = node.inner_for_in
    return tuple(loops)

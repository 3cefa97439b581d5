"""What must hold for any code, tried on files of the standard library."""

from __future__ import annotations

import ast
import dataclasses
import itertools
import marshal
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import libcst as cst
import pytest

from torchdet_lint import ir
from torchdet_lint.lowering import LoweringError, lower, unit
from torchdet_lint.lowering.positions import Spans, lower_by_positions
from torchdet_lint.lowering.registry import HANDLERS

_HEADER = re.compile(r"(?s)(if|elif|for|async|while|with|try|match|def|class)\b.*:")

Walk = Callable[[Any], Iterator[Any]]


@pytest.fixture(scope="module")
def lowered(source: str) -> tuple[ir.Stmt, ...]:
    before = unit.counts["fallbacks"]
    try:
        body = lower(source)
    except LoweringError as error:
        pytest.skip(f"libcst does not know the syntax of line {error.line}")
    assert unit.counts["fallbacks"] == before, "the walk lost its place in the text"
    return body


@pytest.fixture(scope="module")
def tree(source: str, lowered: tuple[ir.Stmt, ...]) -> cst.Module:
    tree = unit._parse(source)
    if tree.code != source:
        pytest.skip("libcst does not give this text back, so its positions are off")
    return tree


@pytest.fixture(scope="module")
def spans(source: str, tree: cst.Module) -> Spans:
    return Spans(tree, source)


def test_every_span_is_that_of_libcsts_metadata(lowered: tuple[ir.Stmt, ...], tree: cst.Module, spans: Spans) -> None:
    assert ir.encode(lowered) == ir.encode(lower_by_positions(tree, spans, HANDLERS))


def test_calls_attributes_and_names_are_all_there(
    lowered: tuple[ir.Stmt, ...], tree: cst.Module, spans: Spans, nodes: Walk
) -> None:
    expected = Counter((type(node).__name__, spans.whole(node)) for node in _kept(tree))
    kinds = {ir.Call: "Call", ir.Attr: "Attribute", ir.Name: "Name"}
    found = Counter((kinds[type(node)], node.span) for node in nodes(lowered) if type(node) in kinds)
    for kind in ("Call", "Attribute"):
        assert {key: n for key, n in found.items() if key[0] == kind} == {
            key: n for key, n in expected.items() if key[0] == kind
        }
    assert not {key for key in found if key not in expected}


def _kept(node: Any) -> Iterator[Any]:
    """The calls, attributes and names of what lowering does not leave out."""
    kind = type(node).__name__
    if kind in {"TypeParameters", "TypeAlias", "ImportAlias", "ImportFrom", "MatchClass", "MatchMapping"}:
        return
    if kind in {"Call", "Attribute", "Name"}:
        yield node
    if kind == "FormattedStringExpression":
        yield from _kept(node.expression)
        return
    for field in dataclasses.fields(node):
        if (kind, field.name) == ("Raise", "cause") or "whitespace" in field.name:
            continue
        value = getattr(node, field.name)
        for child in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(child, cst.CSTNode):
                yield from _kept(child)


def test_the_text_of_a_span_is_that_of_the_node(source: str, lowered: tuple[ir.Stmt, ...], nodes: Walk) -> None:
    for node in nodes(lowered):
        if isinstance(node, ir.Name):
            assert source[slice(*node.span)] == node.id
        elif isinstance(node, ir.Attr):
            assert source[slice(*node.span)].endswith(node.name)
        elif isinstance(node, ir.Call):
            text = source[slice(*node.span)]
            opening = node.func.span[0] - node.span[0]
            assert text[:opening].strip("( \n") == ""
            assert text.endswith(")")
        elif isinstance(node, (ir.If, ir.For, ir.While, ir.With, ir.Try, ir.Match, ir.Function, ir.Class)):
            assert _HEADER.fullmatch(source[slice(*node.span)])


def test_calls_are_those_of_ast(source: str, lowered: tuple[ir.Stmt, ...]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source)
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))

    def offset(node: ast.Call) -> int:
        return starts[node.lineno - 1] + len(lines[node.lineno - 1].encode()[: node.col_offset].decode())

    if "\f" in source:
        pytest.skip("splitlines and Python count the lines differently")
    expected = Counter((_dotted_ast(call.func), offset(call)) for call in _ast_calls(tree))
    assert Counter((_dotted(call.func), call.span[0]) for call in _calls(lowered)) == expected


def _ast_calls(node: ast.AST) -> Iterator[ast.Call]:
    """The calls outside of f-strings, where Python before 3.12 has the places wrong."""
    if isinstance(node, ast.Call):
        yield node
    for name, value in ast.iter_fields(node):
        if (name, type(node)) == ("cause", ast.Raise) or name == "type_params" or isinstance(node, ast.JoinedStr):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and type(child).__name__ != "TypeAlias":
                yield from _ast_calls(child)


def _calls(value: Any) -> Iterator[ir.Call]:
    if isinstance(value, tuple) and not isinstance(value, ir.Format):
        if isinstance(value, ir.Call):
            yield value
        for part in value:
            yield from _calls(part)


def _dotted_ast(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted_ast(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


def _dotted(node: ir.Expr) -> str:
    if isinstance(node, ir.Attr):
        return f"{_dotted(node.value)}.{node.name}"
    return node.id if isinstance(node, ir.Name) else "?"


def test_the_encoded_form_survives_marshal(lowered: tuple[ir.Stmt, ...]) -> None:
    encoded = ir.encode(lowered)
    back = ir.decode(marshal.loads(marshal.dumps(encoded)))
    assert back == lowered
    assert ir.encode(back) == encoded
    numbers = [number for node in ir.nested(back) if hasattr(node, "span") for number in node.span]
    assert len(set(map(id, numbers))) == len(set(numbers)), "equal numbers are one"


def test_units_lower_to_the_same_as_the_file(
    source: str, lowered: tuple[ir.Stmt, ...], shifted: Callable[[Any, int], Any]
) -> None:
    pieces = []
    for start, end in _units(source):
        pieces += shifted(lower(source[start:end]), start)
    assert ir.encode(tuple(pieces)) == ir.encode(lowered)


def _units(source: str) -> Iterator[tuple[int, int]]:
    """Each top-level statement with the lines up to the next one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        body = ast.parse(source).body
    lines = [0]
    while (newline := source.find("\n", lines[-1])) >= 0:
        lines.append(newline + 1)
    first = sorted({
        min([node.lineno, *[each.lineno for each in getattr(node, "decorator_list", [])]]) for node in body
    })  # fmt: skip
    starts = [0, *[lines[line - 1] for line in first[1:]], len(source)]
    yield from itertools.pairwise(starts)


def _every_node(value: Any) -> Iterator[Any]:
    """All nodes in order, wherever tuples hold them."""
    if isinstance(value, tuple):
        if type(value) is not tuple:
            yield value
        for part in value:
            yield from _every_node(part)


def test_nested_misses_no_node(lowered: tuple[ir.Stmt, ...]) -> None:
    found, every = list(ir.nested(lowered)), list(_every_node(lowered))
    assert len(found) == len(every)
    assert all(one is other for one, other in zip(found, every, strict=True))

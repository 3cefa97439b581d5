"""Each kind of node, from source to intermediate representation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from torchdet_lint import ir
from torchdet_lint.lowering import lower

AT = (0, 0)
A, B, C, D = (ir.Name(name, AT) for name in "abcd")


def const(value: Any) -> ir.Const:
    return ir.Const(value, AT)


def param(name: str, kind: str = "normal", default: Any = None, annotation: Any = None) -> ir.Param:
    return ir.Param(name, kind, default, annotation, AT)


EXPRESSIONS: list[tuple[str, Any]] = [
    ("a", A),
    ("((a))", A),
    ("a.b", ir.Attr(A, "b", AT)),
    ("a[b]", ir.Item(A, B, AT)),
    ("a[b:]", ir.Item(A, ir.Slice(B, None, None, AT), AT)),
    ("a[:b]", ir.Item(A, ir.Slice(None, B, None, AT), AT)),
    ("a[::]", ir.Item(A, ir.Slice(None, None, None, AT), AT)),
    ("a[b:c:d]", ir.Item(A, ir.Slice(B, C, D, AT), AT)),
    ("a[b, c:]", ir.Item(A, ir.Sequence("tuple", (B, ir.Slice(C, None, None, AT)), AT), AT)),
    ("a[b,]", ir.Item(A, ir.Sequence("tuple", (B,), AT), AT)),
    ("a[*b]", ir.Item(A, ir.Sequence("tuple", (ir.Starred(B, AT),), AT), AT)),
    ("a[(b, c)]", ir.Item(A, ir.Sequence("tuple", (B, C), AT), AT)),
    ("a()", ir.Call(A, (), AT)),
    ("a(b, *c, d=b, **a,)", ir.Call(A, (ir.Arg("", "", B), ir.Arg("*", "", C), ir.Arg("=", "d", B), ir.Arg("**", "", A)), AT)),
    ("a(b for b in c)", ir.Call(A, (ir.Arg("", "", ir.Comprehension("generator", B, None, (ir.Loop(B, C, ()),), AT)),), AT)),
    *[(f"a {op} b", ir.Binary(op, A, B, AT)) for op in "+ - * / // % ** @ & | ^ << >>".split()],
    ("a - b - c", ir.Binary("-", ir.Binary("-", A, B, AT), C, AT)),
    ("a ** b ** c", ir.Binary("**", A, ir.Binary("**", B, C, AT), AT)),
    *[(f"{op} a", ir.Unary(op, A, AT)) for op in "not - + ~".split()],
    ("a and b and c", ir.Logic("and", (A, B, C), AT)),
    ("a or b and c or d", ir.Logic("or", (A, ir.Logic("and", (B, C), AT), D), AT)),
    ("a and (b and c)", ir.Logic("and", (A, ir.Logic("and", (B, C), AT)), AT)),
    *[
        (f"a {op} b", ir.Compare(A, (op,), (B,), AT))
        for op in ("==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not")
    ],
    ("a < b not   in c", ir.Compare(A, ("<", "not in"), (B, C), AT)),
    ("a if b else c", ir.Choice(B, A, C, AT)),
    ("()", ir.Sequence("tuple", (), AT)),
    ("a,", ir.Sequence("tuple", (A,), AT)),
    ("(a, *b)", ir.Sequence("tuple", (A, ir.Starred(B, AT)), AT)),
    ("[]", ir.Sequence("list", (), AT)),
    ("[a, b,]", ir.Sequence("list", (A, B), AT)),
    ("{a, *b}", ir.Sequence("set", (A, ir.Starred(B, AT)), AT)),
    ("{}", ir.Mapping((), AT)),
    ("{a: b, **c}", ir.Mapping(((A, B), (None, C)), AT)),
    ("[a for b in c if a if d for a in b]", ir.Comprehension("list", A, None, (ir.Loop(B, C, (A, D)), ir.Loop(A, B, ())), AT)),
    ("{a for b in c}", ir.Comprehension("set", A, None, (ir.Loop(B, C, ()),), AT)),
    ("{a: b for c in d}", ir.Comprehension("dict", B, A, (ir.Loop(C, D, ()),), AT)),
    ("(a for b in c)", ir.Comprehension("generator", A, None, (ir.Loop(B, C, ()),), AT)),
    ("lambda: a", ir.Lambda((), A, AT)),
    ("lambda a, *b, c=d, **d: a", ir.Lambda((param("a"), param("b", "*"), param("c", "keyword", D), param("d", "**")), A, AT)),
    ("(a := b)", ir.Walrus(A, B, AT)),
    ("f''", ir.Format((), AT)),
    ("f'x{{{a!r:>{b}}{c=}'", ir.Format((const("x{"), A, C), AT)),
    ("f'{a:{b:{c}}}\\t'", ir.Format((A, const("\t")), AT)),
    ("rf'{a}\\t'", ir.Format((A, const("\\t")), AT)),
    ("f'''{\na\n}'''", ir.Format((A,), AT)),
    ("'x' f'{a}' 'y'", ir.Format((const("x"), A, const("y")), AT)),
    ("f'{a}' f'{b}'", ir.Format((A, B), AT)),
    ("f'{3}'", ir.Format((const(3),), AT)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), EXPRESSIONS)
def test_expression(text: str, expected: Any, shifted: Callable[[Any, None], Any]) -> None:
    (statement,) = shifted(lower(f"{text}\n"), None)
    assert ir.encode(statement) == ir.encode(ir.Do(expected, AT))


CONSTANTS: list[tuple[str, Any]] = [
    ("None", None),
    ("True", True),
    ("False", False),
    ("...", ...),
    ("1_000", 1000),
    ("0x_fF", 255),
    ("0b1_0", 2),
    ("0o17", 15),
    ("00", 0),
    ("1.5", 1.5),
    ("1.", 1.0),
    (".5e-1", 0.05),
    ("1e1_0", 1e10),
    ("2j", 2j),
    ("1_0.5J", 10.5j),
    ("9" * 5000, "9" * 5000),
    ("'a'", "a"),
    ("u'a'", "a"),
    ("b'a'", b"a"),
    ("Rb'\\n'", b"\\n"),
    ("'''a\nb'''", "a\nb"),
    ("'a' \"b\" '''c'''", "abc"),
    ("b'a' b'b'", b"ab"),
    ("'" + "x" * 100_000 + "'", "x" * 100_000),
]


@pytest.mark.parametrize(("text", "value"), CONSTANTS)
def test_constant(text: str, value: Any) -> None:
    (statement,) = lower(f"a = {text}")
    assert isinstance(statement, ir.Assign)
    assert isinstance(statement.value, ir.Const)
    assert statement.value.value == value
    assert type(statement.value.value) is type(value)
    assert statement.value.span == (4, 4 + len(text))


def body_of(name: str) -> tuple[ir.Stmt, ...]:
    return (ir.Do(ir.Name(name, AT), AT),)


STATEMENTS: list[tuple[str, list[Any]]] = [
    ("'''docstring'''\npass\n...\n1\nNone", []),
    ("a; b;", [ir.Do(A, AT), ir.Do(B, AT)]),
    ("a = b", [ir.Assign((A,), B, None, AT)]),
    ("a = b, = c", [ir.Assign((A, ir.Sequence("tuple", (B,), AT)), C, None, AT)]),
    ("*a, b = c", [ir.Assign((ir.Sequence("tuple", (ir.Starred(A, AT), B), AT),), C, None, AT)]),
    ("a: b = c", [ir.Assign((A,), C, B, AT)]),
    ("a.b: c", [ir.Assign((ir.Attr(A, "b", AT),), None, C, AT)]),
    *[(f"a {op}= b", [ir.Augment(A, op, B, AT)]) for op in "+ - * / // % ** @ & | ^ << >>".split()],
    ("def a():\n return", [ir.Function("a", (), (ir.Return(None, AT),), (), False, False, None, AT, AT)]),
    ("def a(): return b, c", [ir.Function("a", (), (ir.Return(ir.Sequence("tuple", (B, C), AT), AT),), (), False, False, None, AT, AT)]),
    ("raise", [ir.Raise(None, AT)]),
    ("raise a from b", [ir.Raise(A, AT)]),
    ("break", [ir.Jump("break", AT)]),
    ("continue", [ir.Jump("continue", AT)]),
    ("del a, b[c]", [ir.Delete((A, ir.Item(B, C, AT)), AT)]),
    ("del (a)", [ir.Delete((A,), AT)]),
    ("assert a", [ir.Assert(A, None, AT)]),
    ("assert a, b", [ir.Assert(A, B, AT)]),
    ("global a, b", [ir.Scope("global", ("a", "b"), AT)]),
    ("nonlocal a", [ir.Scope("nonlocal", ("a",), AT)]),
    ("if a: b", [ir.If(A, body_of("b"), (), AT)]),
    ("if a:\n  b\nelif c:\n  d\nelse:\n  a", [ir.If(A, body_of("b"), (ir.If(C, body_of("d"), body_of("a"), AT),), AT)]),
    ("if a:\n  b\nelse:\n  if c: d", [ir.If(A, body_of("b"), (ir.If(C, body_of("d"), (), AT),), AT)]),
    ("for a in b: c\nelse: d", [ir.For(A, B, body_of("c"), body_of("d"), AT)]),
    ("while a:\n\tb\nelse:\n\tc", [ir.While(A, body_of("b"), body_of("c"), AT)]),
    ("with a: b", [ir.With(((A, None),), body_of("b"), AT)]),
    ("with a as b, c as (d): b", [ir.With(((A, B), (C, D)), body_of("b"), AT)]),
    ("with (a as b, c,): b", [ir.With(((A, B), (C, None)), body_of("b"), AT)]),
    ("with (a): b", [ir.With(((A, None),), body_of("b"), AT)]),
    ("with (a, b) as c: b", [ir.With(((ir.Sequence("tuple", (A, B), AT), C),), body_of("b"), AT)]),
    (
        "try: a\nexcept b as c: d\nexcept: a\nelse: b\nfinally: c",
        [ir.Try(body_of("a"), (ir.Handler(B, "c", body_of("d")), ir.Handler(None, "", body_of("a"))), body_of("b"), body_of("c"), AT)],
    ),
    ("try: a\nexcept* (b, c) as d: d", [ir.Try(body_of("a"), (ir.Handler(ir.Sequence("tuple", (B, C), AT), "d", body_of("d")),), (), (), AT)]),
    ("try: a\nfinally: b", [ir.Try(body_of("a"), (), (), body_of("b"), AT)]),
    (
        "@a\n@b(c)\ndef d(a, /, b: c = d, *, e, **f) -> b: pass",
        [ir.Function(
            "d",
            (param("a", "positional"), param("b", "normal", D, C), param("e", "keyword"), param("f", "**")),
            (), (A, ir.Call(B, (ir.Arg("", "", C),), AT)), False, False, B, AT, AT,
        )],
    ),
    ("def a(*b: *c): pass", [ir.Function("a", (param("b", "*", None, ir.Starred(C, AT)),), (), (), False, False, None, AT, AT)]),
    ("def a[T: b, *U, **V](c): d", [ir.Function("a", (param("c"),), body_of("d"), (), False, False, None, AT, AT)]),
    ("class a: pass", [ir.Class("a", (), (), (), AT, AT)]),
    ("class a(): pass", [ir.Class("a", (), (), (), AT, AT)]),
    ("@a\nclass b[T](c, *b, d=a, **c): d", [ir.Class("b", (ir.Arg("", "", C), ir.Arg("*", "", B), ir.Arg("=", "d", A), ir.Arg("**", "", C)), body_of("d"), (A,), AT, AT)]),
    ("import a.b as c, d", [ir.Import((("a.b", "c"), ("d", "")), AT)]),
    ("from a import b as c, d", [ir.ImportFrom("a", 0, (("b", "c"), ("d", "d")), AT)]),
    ("from ... import (a,)", [ir.ImportFrom("", 3, (("a", "a"),), AT)]),
    ("from . a.b import *", [ir.ImportFrom("a.b", 1, (("*", "*"),), AT)]),
    ("type a[T] = b", []),
    ("type = a", [ir.Assign((ir.Name("type", AT),), A, None, AT)]),
    ("match = a", [ir.Assign((ir.Name("match", AT),), A, None, AT)]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), STATEMENTS)
def test_statement(text: str, expected: list[Any], shifted: Callable[[Any, None], Any]) -> None:
    assert ir.encode(shifted(lower(text), None)) == ir.encode(tuple(expected))


def test_asynchronous(shifted: Callable[[Any, None], Any]) -> None:
    text = "async def a():\n  await b\n  async for c in d: pass\n  async with a as b: pass\n  [a async for b in c]\n"
    (function,) = shifted(lower(text), None)
    expected = (
        ir.Do(ir.Await(B, AT), AT),
        ir.For(C, D, (), (), AT),
        ir.With(((A, B),), (), AT),
        ir.Do(ir.Comprehension("list", A, None, (ir.Loop(B, C, ()),), AT), AT),
    )
    assert ir.encode(function) == ir.encode(ir.Function("a", (), expected, (), True, False, None, AT, AT))


YIELDS: list[tuple[str, bool]] = [
    ("yield", True),
    ("a = yield b", True),
    ("yield from a", True),
    ("if a:\n    b((yield))", True),
    ("a = lambda: (yield)", False),
    ("def g():\n    yield", False),
    ("class G:\n    def g(self): yield", False),
    ("@(yield)\n  def g(): pass", True),
    ("return", False),
]


@pytest.mark.parametrize(("text", "is_generator"), YIELDS)
def test_is_generator_when_its_own_body_yields(text: str, is_generator: bool) -> None:
    (function,) = lower(f"def f():\n  {text}\n")
    assert isinstance(function, ir.Function)
    assert function.is_generator is is_generator


def test_yield_forms(shifted: Callable[[Any, None], Any]) -> None:
    (function,) = shifted(lower("def f():\n  yield\n  yield a\n  yield from a"), None)
    assert [ir.encode(one.value) for one in function.body] == [
        ir.encode(one) for one in (ir.Yield(None, False, AT), ir.Yield(A, False, AT), ir.Yield(A, True, AT))
    ]


PATTERNS: list[tuple[str, tuple[Any, ...], bool, tuple[str, ...]]] = [
    ("1", (const(1),), False, ()),
    ("-1", (ir.Unary("-", const(1), AT),), False, ()),
    ("'x' 'y'", (const("xy"),), False, ()),
    ("None", (const(None),), False, ()),
    ("(1)", (const(1),), False, ()),
    ("a.b", (ir.Attr(A, "b", AT),), False, ()),
    ("1 | a.b | None", (const(1), ir.Attr(A, "b", AT), const(None)), False, ()),
    ("(1 | 2) as c", (const(1), const(2)), False, ("c",)),
    ("1 | [2]", (), False, ()),
    ("1 | _", (), True, ()),
    ("_", (), True, ()),
    ("c", (), True, ("c",)),
    ("(c)", (), True, ("c",)),
    ("_ as d", (), True, ("d",)),
    ("a, b", (), False, ("a", "b")),
    ("(a, *_)", (), False, ("a",)),
    ("[1, *c, (d, _)]", (), False, ("c", "d")),
    ("{}", (), False, ()),
    ("{'k': c, a.b: [d], **rest}", (), False, ("c", "d", "rest")),
    ("a.B(1, c, k=d as b,)", (), False, ("c", "d", "b")),
    ("[c] | (c, _)", (), False, ("c",)),
]


@pytest.mark.parametrize(("text", "values", "irrefutable", "names"), PATTERNS)
def test_pattern(
    text: str, values: tuple[Any, ...], irrefutable: bool, names: tuple[str, ...], shifted: Callable[[Any, None], Any]
) -> None:
    (statement,) = shifted(lower(f"match a, b:\n  # first\n  case {text}:\n    b\n  case d if c: pass\n"), None)
    expected = (
        ir.Case(values, irrefutable, names, None, body_of("b")),
        ir.Case((), True, ("d",), C, ()),
    )
    assert ir.encode(statement) == ir.encode(ir.Match(ir.Sequence("tuple", (A, B), AT), expected, AT))

"""Where things are, in code that tempts one to be off by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from torchdet_lint import ir
from torchdet_lint.lowering import lower, unit
from torchdet_lint.lowering.cursor import Cursor
from torchdet_lint.lowering.errors import Misaligned
from torchdet_lint.lowering.positions import Spans, lower_by_positions
from torchdet_lint.lowering.registry import HANDLERS

Walk = Callable[[Any], Iterator[Any]]

HEADERS = [
    "if (a):  # why",
    "while a :",
    "for a, in b:",
    "async for a in b:",
    "with a as b, c:",
    "with (\n    a as b,  # : not here\n    c\n  ) :",
    "try :",
    "match (a):\n  case 1:",
    "def f(a: b = {1: 2}) -> c[d:e] :",
    "async  def f():",
    "class A(b, c=d) :",
]


@pytest.mark.parametrize("header", HEADERS)
def test_a_compound_statement_is_its_header(header: str) -> None:
    text = f"# one: two\n@d(a)\n{header}\n    a\n" if "def" in header or "class" in header else f"{header}\n    a\n"
    if header.startswith("async for"):
        text = f"async def f():\n  {header}\n    a\n"
    if header == "try :":
        text += "finally: pass\n"
    (statement,) = lower(text)
    if header.startswith("async for"):
        assert isinstance(statement, ir.Function)
        (statement,) = statement.body
    expected = header.partition("  # why")[0].partition("\n  case")[0]
    assert text[slice(*statement.span)] == expected
    if isinstance(statement, (ir.Function, ir.Class)):
        assert text[slice(*statement.name_span)] == statement.name


def test_elif_begins_at_its_keyword() -> None:
    text = "if a: b\nelif c :\n  d\nelse: e"
    (statement,) = lower(text)
    assert isinstance(statement, ir.If)
    assert isinstance(statement.orelse[0], ir.If)
    assert text[slice(*statement.orelse[0].span)] == "elif c :"


SIMPLE = [
    "a", "(a)", "a ,", "a = b", "a = (b)", "a = b ,", "a: b", "a += 1", "del a ,", "assert a, (b)", "import a.b as c, d",
    "from . import (a,\n  b, )", "return (a)", "raise a from b", "global a, b", "continue", "a[1,]", "f(a,)", "yield (a)",
]  # fmt: skip


@pytest.mark.parametrize("text", SIMPLE)
@pytest.mark.parametrize("after", ["", " ; z", "# z", "\\\n\n", "  \f\r\n"])
def test_a_simple_statement_ends_before_what_follows(text: str, after: str) -> None:
    source = f"def f():\n\n\n    y; {text}{after}"
    (function,) = lower(source)
    assert isinstance(function, ir.Function)
    assert source[slice(*function.body[1].span)] == text


SPANS = [
    ("((a))", ir.Name, ["a"]),
    ("(a).b", ir.Attr, ["(a).b"]),
    ("((a) . b)(c)", ir.Attr, ["(a) . b"]),
    ("((a) . b)(c)", ir.Call, ["((a) . b)(c)"]),
    ("(f(x))", ir.Call, ["f(x)"]),
    ("f(\n  # hi ) \n  x, # (\n)", ir.Call, ["f(\n  # hi ) \n  x, # (\n)"]),
    ("f (x) [0] . g ( )", ir.Call, ["f (x) [0] . g ( )", "f (x)"]),
    ("a[b, c:d , ]", ir.Sequence, ["b, c:d"]),
    ("a[ : b ]", ir.Slice, [": b"]),
    ("a[b :]", ir.Slice, ["b :"]),
    ("(a, b , )", ir.Sequence, ["a, b ,"]),
    ("( )", ir.Sequence, [""]),
    ("not(a)", ir.Unary, ["not(a)"]),
    ("(a) + (b)", ir.Binary, ["(a) + (b)"]),
    ("f(*a, ** b, c = d)", ir.Name, ["f", "a", "b", "d"]),
    ("f(x for x in y)", ir.Comprehension, ["x for x in y"]),
    ("[*a, b]", ir.Starred, ["*a"]),
    ("'é' 'x', b", ir.Const, ["'é' 'x'"]),
    ("é = 'ö', b", ir.Name, ["é", "b"]),
    ("lambda *a, b = c : d", ir.Param, ["a", "b"]),
    ("f'{a}é{ b . c }{{{f(d)!r:>{w}}}}'", ir.Name, ["a", "b", "f", "d"]),
    ("f'{a}é{ b . c }{{{f(d)!r:>{w}}}}'", ir.Attr, ["b . c"]),
    ("f'{a}é{ b . c }{{{f(d)!r:>{w}}}}'", ir.Call, ["f(d)"]),
    ("f'{a}#{b}' # {c}", ir.Const, ["#"]),
    ("f'{f\"{a}\"}' + b", ir.Format, ["f'{f\"{a}\"}'", 'f"{a}"']),
    ('f"{a["b"]}" + c', ir.Item, ['a["b"]']),
    ('f"""\n{\na\n}\n{b=}"""', ir.Name, ["a", "b"]),
    ("x if y else\\\n z", ir.Choice, ["x if y else\\\n z"]),
    ("\tf(a)  ", ir.Call, ["f(a)"]),
    ("1if x else 2", ir.Name, ["x"]),
    ("a<-b", ir.Unary, ["-b"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "expected"), SPANS)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_expression_spans(text: str, kind: type, expected: list[str], newline: str, nodes: Walk) -> None:
    head, tail = ("if 1:\n", "\n") if text.startswith("\t") else ("", "\n")
    source = (head + text + tail).replace("\n", newline)
    before = unit.counts["fallbacks"]
    found = [source[slice(*node.span)] for node in nodes(lower(source)) if type(node) is kind]
    assert found == [one.replace("\n", newline) for one in expected]
    assert unit.counts["fallbacks"] == before


def test_text_that_does_not_end_in_a_newline() -> None:
    for text, span in (("a.b", (0, 3)), ("\ufeffa = 1  # b", (1, 6))):
        (statement,) = lower(text)
        assert isinstance(statement, (ir.Do, ir.Assign))
        assert statement.span == span
    assert lower("") == lower("\n\n") == lower("# only this") == ()


ODD = (
    "@d\nclass A(b, m=c): # x\n  '''doc'''\n  def f(self, /, a: b = 1, *c, d, **e) -> {1: 2}: return a[1:2, ::3], a[(1, 2)]\n"
    "if a: b\nelif (c): d\nelse: e\nmatch a, b:\n  case [1, *_] | {'k': v}: pass\n  case A.b(x=1) if c: d\n"
    "try: a\nexcept* B as c: d\nasync def g(): return [x async for x in f'{y!r:{z}}' 'q' if (yield)]\n"
    "with (a as b, c): del x, y\nfrom . import (a, b)\na = b = (1, ); c: d\nlambda *, a=1: (a)\n"
)


def test_metadata_helps_where_the_text_seems_to_disagree(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = lower(ODD)
    before = unit.counts["fallbacks"]

    def lost(cursor: Cursor) -> None:
        if type(cursor) is Cursor:
            raise Misaligned("on purpose")

    monkeypatch.setattr(Cursor, "finish", lost)
    assert ir.encode(lower(ODD)) == ir.encode(expected)
    assert unit.counts["fallbacks"] == before + 1


def test_metadata_and_text_agree_on_odd_code() -> None:
    tree = unit._parse(ODD)
    assert ir.encode(lower(ODD)) == ir.encode(lower_by_positions(tree, Spans(tree, ODD), HANDLERS))


def test_a_cursor_notices_another_text() -> None:
    cursor = Cursor("a + b", HANDLERS)
    cursor.take("a")
    with pytest.raises(Misaligned):
        cursor.take("-")
    with pytest.raises(Misaligned):
        cursor.finish()

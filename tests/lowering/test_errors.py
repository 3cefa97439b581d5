"""Code that cannot be lowered: one line of message, and the place."""

from __future__ import annotations

import gc
import marshal
import subprocess
import sys
import warnings

import pytest

from torchdet_lint import ir
from torchdet_lint.lowering import LoweringError, lower, nesting
from torchdet_lint.lowering.registry import HANDLERS

SYNTAX = [
    ("x = 1\nprint 'a'\n", 2, {1, 7, 9}),
    ("def f():\n    a\n    print 'hello', b\n    c\n", 3, {5, 11, 17}),
    ("x = (1,\n  2\ny = 3\n", 1, {5}),
    ("a\nx = '''abc\ndef", 2, {5}),
    ("a\nx = 'abc\n", 2, {5}),
    ("if a:\n   b\n  c\n", 3, {3, 4}),
    ("if a:\nb\n", 2, {1}),
    ("a = 1\n\nb = `c`\n", 3, {5}),
    ("class A:\n  x = 0777\n", 2, {7, 10}),
    ("a\n)\n", 2, {1}),
    ("a ? b", 1, {3}),
    ("def f(:\n  pass", 1, {7}),
    ("é = 1; ö ö", 1, {8, 10}),
    ("type A = int\ndef f[T]() -> T: ...\na\nb c\n", 4, {1, 3}),
]


@pytest.mark.parametrize(("text", "line", "columns"), SYNTAX)
def test_syntax_error(text: str, line: int, columns: set[int]) -> None:
    with pytest.raises(LoweringError) as caught:
        lower(text)
    error = caught.value
    assert error.message.startswith("syntax error: ")
    assert "\n" not in error.message
    assert len(error.message) < 200
    assert error.line == line
    assert error.column in columns
    assert str(error) == f"{error.line}:{error.column}: {error.message}"


@pytest.mark.parametrize(
    "text",
    ["a\0b", "a\ud800", "'\ud800'", "$", "\\", "a\\ b", "f'{", "f'{}'", "f'{a!}'", "'" * 7, "\x0c\x0c(", "lambda"],
)
def test_garbage_is_an_error_like_any_other(text: str) -> None:
    with pytest.raises(LoweringError) as caught:
        lower(text)
    assert caught.value.line >= 1
    assert caught.value.column >= 1


def test_what_only_libcst_refuses_is_said_to_be_its_own_limit() -> None:
    with pytest.raises(LoweringError, match="libcst's parser does not know") as caught:
        lower("a\n(b): int\n")
    assert caught.value.line == 2


def test_python_warnings_about_the_code_stay_inside() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lower("a = '\\d' is '\\q'")
        with pytest.raises(LoweringError):
            lower("a = '\\d' is 1 print 2")


DEEP = {
    "brackets": lambda n: "x = " + "(" * n + "1" + ")" * n,
    "lists": lambda n: "x = " + "[" * n + "]" * n,
    "dicts": lambda n: "{1:" * n + "1" + "}" * n,
    "open brackets": lambda n: "x = " + "(" * n,
    "calls": lambda n: "f(\n" * n + ")" * n,
    "call chain": lambda n: "f" + "()" * n,
    "method chain": lambda n: "(f" + "\n.g()" * n + ")",
    "attributes": lambda n: "f" + ".g" * n,
    "subscripts": lambda n: "f" + "[0]" * n,
    "lambdas": lambda n: "lambda: " * n + "1",
    "lambda defaults": lambda n: "lambda a, b=" * n + "1" + ": 1" * n,
    "not": lambda n: "not " * n + "1",
    "minus": lambda n: "-" * n + "1",
    "tilde in an f-string": lambda n: "x = f'''{" + "~" * n + "1}'''",
    "lists in an f-string": lambda n: "x = a + fR'''{" + "[" * n + "]" * n + "}'''",
    "plus": lambda n: "x = 1" + " + 1" * n,
    "power": lambda n: "1" + "**1" * n,
    "conditions": lambda n: "a" + " if b else c" * n,
    "yield": lambda n: "def f():\n    " + "(yield " * n + "a" + ")" * n,
    "elif": lambda n: "if a: b\n" + "elif a: b\n" * n,
    "blocks": lambda n: "".join(" " * i + "if a:\n" for i in range(n)) + " " * n + "b",
    "patterns": lambda n: "match a:\n  case " + "[" * n + "]" * n + ": b",
    "mappings in patterns": lambda n: "match a:\n  case " + "{1: " * n + "b" + "}" * n + ": b",
    "after a lone return": lambda n: "# a\r# b\rx = " + "-" * n + "1\r",
    "types": lambda n: "def f(a: " + "a[" * n + "b" + "]" * n + "): pass",
}  # fmt: skip


@pytest.mark.parametrize("kind", DEEP)
@pytest.mark.parametrize("levels", [200, 700, 20_000])
def test_too_deep_is_an_error_and_no_crash(kind: str, levels: int) -> None:
    if kind == "blocks" and levels > 1000:
        levels = 1000  # the text alone would be gigabytes
    if kind == "elif":
        levels = max(levels, nesting.MAX_BRANCHES + 1)
    with pytest.raises(LoweringError) as caught:
        lower(DEEP[kind](levels))
    if kind != "blocks":
        assert caught.value.message == nesting.MESSAGE


@pytest.mark.parametrize("kind", DEEP)
def test_deep_enough_for_anyone(kind: str) -> None:
    """What is accepted can be walked, encoded and decoded within the default recursion limit."""
    if kind == "open brackets":
        return
    lowered = lower(DEEP[kind](8 if "patterns" in kind else 48))
    assert ir.decode(marshal.loads(marshal.dumps(ir.encode(lowered)))) == lowered


def test_hundreds_of_branches_are_no_depth() -> None:
    lowered = lower(
        "def f(a):\n    if a == 0: return 1\n" + "".join(f"    elif a == {n}: b = {n}\n" for n in range(200))
    )
    assert ir.decode(ir.encode(lowered)) == lowered


def test_the_deepest_that_is_accepted_can_be_encoded() -> None:
    calls = "f(" * 90 + "1" + " + 1" * 40 + ")" * 90
    lowered = lower("".join(" " * i + "if a:\n" for i in range(15)) + " " * 15 + calls)
    assert ir.decode(ir.encode(lowered)) == lowered
    with pytest.raises(LoweringError):
        lower("".join(" " * i + "if a:\n" for i in range(40)) + " " * 40 + calls)


WIDE = {
    "list": "x = [" + "1 + 1, " * 5000 + "]",
    "dict of calls": "x = {" + "'k': f(-a.b[0], not c),\n" * 2000 + "}",
    "joined strings": "x = (" + "'a'\n" * 2000 + ")",
    "and": "x = a" + " and a" * 500,
    "comparison": "x = a" + " < a" * 500,
    "statements": "x = f(a) + 1\nf(b)\n(c)\n[d]\n-e\n" * 500,
    "ifs": "if a: b\nelif c: d\n" * 1000,
    "decorators": "@a\n" * 1000 + "def f(): pass",
    "targets": "a = " * 500 + "b",
    "fields": "f'" + "{a}-" * 2000 + "'",
    "text around fields": "f'''" + ('<p class="a-b">(.-.)</p>\n' * 50 + "{a}") * 20 + "'''",
    "brackets in strings": "x = '" + "(" * 5000 + "'  # " + "[" * 5000,
    "parameters": "def f(" + ", ".join(f"a{i}=-1" for i in range(1000)) + "): pass",
    "alternatives": "match a:\n  case " + " | ".join(map(str, range(500))) + ": b",
}


@pytest.mark.parametrize("kind", WIDE)
def test_wide_code_is_not_deep(kind: str) -> None:
    assert lower(WIDE[kind])


def test_a_fault_of_the_walk_leaves_collection_as_it_was() -> None:
    assert gc.isenabled()
    with pytest.raises(LoweringError):
        lower("(")
    assert gc.isenabled()
    gc.disable()
    try:
        lower("a")
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_syntax_of_a_later_libcst_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import libcst as cst

    monkeypatch.delitem(HANDLERS, cst.Await)
    with pytest.raises(LoweringError, match="Await is syntax that cannot be analysed yet"):
        lower("async def f():\n  await g")


def test_importing_the_room_does_not_import_libcst() -> None:
    script = "import sys, torchdet_lint.lowering; sys.exit('libcst' in sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True)

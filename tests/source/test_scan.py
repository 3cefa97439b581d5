"""The units of a text cover its code, and say of it what a parser would say."""

from __future__ import annotations

import ast
import importlib.util
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from torchdet_lint.source.scan import Unit, scan

KINDS: dict[type[ast.stmt], str] = {
    ast.Import: "import",
    ast.ImportFrom: "from",
    ast.FunctionDef: "def",
    ast.AsyncFunctionDef: "def",
    ast.ClassDef: "class",
    ast.If: "if",
    ast.For: "for",
    ast.AsyncFor: "for",
    ast.While: "while",
    ast.With: "with",
    ast.AsyncWith: "with",
    ast.Try: "try",
    ast.Match: "match",
    ast.Assign: "assign",
    ast.AnnAssign: "assign",
    ast.AugAssign: "assign",
}


def kind_of(statement: ast.stmt) -> str:
    if type(statement).__name__ == "TypeAlias":
        return "assign"
    return "try" if type(statement).__name__ == "TryStar" else KINDS.get(type(statement), "expr")


def names_bound(node: ast.AST) -> Iterator[str]:
    """Names bound in a statement, the bodies and headers of functions and classes inside of it left out."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
        return
    if isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.alias):
        yield node.asname or node.name.partition(".")[0]
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest
    for child in ast.iter_child_nodes(node):
        yield from names_bound(child)


def identifiers(node: ast.AST) -> Iterator[str]:
    """Every identifier, attribute, parameter and keyword name, and every part of an imported module's name."""
    for each in ast.walk(node):
        for field in ("id", "attr", "arg", "name", "asname", "module", "rest"):
            value = getattr(each, field, None)
            if isinstance(value, str):
                yield from (part for part in value.split(".") if part != "*")


COMPOUND = {"if", "for", "while", "with", "try", "match"}


def parse(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def check_against_parser(text: str, *, certain: bool = True) -> None:
    """Fails unless the units' statements are those of the whole text, with their kinds, names, words and lines."""
    whole = parse(text)
    units = scan(text).units
    if certain:
        assert all(unit.kind != "file" for unit in units)
    assert [unit.index for unit in units] == list(range(len(units)))
    seen: list[ast.stmt] = []
    last = 0
    for unit in units:
        assert last <= unit.start < unit.end
        last = unit.end
        code = text[unit.start : unit.end]
        own = parse(code).body
        assert own or unit.kind == "file", code
        seen += own
        check_unit(unit, own)
    assert [ast.dump(each) for each in seen] == [ast.dump(each) for each in whole.body]
    starts = iter(whole.body)
    for unit in units:
        statements = [next(starts) for _ in parse(text[unit.start : unit.end]).body]
        if unit.kind == "file":
            continue
        decorators = getattr(statements[0], "decorator_list", [])
        assert unit.line == min(each.lineno for each in [statements[0], *decorators])


def check_unit(unit: Unit, own: list[ast.stmt]) -> None:
    if unit.kind == "file":
        return
    assert unit.kind == kind_of(own[0])
    bound = list(dict.fromkeys(name for each in own for name in names_bound(each)))
    if unit.kind in COMPOUND or len(own) > 1:
        assert set(bound) <= set(unit.names)
    elif unit.kind not in ("def", "class"):
        assert set(bound) <= set(unit.names)
        assert set(unit.names) - set(bound) <= {"yes"}  # `:=` in a lambda binds nothing outside of it
    else:
        assert unit.names == (own[0].name,)  # type: ignore[attr-defined]
    assert {name for each in own for name in identifiers(each)} <= set(unit.words)


STDLIB = [
    "argparse",
    "ast",
    "asyncio.base_events",
    "collections",
    "configparser",
    "dataclasses",
    "decimal",
    "difflib",
    "enum",
    "functools",
    "inspect",
    "json.decoder",
    "locale",
    "pathlib",
    "re",
    "tarfile",
    "tokenize",
    "typing",
    "unittest.mock",
    "test.test_fstring",
    "test.test_grammar",
    "test.test_patma",
    "test.test_tokenize",
]


@pytest.mark.parametrize("module", STDLIB)
def test_standard_library_modules_scan_as_they_parse(module: str) -> None:
    try:
        spec = importlib.util.find_spec(module)
    except ModuleNotFoundError:
        spec = None
    if spec is None or not spec.origin or not spec.origin.endswith(".py"):
        pytest.skip("not in this Python")
    check_against_parser(Path(spec.origin).read_text(encoding="utf-8"))


ATOM = st.sampled_from(
    [
        "x",
        "self.y",
        "f(1)",
        "a[0]",
        '"s"',
        "'it''s'",
        "'\\''",
        'r"\\"',
        "b'#'",
        '"""t\n"quoted" # no\ndef g(): \n"""',
        "'''('''",
        'f"{x}"',
        "f'{d[\"k\"]!r:>{w}}'",
        'rf"\\N{x}"',
        'f"""{\nx\n} " {{ """',
        "(1,\n2)",
        "[\nx,\n# c ]\ny]",
        "{'k': v}",
        "lambda q=1: q",
        "x if a else b",
        "not'x'",
        "u'\\\\'",
        '""',
        "''",
        'f""',
        "é",
        "(yes := 1)",
    ]
)
SIMPLE = st.one_of(
    st.builds(
        "{} = {}".format, st.sampled_from(["x", "x.y", "a, b", "(c, *d)", "[e, f]", "g = h", "i[0]", "j, k[l]"]), ATOM
    ),
    st.builds("{} += {}".format, st.sampled_from(["x", "x.y", "i[0, 1]"]), ATOM),
    st.builds("x: {} = {}".format, ATOM, ATOM),
    st.builds("print({}, end={})".format, ATOM, ATOM),
    st.builds("assert {} == {}".format, ATOM, ATOM),
    st.builds("{}".format, ATOM),
    st.sampled_from(
        [
            "import a.b, c as d",
            "from . import (\nx as y, # c\nz,\n)",
            "from ..p.q \\\n import r",
            "from s import *",
            "pass",
            "match = 1",
            "case = match[x]",
            "type = 3",
            "del x",
            "x = 1 + \\\n  2",
            "x = \\\n y = 3",
            "global z",
            "import e; f = 1",
        ]
    ),
)
HEADER = st.sampled_from(
    [
        "if x:",
        "for i, (j, k) in y:",
        "while f(\n1):",
        "with open(p) as fh, q as (r, s):",
        "def f(a, *b, c=1, **d) -> int:",
        "class C(B, metaclass=M):",
        "async def g():",
        "@deco\n# c\n\n@other(\n1)\ndef h():",
        "try:",
        "match x:",
        "match (\ny):",
    ]
)
GAP = st.sampled_from(["\n", "\n\n", "\n# comment ' ( \n", "\n   # indented\n", "\n\f\n", '  # trailing "\n', "\n\x0c"])


def indented(code: str) -> str:
    # A line of a string or bracket may start anywhere; the first line of a statement may not.
    return "\n".join("    " + part for part in code.split("\n"))


@st.composite
def statement(draw: st.DrawFn, depth: int = 2) -> str:
    if depth == 0 or draw(st.integers(0, 2)):
        return str(draw(SIMPLE))
    header = draw(HEADER)
    body = indented("\n".join(draw(st.lists(statement(depth - 1), min_size=1, max_size=3))))
    if header == "try:":
        return f"{header}\n{body}\nexcept E as e:\n{body}\nfinally: z = 1"
    if header.startswith("match"):
        return f"{header}\n    case [p, *rest] if p:\n{indented(body)}\n    case D(m=n) | {{'k': n}}:\n        pass"
    if header.startswith(("if", "for", "while")):
        return f"{header}\n{body}\nelse: v = 1; w = 2"
    return f"{header}\n{body}"


@settings(max_examples=250, deadline=None)
@given(st.lists(st.tuples(statement(), GAP), max_size=6), st.sampled_from(["\n", "\r\n", "\r"]))
def test_generated_programs_scan_as_they_parse(parts: list[tuple[str, str]], line_end: str) -> None:
    text = "".join(code + gap for code, gap in parts).replace("\n", line_end)
    try:
        parse(text)
    except (SyntaxError, ValueError):
        assume(False)
    check_against_parser(text)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ab=:;,.#'\"\\()[]{}f \t\n\r\x0c@é", max_size=60))
def test_any_text_scans_and_what_parses_is_covered(text: str) -> None:
    units = scan(text).units
    assert all(0 <= unit.start < unit.end <= len(text) or not text for unit in units)
    try:
        parse(text)
    except (SyntaxError, ValueError):
        return
    check_against_parser(text, certain=False)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the grammar of f-strings before Python 3.12")
@pytest.mark.parametrize("code", ['f"{x["a"]}"', 'f"{f"{f"{1}"}"}"', "f'{x\n}'", 'f"{"\\n".join(y)}"'])
def test_nested_quotes_scan_as_they_parse(code: str) -> None:
    check_against_parser(f"a = {code}\nb = 1\n")


@pytest.mark.parametrize(
    "code",
    ['f"{x["a"]}"', 'f"{f"{f"{1}"}"}"', 'f"{y["{"]}" + "}"', 'f"{"\\n".join(y)}"', 'f"{x!r:{"w"}}"', 't"{a["b"]}"'],
)
def test_nested_quotes_end_where_newer_pythons_end_them(code: str) -> None:
    units = scan(f"a = {code}\nb = 1\n").units
    assert [(unit.kind, unit.names) for unit in units] == [("assign", ("a",)), ("assign", ("b",))]


@pytest.mark.parametrize(
    "text",
    [
        "x = '",
        "x = (1\ny = 2\n",
        "x = 1)\ny = 2\n",
        "x = [1)\n",
        "if x: y\n\\\nelse: z\n",
        'x = """\ny = 2\n',
        "  x = 1\n",
        "else: x\n",
        "f'{x\n",
        ")\nx = 1\n",
        "a = f'{x:\n'\n",
        "'''\\'''",
        "x = '\\",
    ],
)
def test_uncertain_text_is_one_unit(text: str) -> None:
    (unit,) = scan(text).units
    assert (unit.kind, unit.names, unit.start, unit.end, unit.line) == ("file", (), 0, len(text), 1)
    assert not text.count("y") or "y" in unit.words


def words(code: str) -> frozenset[str]:
    (unit,) = scan(code).units
    return frozenset(unit.words) - {"x"}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x(a.b, c=1)  # d", {"a", "b", "c", "1"}),
        ("x('plain words')", set()),
        ("x('name', \"dotted.name\", '''triple''')", {"name", "dotted", "triple"}),
        ("x(f'{a} text {b.c:>{d}}')", {"f", "a", "b", "c", "d"}),
        ('x(f\'{a["k"]} text {y("b c"):{{}}} {{no}} {z}\')', {"f", "a", "k", "y", "b", "c", "z"}),
        (
            "x('cuda:0', \"gpu0 or so\", 'my_gpu', '''use\nnccl''')",
            {"cuda", "gpu0", "gpu", "my_gpu", "nccl"} - {"gpu0"},
        ),
        ("x(f'cuda:{rank}')", {"f", "cuda", "rank"}),
        ("x(cudart)  # cuda", {"cudart"}),
        ("ﬁt = x", {"fit"}),
    ],
)
def test_words(code: str, expected: set[str]) -> None:
    assert words(code) == expected


def test_comments_around_a_unit_are_not_its_text() -> None:
    text = "# before\nx = 1  # beside\n# after\n\ndef f():\n    pass\n    # last\n"
    assert [text[unit.start : unit.end] for unit in scan(text).units] == ["x = 1", "def f():\n    pass"]


def test_compound_names_leave_out_what_functions_keep() -> None:
    text = (
        "if a:\n    def f():\n        inner = 1\n        def g(): pass\n    outer = 2\n    h(key=3,\n      other=4)\n"
    )
    assert scan(text).units[0].names == ("f", "outer")


def test_star_import_and_semicolons() -> None:
    star, joined = scan("from m import *\nimport a; b = 1; from c import d\n").units
    assert (star.kind, star.names) == ("from", ("*",))
    assert (joined.kind, joined.names) == ("import", ("a", "b", "d"))

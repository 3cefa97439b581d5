"""Expressions put together at random, with odd gaps between their tokens."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from torchdet_lint import ir
from torchdet_lint.lowering import LoweringError, lower, unit
from torchdet_lint.lowering.literals import number, string
from torchdet_lint.lowering.positions import Spans, lower_by_positions
from torchdet_lint.lowering.registry import HANDLERS

GAPS = st.sampled_from(["", "", " ", "  ", "\t", "\n", " # (not, this\n ", "\\\n", "\f", "\r\n"])
SHAPES = (
    "($+$)", "($ - $)", "($**$)", "(not $)", "(-$)", "($ and $)", "($ or $)", "($ < $)", "($ not in $)", "($ if $ else $)",
    "$.a", "$.a.b", "$()", "$($)", "$($,b=$,*$,**$,)", "$[$]", "$[$:$]", "$[$,:$,::]", "[$,$,]", "($,)", "($,*$)", "{$}", "{*$}",
    "{}", "{$:$,**$}", "[$ for a in $ if $]", "{$ for a,b in $}", "{$:$ for a in $}", "($ for a in $ for b in $)",
    "(lambda a,*b:$)", "(lambda a=$,/,*,b=$:$)", "(a:=$)", "f'{$}'", "f'x{$!r:>{$}}{{'", "($)",
)  # fmt: skip
LEAVES = ("a", "bc", "é", "1", "0x1f", "1.5e-3j", "'s'", "b'\\n'", '"""t\n#"""', "None", "...", "'a' \"b\"")


def _fill(shape: str, parts: list[str], gaps: list[str]) -> str:
    """The shape with its places taken, and a gap behind each bracket, comma, dot and colon outside of f-strings."""
    in_string = shape.startswith("f'")
    out = []
    for char, following in zip(shape, f"{shape[1:]} ", strict=True):
        out.append(parts.pop() if char == "$" else char)
        if char in "([{,.:}])" and following != "=" and not in_string and gaps and shape[0] in "([{$":
            out.append(gaps.pop())
    text = "".join(out)
    return text.replace("not in", "not\tin")


@st.composite
def sources(draw: st.DrawFn, depth: int = 3) -> str:
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        return draw(st.sampled_from(LEAVES))
    shape = draw(st.sampled_from(SHAPES))
    inner = sources(depth - 1)
    parts = []
    for _ in range(shape.count("$")):
        part = draw(inner)
        if shape.startswith("f'"):  # Python before 3.12 allows little inside of an f-string, and libcst no less than it
            part = "a.b" if any(char in part for char in "'\"#\\\n\r") else f"({part})"
        elif part[0].isdigit() or "'" in part or '"' in part:
            part = f"({part})"
        parts.append(part)
    gaps = draw(st.lists(GAPS, max_size=8))
    return _fill(shape, parts, gaps)


@settings(max_examples=150, deadline=None)
@given(sources())
def test_spans_agree_with_the_metadata(source: str) -> None:
    text = f"x = (\n{source}\n) # end"
    try:
        tree = unit._parse(text)
    except LoweringError:
        return  # a combination that Python does not have
    before = unit.counts["fallbacks"]
    lowered = lower(text)
    assert unit.counts["fallbacks"] == before
    if tree.code == text:
        assert ir.encode(lowered) == ir.encode(lower_by_positions(tree, Spans(tree, text), HANDLERS))


@settings(max_examples=150, deadline=None)
@given(sources())
def test_names_and_constants_read_as_in_the_text(source: str) -> None:
    text = f"x = (\n{source}\n)"
    try:
        lowered = lower(text)
    except LoweringError:
        return
    for node in _nodes(lowered):
        if isinstance(node, ir.Name):
            assert text[slice(*node.span)] == node.id


def _nodes(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        yield value
        for part in value:
            yield from _nodes(part)


def _same(ours: Callable[[str], Any], token: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = ast.literal_eval(token)
        except (SyntaxError, ValueError):
            expected = token
    assert ours(token) == expected
    assert type(ours(token)) is type(expected)


BODIES = st.lists(
    st.sampled_from([*"ab0179 nrtxuUN{}", "\\", "\\\\", "\\n", "\\x4", "\\x41", "\\101", "\\8", "\\777", "\\u00e9", "\\U0001F600",
                     "\\U99999999", "\\N{DASH}", "\\N{EM DASH}", "\\\n", "é", "\\'", '\\"', "\r\n", "\\\r\n"]),
    max_size=8,
).map("".join)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(["", "r", "b", "Rb", "u", "bR"]), st.sampled_from(["'''", '"""']), BODIES)
def test_strings_have_the_value_that_python_gives_them(prefix: str, quotes: str, body: str) -> None:
    if (len(body) - len(body.rstrip("\\"))) % 2:
        body += " "
    assume(quotes[0] not in re.sub(r"(?s)\\.", "", body))  # that would be the end of the string
    _same(string, f"{prefix}{quotes}{body}{quotes}")


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(
        st.integers(0, 10**30).map(str),
        st.integers(0, 10**9).map(lambda n: f"{n:_}"),
        st.integers(0, 2**70).flatmap(
            lambda n: st.sampled_from([hex(n), oct(n), bin(n), hex(n).upper().replace("X", "x")])
        ),
        st.floats(min_value=0, allow_nan=False, allow_infinity=False).map(repr),
        st.floats(min_value=0, allow_nan=False, allow_infinity=False).map(lambda x: f"{x!r}j"),
    )
)
def test_numbers_have_the_value_that_python_gives_them(token: str) -> None:
    _same(number, token)

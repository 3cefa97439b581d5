"""Expressions and statements of the intermediate representation as text again, as far as a probe may hold them.

A probe runs nothing of the user's. What it takes over from a finding's place is built here from constants, operators, and calls
of things that `Grammar.callee` admits; anything else is refused with the reason.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

from torchdet_lint import ir
from torchdet_lint.verify.probe.evidence import Unprobed

_PLAIN = (str, bytes, int, float, complex, bool, type(None), type(...))


class Grammar(NamedTuple):
    """`name(expr)` gives the text for a name or an attribute, `callee(call)` that for what is called; both raise Unprobed.
    `bind(target)` gives the text for what a comprehension binds; without it there are none.
    """

    name: Callable[[ir.Name | ir.Attr], str]
    callee: Callable[[ir.Call], str]
    bind: Callable[[ir.Expr], str] | None = None


def render(expr: ir.Expr, grammar: Grammar) -> str:
    """An expression as text; every part of it in parentheses where that could matter. Raises Unprobed."""
    if isinstance(expr, ir.Const):
        return _constant(expr.value)
    if isinstance(expr, ir.Name | ir.Attr):
        return grammar.name(expr)
    if isinstance(expr, ir.Call):
        return f"{grammar.callee(expr)}({', '.join(_arguments(expr.args, grammar))})"
    if isinstance(expr, ir.Binary):
        return f"({render(expr.left, grammar)} {expr.op} {render(expr.right, grammar)})"
    if isinstance(expr, ir.Unary):
        return f"({expr.op} {render(expr.value, grammar)})"
    if isinstance(expr, ir.Logic):
        return "(" + f" {expr.op} ".join(render(value, grammar) for value in expr.values) + ")"
    if isinstance(expr, ir.Compare):
        pairs = zip(expr.ops, expr.values, strict=True)
        return (
            f"({render(expr.left, grammar)}" + "".join(f" {op} {render(value, grammar)}" for op, value in pairs) + ")"
        )
    if isinstance(expr, ir.Choice):
        return f"({render(expr.then, grammar)} if {render(expr.test, grammar)} else {render(expr.other, grammar)})"
    if isinstance(expr, ir.Item):
        return f"{render(expr.value, grammar)}[{_key(expr.key, grammar)}]"
    if isinstance(expr, ir.Sequence):
        return _display(expr, grammar)
    if isinstance(expr, ir.Comprehension) and grammar.bind is not None:
        return _comprehension(expr, grammar, grammar.bind)
    raise Unprobed(f"it holds {_kind(expr)}, which a probe does not take over")


def _constant(value: object) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, _PLAIN):
        return repr(value)
    raise Unprobed("it holds a constant of an unknown kind")


def _arguments(args: tuple[ir.Arg, ...], grammar: Grammar) -> Iterator[str]:
    for arg in args:
        if arg.star in ("*", "**"):
            raise Unprobed(f"some of its arguments come from `{arg.star}`, and are not in sight")
        value = render(arg.value, grammar)
        yield f"{arg.name}={value}" if arg.star else value


def _key(key: ir.Expr, grammar: Grammar) -> str:
    if isinstance(key, ir.Slice):
        parts = [render(part, grammar) if part is not None else "" for part in (key.lower, key.upper, key.step)]
        return ":".join(parts)
    if isinstance(key, ir.Sequence) and key.kind == "tuple":
        return "".join(f"{_key(item, grammar)}, " for item in key.items)
    return render(key, grammar)


def _display(expr: ir.Sequence, grammar: Grammar) -> str:
    items = [render(item, grammar) for item in expr.items]
    if expr.kind == "tuple":
        return "(" + "".join(f"{item}, " for item in items) + ")"
    if expr.kind == "set":
        return "{" + ", ".join(items) + "}" if items else "set()"
    return "[" + ", ".join(items) + "]"


def _comprehension(expr: ir.Comprehension, grammar: Grammar, bind: Callable[[ir.Expr], str]) -> str:
    loops = []
    for loop in expr.loops:
        iterated = render(loop.iter, grammar)
        head = f" for {bind(loop.target)} in {iterated}"
        loops.append(head + "".join(f" if {render(test, grammar)}" for test in loop.tests))
    element = render(expr.element, grammar)
    inside = (f"{render(expr.key, grammar)}: {element}" if expr.key is not None else element) + "".join(loops)
    return f"[{inside}]" if expr.kind == "list" else f"({inside})" if expr.kind == "generator" else f"{{{inside}}}"


def _kind(expr: ir.Expr) -> str:
    names = {ir.Lambda: "a lambda", ir.Comprehension: "a comprehension", ir.Await: "an await", ir.Yield: "a yield"}
    return names.get(type(expr), "an expression")

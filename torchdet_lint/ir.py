"""The intermediate representation: what is left of a top-level statement after lowering.

Every node is an immutable named tuple of strings, numbers, other nodes and tuples of nodes, so a unit's IR can be
written with `marshal` (see `encode`) and sent to another process. Lowering is purely syntactic and needs nothing but the
unit's own text: names stay names; what they mean is settled by `torchdet_lint.project`.

Spans are pairs of code point offsets relative to the start of the unit, end exclusive; `torchdet_lint.source` turns them
into lines and columns. The span of a statement with a body covers its header only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol, TypeAlias

Span: TypeAlias = tuple[int, int]


class Expr(Protocol):
    """Any expression node. A protocol, for a union of named tuples that hold each other takes type checkers minutes."""

    @property
    def span(self) -> Span: ...


class Stmt(Protocol):
    """Any statement node."""

    @property
    def span(self) -> Span: ...


# Expressions


class Const(NamedTuple):
    """A literal: str, bytes, int, float, complex, bool, None or Ellipsis (implicitly joined strings are one)."""

    value: Any
    span: Span


class Name(NamedTuple):
    id: str
    span: Span


class Attr(NamedTuple):
    """`value.name`"""

    value: Expr
    name: str
    span: Span


class Item(NamedTuple):
    """`value[key]`; several indices are a `Sequence` of kind tuple."""

    value: Expr
    key: Expr
    span: Span


class Slice(NamedTuple):
    """`lower:upper:step` inside brackets; missing parts are None."""

    lower: Expr | None
    upper: Expr | None
    step: Expr | None
    span: Span


class Arg(NamedTuple):
    """One argument: `star` is "" (positional), "=" (keyword `name`), "*" or "**"."""

    star: str
    name: str
    value: Expr


class Call(NamedTuple):
    func: Expr
    args: tuple[Arg, ...]
    span: Span


class Binary(NamedTuple):
    """`left op right`, op as written: + - * / // % ** @ & | ^ << >>"""

    op: str
    left: Expr
    right: Expr
    span: Span


class Unary(NamedTuple):
    """op: not - + ~"""

    op: str
    value: Expr
    span: Span


class Logic(NamedTuple):
    """`a and b and c` or `a or b`; chains of one operator are flat."""

    op: str
    values: tuple[Expr, ...]
    span: Span


class Compare(NamedTuple):
    """`left op1 x op2 y`; ops as written, "not in" and "is not" with one space."""

    left: Expr
    ops: tuple[str, ...]
    values: tuple[Expr, ...]
    span: Span


class Choice(NamedTuple):
    """`then if test else other`"""

    test: Expr
    then: Expr
    other: Expr
    span: Span


class Sequence(NamedTuple):
    """A list, tuple or set display; kind: "list", "tuple", "set"."""

    kind: str
    items: tuple[Expr, ...]
    span: Span


class Mapping(NamedTuple):
    """A dict display; an item `**value` has key None."""

    items: tuple[tuple[Expr | None, Expr], ...]
    span: Span


class Starred(NamedTuple):
    """`*value` inside a display or an assignment target."""

    value: Expr
    span: Span


class Format(NamedTuple):
    """An f-string (or t-string): its parts in order, text as `Const`; format specifications are left out."""

    parts: tuple[Expr, ...]
    span: Span


class Loop(NamedTuple):
    """One `for target in iter if tests…` of a comprehension."""

    target: Expr
    iter: Expr
    tests: tuple[Expr, ...]


class Comprehension(NamedTuple):
    """kind: "list", "set", "dict", "generator"; for a dict `element` is the value and `key` the key."""

    kind: str
    element: Expr
    key: Expr | None
    loops: tuple[Loop, ...]
    span: Span


class Lambda(NamedTuple):
    params: tuple[Param, ...]
    body: Expr
    span: Span


class Walrus(NamedTuple):
    """`target := value`"""

    target: Name
    value: Expr
    span: Span


class Await(NamedTuple):
    value: Expr
    span: Span


class Yield(NamedTuple):
    """`yield value` (value None when bare), or `yield from value` with `delegate` true."""

    value: Expr | None
    delegate: bool
    span: Span


# Statements


class Param(NamedTuple):
    """A parameter; kind: "positional" (before /), "normal", "*", "keyword", "**". `span` is that of the name."""

    name: str
    kind: str
    default: Expr | None
    annotation: Expr | None
    span: Span


class Do(NamedTuple):
    """An expression statement that is not a docstring or a bare constant."""

    value: Expr
    span: Span


class Assign(NamedTuple):
    """`t1 = t2 = value`, or `target: annotation = value`; value is None for a bare annotation."""

    targets: tuple[Expr, ...]
    value: Expr | None
    annotation: Expr | None
    span: Span


class Augment(NamedTuple):
    """`target op= value`; op without the equals sign."""

    target: Expr
    op: str
    value: Expr
    span: Span


class Return(NamedTuple):
    value: Expr | None
    span: Span


class Raise(NamedTuple):
    value: Expr | None
    span: Span


class Jump(NamedTuple):
    """kind: "break" or "continue"."""

    kind: str
    span: Span


class Delete(NamedTuple):
    targets: tuple[Expr, ...]
    span: Span


class Assert(NamedTuple):
    test: Expr
    message: Expr | None
    span: Span


class Scope(NamedTuple):
    """`global` or `nonlocal` names."""

    kind: str
    names: tuple[str, ...]
    span: Span


class If(NamedTuple):
    """`elif` is an If inside `orelse`."""

    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    span: Span


class For(NamedTuple):
    """Also `async for`."""

    target: Expr
    iter: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    span: Span


class While(NamedTuple):
    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    span: Span


class With(NamedTuple):
    """Also `async with`; items are (context, target or None)."""

    items: tuple[tuple[Expr, Expr | None], ...]
    body: tuple[Stmt, ...]
    span: Span


class Handler(NamedTuple):
    type: Expr | None
    name: str
    body: tuple[Stmt, ...]


class Try(NamedTuple):
    body: tuple[Stmt, ...]
    handlers: tuple[Handler, ...]
    orelse: tuple[Stmt, ...]
    final: tuple[Stmt, ...]
    span: Span


class Case(NamedTuple):
    """A match case: the value patterns that it names (constants, dotted names; empty when the pattern is not a plain value
    or a union of them, and `irrefutable` says whether it matches all), the names it binds, its guard and body.
    """

    values: tuple[Expr, ...]
    irrefutable: bool
    names: tuple[str, ...]
    guard: Expr | None
    body: tuple[Stmt, ...]


class Match(NamedTuple):
    subject: Expr
    cases: tuple[Case, ...]
    span: Span


class Function(NamedTuple):
    """`def`; `span` is that of the header, `name_span` that of the name."""

    name: str
    params: tuple[Param, ...]
    body: tuple[Stmt, ...]
    decorators: tuple[Expr, ...]
    is_async: bool
    is_generator: bool
    returns: Expr | None
    span: Span
    name_span: Span


class Class(NamedTuple):
    name: str
    bases: tuple[Arg, ...]
    body: tuple[Stmt, ...]
    decorators: tuple[Expr, ...]
    span: Span
    name_span: Span


class Import(NamedTuple):
    """`import a.b as c`: names are (dotted module, bound name or "")."""

    names: tuple[tuple[str, str], ...]
    span: Span


class ImportFrom(NamedTuple):
    """`from ..module import name as bound`: `level` counts the dots; a star import is (("*", "*"),)."""

    module: str
    level: int
    names: tuple[tuple[str, str], ...]
    span: Span


Body: TypeAlias = tuple[Stmt, ...]

NODES: tuple[type, ...] = (
    Const, Name, Attr, Item, Slice, Arg, Call, Binary, Unary, Logic, Compare, Choice, Sequence, Mapping, Starred, Format,
    Loop, Comprehension, Lambda, Walrus, Await, Yield, Param, Do, Assign, Augment, Return, Raise, Jump, Delete, Assert,
    Scope, If, For, While, With, Handler, Try, Case, Match, Function, Class, Import, ImportFrom,
)  # fmt: skip
"""Every node type; the place in this tuple is the tag of the encoded form, so order is part of the cache version."""

_TAGS = {node: tag for tag, node in enumerate(NODES)}


def last_name(expr: object) -> str:
    """The last part of a dotted name, `c` of `a.b.c`; "" of anything else."""
    return expr.id if isinstance(expr, Name) else expr.name if isinstance(expr, Attr) else ""


_LEAVES = frozenset(("Any", "Span", "str", "bool", "int", "tuple[str, ...]", "tuple[tuple[str, str], ...]"))
"""Annotations of fields in which no node stands."""


def _holders(node: type) -> tuple[int, ...]:
    """The places of the fields of a node type that hold nodes, the last first."""
    fields = [getattr(each, "__forward_arg__", each) for each in node.__annotations__.values()]
    return tuple(place for place in reversed(range(len(fields))) if fields[place] not in _LEAVES)


_HOLDERS = {node: _holders(node) for node in NODES}


def nested(node: object) -> Iterator[object]:
    """Every node inside of a node or a tuple of nodes, itself included, in order."""
    todo: list[Any] = [node]
    holders_of = _HOLDERS.get
    while todo:
        found = todo.pop()
        if type(found) is tuple:
            todo.extend(found[::-1])
            continue
        holders = holders_of(type(found))
        if holders is not None:
            yield found
            for place in holders:
                todo.append(found[place])  # noqa: PERF401 (most hold one or two: a list of them costs more)


def encode(value: Any) -> Any:
    """The node (or tuple of nodes) as plain tuples that `marshal` can write; a node starts with its integer tag.

    Plain tuples are told from nodes by the tag -1, spans by the tag -2.
    """
    if isinstance(value, tuple):
        tag = _TAGS.get(type(value), -1)
        if tag < 0 and len(value) == 2 and type(value[0]) is type(value[1]) is int:
            return (-2, *value)
        return (tag, *[encode(part) if isinstance(part, tuple) else part for part in value])
    return value


def decode(value: Any) -> Any:
    """The inverse of `encode`."""
    if isinstance(value, tuple):
        tag = value[0]
        if tag == -2:  # of the numbers in the IR, nine in ten stand in it already
            return (_SAME(value[1], value[1]), _SAME(value[2], value[2]))
        parts = [decode(part) if isinstance(part, tuple) else part for part in value[1:]]
        return tuple(parts) if tag < 0 else NODES[tag](*parts)
    return value


_SAME = {number: number for number in range(257)}.setdefault

"""Tests: what comparing abstract values gives, and what a test that holds says about the names in it."""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.triggers import SEED_WORD
from torchdet_lint.analysis.values import (
    NONE,
    UNKNOWN,
    Known,
    Option,
    Truth,
    Value,
    alternatives,
    is_none,
    join,
    marks,
    truth,
)


def compare(m: Machine, op: str, left: Value, right: Value) -> Truth:
    """Whether `left op right` holds."""
    if any(mark.kind == "version" for mark in marks((left, right))):
        return Truth.LIKELY
    if op in ("is", "is not", "==", "!="):
        found = _same(left, right, identity=op.startswith("is"))
        return found.negated() if op in ("is not", "!=") else found
    if op in ("in", "not in"):
        found = _member(m, left, right)
        return found.negated() if op == "not in" else found
    if isinstance(left, Known) and isinstance(right, Known):
        return _ordered(op, left, right)
    if isinstance(left, Option) and isinstance(right, Known) and isinstance(left.default, Known):
        found = _ordered(op, left.default, right)
        return {Truth.YES: Truth.LIKELY, Truth.NO: Truth.UNLIKELY}.get(found, found)
    return Truth.OPEN


def _same(left: Value, right: Value, *, identity: bool) -> Truth:
    if right == NONE:
        return is_none(left)
    if left == NONE:
        return is_none(right)
    if isinstance(left, Known) and isinstance(right, Known):
        return Truth.YES if left.value == right.value else Truth.NO
    if isinstance(left, Option) and isinstance(right, Known) and isinstance(left.default, Known):
        return Truth.LIKELY if left.default.value == right.value else Truth.UNLIKELY
    if isinstance(right, Known):
        options = alternatives(left)
        if options and all(isinstance(option, Known) for option in options):
            found = {option.value == right.value for option in options if isinstance(option, Known)}
            if len(found) == 1:
                return Truth.YES if found.pop() else Truth.NO
    return Truth.OPEN


def _member(m: Machine, left: Value, right: Value) -> Truth:
    from torchdet_lint.analysis.iteration import known_items

    inside = _inside(left, right)
    if inside is not Truth.OPEN:
        return inside
    items = known_items(m, right)
    if items is None or not all(isinstance(item, Known) for item in items):
        return Truth.OPEN
    held = {(item.value, item.kind) for item in items if isinstance(item, Known)}
    if isinstance(left, Known):
        return Truth.YES if (left.value, left.kind) in held else Truth.NO
    if isinstance(left, Option) and isinstance(left.default, Known):
        return Truth.LIKELY if (left.default.value, left.default.kind) in held else Truth.UNLIKELY
    return Truth.OPEN


def _inside(left: Value, right: Value) -> Truth:
    """`"zoom" in text` for a known text, or one that an option holds by default."""
    text = right.default if isinstance(right, Option) else right
    if not (isinstance(left, Known) and isinstance(text, Known) and left.kind == text.kind == "str"):
        return Truth.OPEN
    found = left.value in text.value
    if isinstance(right, Option):
        return Truth.LIKELY if found else Truth.UNLIKELY
    return Truth.YES if found else Truth.NO


def _ordered(op: str, left: Known, right: Known) -> Truth:
    try:
        found = {
            "<": lambda: left.value < right.value,
            "<=": lambda: left.value <= right.value,
            ">": lambda: left.value > right.value,
            ">=": lambda: left.value >= right.value,
        }[op]()
    except (KeyError, TypeError):
        return Truth.OPEN
    return Truth.YES if found else Truth.NO


def path_text(expr: ir.Expr) -> str:
    """`a.b.c` for a chain of attributes on a name, "" for anything else."""
    names: list[str] = []
    while isinstance(expr, ir.Attr):
        names.append(expr.name)
        expr = expr.value
    return ".".join([expr.id, *reversed(names)]) if isinstance(expr, ir.Name) else ""


def names_seed(expr: ir.Expr) -> bool:
    """Whether the expression is a name or attribute called like a seed."""
    return SEED_WORD.search(path_text(expr)) is not None


def narrowing(m: Machine, f: Frame, test: ir.Expr, *, holds: bool) -> dict[str, Value]:
    """What names and attributes are known to be where the test holds (or does not)."""
    if isinstance(test, ir.Unary) and test.op == "not":
        return narrowing(m, f, test.value, holds=not holds)
    if isinstance(test, ir.Logic):
        if (test.op == "and") == holds:
            found: dict[str, Value] = {}
            for part in test.values:
                found.update(narrowing(m, f, part, holds=holds))
            return found
        return {}
    if isinstance(test, ir.Walrus):
        return narrowing(m, f, test.target, holds=holds)
    if isinstance(test, ir.Compare) and len(test.ops) == 1:
        text = path_text(test.left)
        right = test.values[0]
        if text and isinstance(right, ir.Const) and right.value is None and test.ops[0] in ("is", "is not", "==", "!="):
            none = (test.ops[0] in ("is", "==")) == holds
            return {text: NONE if none else without(_value(m, f, test.left), none=True)}
        return {}
    text = path_text(test)
    if text:
        value = _value(m, f, test)
        return {text: without(value, none=True, false=True)} if holds else {}
    return {}


def _value(m: Machine, f: Frame, expr: ir.Expr) -> Value:
    from torchdet_lint.analysis.expressions import evaluate

    kept, f.trace = f.trace, []
    value = evaluate(m, f, expr)
    f.trace = kept
    return value


def without(value: Value, *, none: bool = False, false: bool = False) -> Value:
    """The value where it is known not to be None (or not to be false)."""
    kept: list[Value] = []
    for option in alternatives(value):
        if isinstance(option, Option):
            gone = (none and is_none(option.default) is Truth.YES) or (false and truth(option.default) is Truth.NO)
            kept.append(UNKNOWN if gone else option)
        elif not ((none and is_none(option) is Truth.YES) or (false and truth(option) is Truth.NO)):
            kept.append(option)
    return join(*kept) if kept else UNKNOWN

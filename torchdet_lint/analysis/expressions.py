"""Evaluating expressions: one small function a node type, in a table."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from torchdet_lint import ir
from torchdet_lint.analysis import attributes, calls, classes, effects, iteration, lengths, tests
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.trace import Branch, Event, Repeat
from torchdet_lint.analysis.values import (
    UNKNOWN,
    Box,
    Either,
    Flow,
    FunctionValue,
    Instance,
    Items,
    Known,
    Made,
    Option,
    Tainted,
    Truth,
    Value,
    bounded,
    computed,
    join,
    known,
    truth,
)
from torchdet_lint.project.modules import External
from torchdet_lint.project.names import BUILTINS

ACCELERATOR = re.compile(r"cuda(:\d*)?|nccl|(cuda:)?.*\bcuda:\d*|cpu:gloo,cuda:nccl")
"""String constants that name an accelerator."""


def evaluate(m: Machine, f: Frame, expr: ir.Expr | None) -> Value:
    """The value of an expression; what it does on the way goes into the frame's trace."""
    if expr is None:
        return UNKNOWN
    m.steps += 1
    return _TABLE[type(expr)](m, f, expr)


def _const(m: Machine, f: Frame, expr: ir.Const) -> Value:
    if isinstance(expr.value, str) and ACCELERATOR.fullmatch(expr.value):
        f.trace.append(Event("cuda", f.site(expr.span), repr(expr.value)))
    return known(expr.value)


def _name(m: Machine, f: Frame, expr: ir.Name) -> Value:
    if expr.id in f.narrowed:
        return f.narrowed[expr.id]
    return lookup(m, f, expr.id)


def lookup(m: Machine, f: Frame, name: str) -> Value:
    """The value of a name: locals, enclosing functions, the module, builtins."""
    frame: Frame | None = f
    while frame is not None and frame.outer is not None:
        if name in frame.env:
            return frame.env[name]
        frame = frame.outer
    found = m.global_value(f.path, name)
    if found is not None:
        return found
    if name in BUILTINS:
        return External(f"builtins.{name}")
    return UNKNOWN


def _attr(m: Machine, f: Frame, expr: ir.Attr) -> Value:
    if f.narrowed:
        text = tests.path_text(expr)
        if text in f.narrowed:
            evaluate(m, f, expr.value)
            return f.narrowed[text]
    return attributes.get(m, f, evaluate(m, f, expr.value), expr.name, expr.span)


def _item(m: Machine, f: Frame, expr: ir.Item) -> Value:
    value = evaluate(m, f, expr.value)
    if isinstance(expr.key, ir.Slice):
        for part in (expr.key.lower, expr.key.upper, expr.key.step):
            if part is not None:
                evaluate(m, f, part)
        return attributes.get_slice(m, value)
    key = evaluate(m, f, expr.key)
    if isinstance(key, Tainted):
        effects.unrepeatable_index(f, key)
    return attributes.get_item(m, f, value, key, expr.span)


def _slice(m: Machine, f: Frame, expr: ir.Slice) -> Value:
    return UNKNOWN


def _call(m: Machine, f: Frame, expr: ir.Call) -> Value:
    return calls.evaluate_call(m, f, expr)


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
    "/": lambda a, b: a / b,
    "%": lambda a, b: a % b,
}


def _binary(m: Machine, f: Frame, expr: ir.Binary) -> Value:
    # Long chains lean to the left; the loop keeps Python's own stack shallow.
    chain: list[ir.Binary] = []
    left: ir.Expr = expr
    while isinstance(left, ir.Binary):
        chain.append(left)
        left = left.left
    value = evaluate(m, f, left)
    for node in reversed(chain):
        value = _combine(m, f, node, value, evaluate(m, f, node.right))
    return value


def _combine(m: Machine, f: Frame, expr: ir.Binary, left: Value, right: Value) -> Value:
    if expr.op == "@":
        f.trace.append(Event("matmul", f.site(expr.span), "@"))
        return UNKNOWN
    if isinstance(left, Known) and isinstance(right, Known) and expr.op in _ARITHMETIC:
        if not all(isinstance(v.value, int | float | str) and len(str(v.value)) < 200 for v in (left, right)):
            return UNKNOWN
        if expr.op in "*%" and (isinstance(left.value, str) or isinstance(right.value, str)):
            return UNKNOWN  # a short text may make a very long one
        try:
            return known(_ARITHMETIC[expr.op](left.value, right.value))
        except (ArithmeticError, TypeError, ValueError):
            return UNKNOWN
    if expr.op == "+" and (text := _text((left, right))) is not None:
        return text
    if expr.op == "+" and isinstance(left, Known) and left.kind == "str" and isinstance(right, Either):
        return join(*(_combine(m, f, expr, left, option) for option in right.options))
    if expr.op == "+" and isinstance(left, Items) and isinstance(right, Items):
        return bounded(Items(left.items + right.items))
    if expr.op == "+" and isinstance(left, Box) and isinstance(right, Box) and left.kind == right.kind == "list":
        return new_list(m, f, expr.span, [*m.heap.elements(left.identity), *m.heap.elements(right.identity)])
    if expr.op == "*" and isinstance(left, Box) and left.kind == "list":
        return _repeated(m, f, left, right, expr.span)
    if expr.op == "|" and isinstance(left, Box) and isinstance(right, Box) and left.kind == right.kind == "dict":
        return merge_dicts(m, f, expr.span, [left, right])
    if expr.op == "/" and _is_path(left):
        return left
    if isinstance(left, Instance) or isinstance(right, Instance):
        return _operator(m, f, expr, left, right)
    return computed(left, right)


MOST_REPEATED = 16
"""So long a list that is written as a multiple of a short one is spelt out."""


def _repeated(m: Machine, f: Frame, items: Box, times: Value, span: ir.Span) -> Value:
    """`[blur] * count`"""
    found = list(m.heap.elements(items.identity))
    count = times.value if isinstance(times, Known) and type(times.value) is int else -1
    if m.heap.cell(items.identity).element is None and count >= 0 and len(found) * count <= MOST_REPEATED:
        return new_list(m, f, span, found * count)
    box = Box("list", f.identity(span))
    cell = m.heap.cell(box.identity)
    cell.items, cell.depth = None, m.heap.depth
    m.heap.append(box.identity, join(*found) if found else UNKNOWN)
    return box


def _text(parts: tuple[Value, ...]) -> Value | None:
    """The text that known parts and options make, where nobody chooses other ones: `"models." + args.model`."""
    labels = [part.label for part in parts if isinstance(part, Option)]
    words = [part.default if isinstance(part, Option) else part for part in parts]
    if not labels or not all(
        isinstance(word, Known) and word.kind == "str" and len(word.value) < 200 for word in words
    ):
        return None
    return Option(known("".join(word.value for word in words if isinstance(word, Known))), labels[0])


OPERATORS = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "|": "or", "&": "and", "%": "mod", ">>": "rshift"}


def _operator(m: Machine, f: Frame, expr: ir.Binary, left: Value, right: Value) -> Value:
    """An operator that a project class defines; data sets without one are chained by torch's `Dataset.__add__`."""
    name = OPERATORS.get(expr.op, "")
    for receiver, other, method in ((left, right, f"__{name}__"), (right, left, f"__r{name}__")):
        if isinstance(receiver, Instance):
            found = classes.find_member(m, receiver.cls, method)
            if found is not None and isinstance(found[0], FunctionValue):
                return calls.enter(m, f, found[0], (receiver, other), (), expr.span)
    if expr.op == "+":
        return Made("torch.utils.data.ConcatDataset", (Items((left, right)),), (), f.identity(expr.span))
    return UNKNOWN


def _is_path(value: Value) -> bool:
    return getattr(value, "cls", None) == "pathlib.Path"


def _unary(m: Machine, f: Frame, expr: ir.Unary) -> Value:
    value = evaluate(m, f, expr.value)
    if expr.op == "not":
        return of_truth(truth(value).negated())
    if expr.op == "-" and isinstance(value, Known) and isinstance(value.value, int | float):
        return known(-value.value)
    return computed(value)


def of_truth(found: Truth) -> Value:
    """A value that is as true as this."""
    if found in (Truth.YES, Truth.NO):
        return known(found is Truth.YES)
    if found in (Truth.LIKELY, Truth.UNLIKELY):
        return Option(known(found is Truth.LIKELY), "")
    return UNKNOWN


def _logic(m: Machine, f: Frame, expr: ir.Logic) -> Value:
    values = []
    for index, part in enumerate(expr.values):
        value = evaluate(m, f, part)
        values.append(value)
        found = truth(value)
        decided = Truth.NO if expr.op == "and" else Truth.YES
        if found is decided:
            break
        if found is decided.negated() and index + 1 < len(expr.values):
            values.pop()
    return join_logic(expr.op, values)


def join_logic(op: str, values: list[Value]) -> Value:
    """`a and b` or `a or b` of values of which no one is left that cannot be the result."""
    if len(values) == 1:
        return values[0]
    found = [truth(value) for value in values]
    if (Truth.NO if op == "and" else Truth.YES) in found:
        return known(op == "or")  # not the value itself, but as true as it
    if op == "or":
        options = [v for v in values[:-1] if truth(v) is not Truth.NO] + values[-1:]
        if any(isinstance(v, Option) and truth(v) is Truth.UNLIKELY for v in values):
            labels = [v.label for v in values if isinstance(v, Option) and v.label]
            return Option(values[-1], labels[0] if labels else "") if len(values) == 2 else join(*options)
        return join(*options)
    if Truth.UNLIKELY in found and found.count(Truth.OPEN) != len(found):
        weakest = values[found.index(Truth.UNLIKELY)]
        return weakest if isinstance(weakest, Option) else of_truth(Truth.UNLIKELY)
    return join(*values)


def _compare(m: Machine, f: Frame, expr: ir.Compare) -> Value:
    left = evaluate(m, f, expr.left)
    rights = [evaluate(m, f, value) for value in expr.values]
    if len(rights) != 1:
        return computed(left, *rights)
    found = tests.compare(m, expr.ops[0], left, rights[0])
    value = of_truth(found)
    if isinstance(value, Option):
        label = next((v.label for v in (left, rights[0]) if isinstance(v, Option)), "")
        return Option(value.default, label)
    return computed(left, rights[0]) if found is Truth.OPEN else value


def _choice(m: Machine, f: Frame, expr: ir.Choice) -> Value:
    test = evaluate(m, f, expr.test)
    found = truth(test)
    if found is Truth.YES:
        return evaluate(m, f, expr.then)
    if found is Truth.NO:
        return evaluate(m, f, expr.other)
    then, yes = scratch(m, f, expr.then, tests.narrowing(m, f, expr.test, holds=True))
    other, no = scratch(m, f, expr.other, tests.narrowing(m, f, expr.test, holds=False))
    if yes or no:
        label = test.label if isinstance(test, Option) else ""
        f.trace.append(Branch(f.site(expr.span), found, label, tuple(yes), tuple(no)))
    if isinstance(test, Option) and found in (Truth.LIKELY, Truth.UNLIKELY) and test.label:
        likely, unlikely = (then, other) if found is Truth.LIKELY else (other, then)
        return likely if likely == unlikely else join(Option(likely, test.label), unlikely)
    return join(then, other)


def scratch(m: Machine, f: Frame, expr: ir.Expr, narrowed: dict[str, Value]) -> tuple[Value, list[Any]]:
    """Evaluates an expression that runs on some paths only; gives its value and its part of the trace."""
    kept, f.trace = f.trace, []
    names, f.narrowed = f.narrowed, {**f.narrowed, **narrowed}
    m.heap.depth += 1
    value = evaluate(m, f, expr)
    m.heap.depth -= 1
    trace, f.trace = f.trace, kept
    f.narrowed = names
    return value, trace


def _sequence(m: Machine, f: Frame, expr: ir.Sequence) -> Value:
    values: list[Value] = []
    for item in expr.items:
        if isinstance(item, ir.Starred):
            inner = evaluate(m, f, item.value)
            values += list(iteration.known_items(m, inner) or [iteration.iterate(m, f, inner, item.span)])
        else:
            values.append(evaluate(m, f, item))
    if expr.kind == "tuple":
        return bounded(Items(tuple(values)))
    return new_list(m, f, expr.span, values, expr.kind)


def new_list(m: Machine, f: Frame, span: ir.Span, values: list[Value], kind: str = "list") -> Value:
    """A fresh list or set that holds these values."""
    box = Box(kind, f.identity(span))
    cell = m.heap.cell(box.identity)
    fresh = values[:64]
    if cell.items != fresh:
        cell.items = fresh
        cell.version += 1
    cell.depth = m.heap.depth
    return box


def _mapping(m: Machine, f: Frame, expr: ir.Mapping) -> Value:
    box = Box("dict", f.identity(expr.span))
    cell = m.heap.cell(box.identity)
    cell.depth = m.heap.depth
    for key, value in expr.items:
        if key is None:
            attributes.update_dict(m, box, evaluate(m, f, value))
            continue
        name = evaluate(m, f, key)
        attributes.set_key(m, box, name, evaluate(m, f, value))
    return box


def merge_dicts(m: Machine, f: Frame, span: ir.Span, parts: list[Value]) -> Value:
    """A fresh dict updated with each of these in turn."""
    box = Box("dict", f.identity(span))
    m.heap.cell(box.identity).depth = m.heap.depth
    for part in parts:
        attributes.update_dict(m, box, part)
    return box


def _starred(m: Machine, f: Frame, expr: ir.Starred) -> Value:
    return evaluate(m, f, expr.value)


def _format(m: Machine, f: Frame, expr: ir.Format) -> Value:
    naming, f.naming = f.naming, f.naming or f.logging
    parts = [evaluate(m, f, part) for part in expr.parts]
    f.naming = naming
    if all(isinstance(part, Known) for part in parts):
        return known("".join(str(part.value) for part in parts if isinstance(part, Known)))
    if (text := _text(tuple(parts))) is not None:
        return text
    first = expr.parts[0] if expr.parts else None
    if isinstance(first, ir.Const) and isinstance(first.value, str) and first.value.startswith("cuda:"):
        f.trace.append(Event("cuda", f.site(expr.span), f"f'{first.value}…'"))
    return computed(*parts)


def _comprehension(m: Machine, f: Frame, expr: ir.Comprehension) -> Value:
    kept = dict(f.env)
    count = lengths.mapped(m, f, expr)
    names = f.narrowed
    f.narrowed = dict(names)
    outer, f.trace = f.trace, []
    first = iteration.iterate(m, f, evaluate(m, f, expr.loops[0].iter), expr.span)
    head, f.trace = f.trace, []
    m.heap.depth += 1
    element = _comprehension_body(m, f, expr, first)
    m.heap.depth -= 1
    body, f.trace = f.trace, outer
    f.trace += head
    if body:
        f.trace.append(Repeat(f.site(expr.span), "comprehension", tuple(body)))
    f.env, f.narrowed = kept, names
    if expr.kind == "generator":
        return bounded(Flow(element))
    if expr.kind == "dict":
        box = Box("dict", f.identity(expr.span))
        cell = m.heap.cell(box.identity)
        cell.element, cell.open = element, True
        return box
    box = Box(expr.kind, f.identity(expr.span))
    cell = m.heap.cell(box.identity)
    if cell.items is not None or cell.element != element:
        cell.items, cell.element = None, element
        cell.version += 1
    cell.length = count
    return box


def _comprehension_body(m: Machine, f: Frame, expr: ir.Comprehension, first: Value) -> Value:
    for index, loop in enumerate(expr.loops):
        item = first if index == 0 else iteration.iterate(m, f, evaluate(m, f, loop.iter), expr.span)
        attributes.assign(m, f, loop.target, item)
        for test in loop.tests:
            evaluate(m, f, test)
            f.narrowed.update(tests.narrowing(m, f, test, holds=True))
    if expr.key is not None:
        evaluate(m, f, expr.key)
    return evaluate(m, f, expr.element)


def _lambda(m: Machine, f: Frame, expr: ir.Lambda) -> Value:
    value = FunctionValue(f.path, f.unit, f"{f.qualname}.<lambda>".lstrip("."), expr.span, m.keep(f))
    m.code[f.path, f.unit, expr.span] = expr
    return value


def _walrus(m: Machine, f: Frame, expr: ir.Walrus) -> Value:
    value = evaluate(m, f, expr.value)
    attributes.assign(m, f, expr.target, value)
    return value


def _await(m: Machine, f: Frame, expr: ir.Await) -> Value:
    return evaluate(m, f, expr.value)


def _yield(m: Machine, f: Frame, expr: ir.Yield) -> Value:
    value = evaluate(m, f, expr.value) if expr.value is not None else known(None)
    if expr.delegate:
        value = iteration.iterate(m, f, value, expr.span)
    if f.yields is not None:
        f.yields.append(value)
    if f.opened is None:
        f.opened = tuple(f.opens)
    return UNKNOWN


_TABLE: dict[type, Callable[[Machine, Frame, Any], Value]] = {
    ir.Const: _const, ir.Name: _name, ir.Attr: _attr, ir.Item: _item, ir.Slice: _slice, ir.Call: _call, ir.Binary: _binary,
    ir.Unary: _unary, ir.Logic: _logic, ir.Compare: _compare, ir.Choice: _choice, ir.Sequence: _sequence,
    ir.Mapping: _mapping, ir.Starred: _starred, ir.Format: _format, ir.Comprehension: _comprehension, ir.Lambda: _lambda,
    ir.Walrus: _walrus, ir.Await: _await, ir.Yield: _yield,
}  # fmt: skip

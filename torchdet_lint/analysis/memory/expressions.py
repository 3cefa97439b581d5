"""What an expression does to unwritten memory: passes it on, looks at it, writes it, or hands it to code out of sight."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from torchdet_lint import ir
from torchdet_lint.analysis.memory import calls
from torchdet_lint.analysis.memory.coverage import key_of
from torchdet_lint.analysis.memory.frame import Frame, commit, escape, read, uses_in
from torchdet_lint.analysis.memory.tables import METADATA, PART_ATTRIBUTES, VIEW_ATTRIBUTES
from torchdet_lint.analysis.memory.targets import assign
from torchdet_lint.analysis.memory.values import NOTHING, Raw, State, Value, all_of, elements, join, reach, union

IDENTITY = frozenset({"is", "is not", "in", "not in"})


def evaluate(frame: Frame, state: State, expr: ir.Expr) -> Value:
    """The value of an expression, after its effects on `state`."""
    handler = HANDLERS.get(type(expr))
    return handler(frame, state, expr) if handler is not None else NOTHING


def _name(frame: Frame, state: State, expr: ir.Name) -> Value:
    if expr.id in state.env:
        return state.env[expr.id]
    return calls.module_named(frame, state, expr)


def _attribute(frame: Frame, state: State, expr: ir.Attr) -> Value:
    if isinstance(expr.value, ir.Name) and expr.value.id == frame.self_name:
        return state.fields.get(expr.name, NOTHING)
    base = frame.evaluate(state, expr.value)
    if base is NOTHING or expr.name in METADATA:
        return NOTHING
    if expr.name in VIEW_ATTRIBUTES:
        return Value(refs=base.refs, maybe=base.maybe)
    if expr.name in PART_ATTRIBUTES:
        return base.part()
    if base.refs or isinstance(base.module, Raw):
        escape(frame, state, base)
    return NOTHING


def _item(frame: Frame, state: State, expr: ir.Item) -> Value:
    base = frame.evaluate(state, expr.value)
    index = frame.evaluate(state, expr.key)
    index = read(frame, state, Value(refs=reach(index)), expr.span, "is used as an index") if index.refs else index
    return item_of(opened(frame, state, base), expr.key)


def opened(frame: Frame, state: State, value: Value) -> Value:
    """A value whose inside is looked into; the layers of a network are out of sight."""
    if isinstance(value.module, Raw):
        escape(frame, state, value)
        return NOTHING
    return value


def item_of(base: Value, key: ir.Expr) -> Value:
    """`base[key]`"""
    if base is NOTHING:
        return NOTHING
    if base.entries is not None and isinstance(key, ir.Const):
        known: dict[Any, Value] = dict(base.entries)
        found = known.get(key.value)
        if found is not None and not base.refs:
            return found
    if base.entries is not None and isinstance(key, ir.Slice):
        return Value(each=elements(base))
    tensors = base.part(key_of(key)) if base.refs else None
    inner = all_of([*(value for _, value in base.entries or ()), base.each])
    inner = elements(base) if base.module is not None else inner
    if isinstance(key, ir.Slice) and inner is not None:
        inner = Value(each=inner)
    return union(tensors or inner, inner)


def _binary(frame: Frame, state: State, expr: ir.Binary) -> Value:
    left, right = frame.evaluate(state, expr.left), frame.evaluate(state, expr.right)
    if not left.refs and not right.refs:
        containers = all_of([value for value in (left, right) if value.entries is not None or value.each])
        return Value(each=elements(containers)) if containers is not None and reach(containers) else NOTHING
    both = Value(refs=(*left.refs, *right.refs), maybe=left.maybe or right.maybe)
    return read(frame, state, both, expr.span, f"is an operand of `{expr.op}`")


def _unary(frame: Frame, state: State, expr: ir.Unary) -> Value:
    value = frame.evaluate(state, expr.value)
    result = read(frame, state, Value(refs=value.refs, maybe=value.maybe), expr.span, f"is an operand of `{expr.op}`")
    return result if expr.op != "not" else tested(frame, state, result)


def tested(frame: Frame, state: State, value: Value) -> Value:
    """A value that decides where the program goes."""
    commit(frame, uses_in(state, value))
    return value


def _logic(frame: Frame, state: State, expr: ir.Logic) -> Value:
    return all_of([frame.evaluate(state, value) for value in expr.values]) or NOTHING


def _compare(frame: Frame, state: State, expr: ir.Compare) -> Value:
    values = [frame.evaluate(state, value) for value in (expr.left, *expr.values)]
    if all(op in IDENTITY for op in expr.ops):
        return NOTHING
    refs = tuple(ref for value in values for ref in value.refs)
    maybe = any(value.maybe for value in values)
    return read(frame, state, Value(refs=refs, maybe=maybe), expr.span, f"is compared by `{expr.ops[0]}`")


def _choice(frame: Frame, state: State, expr: ir.Choice) -> Value:
    tested(frame, state, frame.evaluate(state, expr.test))
    outer, frame.conditional = frame.conditional, frame.loops_now
    then, other = state.copy(), state.copy()
    one, two = frame.evaluate(then, expr.then), frame.evaluate(other, expr.other)
    frame.conditional = outer
    merged = join([then, other])
    if merged is not None:
        state.env, state.fields, state.heap = merged.env, merged.fields, merged.heap
    return union(one, two)


def _sequence(frame: Frame, state: State, expr: ir.Sequence) -> Value:
    values = [frame.evaluate(state, item) for item in expr.items]
    if any(isinstance(item, ir.Starred) for item in expr.items):
        return Value(each=all_of([value for value in values if value is not NOTHING]))
    return Value(entries=tuple(enumerate(values)))


def _mapping(frame: Frame, state: State, expr: ir.Mapping) -> Value:
    pairs = [(key, frame.evaluate(state, value)) for key, value in expr.items]
    if all(isinstance(key, ir.Const) for key, _ in pairs):
        return Value(entries=tuple((key.value, value) for key, value in pairs if isinstance(key, ir.Const)))
    return Value(each=all_of([elements(value) if key is None else value for key, value in pairs]))


def _starred(frame: Frame, state: State, expr: ir.Starred) -> Value:
    return elements(frame.evaluate(state, expr.value))


def _format(frame: Frame, state: State, expr: ir.Format) -> Value:
    for part in expr.parts:
        value = frame.evaluate(state, part)
        commit(frame, uses_in(state, value))
    return NOTHING


def _comprehension(frame: Frame, state: State, expr: ir.Comprehension) -> Value:
    outer = frame.conditional
    for loop in expr.loops:
        source = opened(frame, state, frame.evaluate(state, loop.iter))
        assign(frame, state, loop.target, elements(source))
        for test in loop.tests:
            tested(frame, state, frame.evaluate(state, test))
    if any(loop.tests for loop in expr.loops):
        frame.conditional = frame.loops_now
    if expr.key is not None:
        frame.evaluate(state, expr.key)
    value = frame.evaluate(state, expr.element)
    frame.conditional = outer
    return Value(each=value)


def _lambda(frame: Frame, state: State, expr: ir.Lambda) -> Value:
    captured(frame, state, expr)
    return NOTHING


def captured(frame: Frame, state: State, node: Any) -> None:
    """A nested function may do anything with the names that it mentions."""
    for name in mentioned(node):
        if name == frame.self_name:
            for value in state.fields.values():
                escape(frame, state, value)
        escape(frame, state, state.env.get(name, NOTHING))


def mentioned(node: Any) -> Iterator[str]:
    """The names in a piece of IR."""
    if isinstance(node, ir.Name):
        yield node.id
    elif isinstance(node, tuple):
        for part in node:
            if isinstance(part, tuple):
                yield from mentioned(part)


def _walrus(frame: Frame, state: State, expr: ir.Walrus) -> Value:
    value = frame.evaluate(state, expr.value)
    assign(frame, state, expr.target, value)
    return value


def _await(frame: Frame, state: State, expr: ir.Await) -> Value:
    return frame.evaluate(state, expr.value)


def _yield(frame: Frame, state: State, expr: ir.Yield) -> Value:
    if expr.value is not None:
        escape(frame, state, frame.evaluate(state, expr.value))
    return NOTHING


def _slice(frame: Frame, state: State, expr: ir.Slice) -> Value:
    for part in (expr.lower, expr.upper, expr.step):
        if part is not None:
            tested(frame, state, frame.evaluate(state, part))
    return NOTHING


HANDLERS: dict[type, Callable[[Frame, State, Any], Value]] = {
    ir.Name: _name,
    ir.Attr: _attribute,
    ir.Item: _item,
    ir.Slice: _slice,
    ir.Call: calls.call,
    ir.Binary: _binary,
    ir.Unary: _unary,
    ir.Logic: _logic,
    ir.Compare: _compare,
    ir.Choice: _choice,
    ir.Sequence: _sequence,
    ir.Mapping: _mapping,
    ir.Starred: _starred,
    ir.Format: _format,
    ir.Comprehension: _comprehension,
    ir.Lambda: _lambda,
    ir.Walrus: _walrus,
    ir.Await: _await,
    ir.Yield: _yield,
}

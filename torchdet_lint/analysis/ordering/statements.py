"""Statements: bindings, branches, and what comes out of a function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from torchdet_lint import ir
from torchdet_lint.analysis.ordering.classes import attributes_of, run_class
from torchdet_lint.analysis.ordering.frame import Frame, key_of, names_in, shown
from torchdet_lint.analysis.ordering.guards import asserted, single
from torchdet_lint.analysis.ordering.iteration import assign, opened
from torchdet_lint.analysis.ordering.loops import for_loop, while_loop
from torchdet_lint.analysis.ordering.sets import element_type
from torchdet_lint.analysis.ordering.tables import FOLDS, ROUNDED, UNFOLDED, harmless
from torchdet_lint.analysis.ordering.values import PLAIN, STR, UNKNOWN, Value, merge, through
from torchdet_lint.project.names import target_names


def execute(frame: Frame, body: ir.Body) -> bool:
    for statement in body:
        handler = _HANDLERS.get(type(statement))
        if handler is not None and handler(frame, statement):
            return True
    return False


def _do(frame: Frame, statement: ir.Do) -> None:
    if _asks_for_one(frame, statement.value):
        return
    frame.eval(statement.value)
    if isinstance(statement.value, ir.Call):
        frame.store.settled |= asserted(frame, statement.value)


def _asks_for_one(frame: Frame, value: ir.Expr) -> bool:
    """`next(folder.iterdir())` whose result is dropped: what counts is whether there is one, or `StopIteration`."""
    if not isinstance(value, ir.Call) or frame.dotted(value.func) != "builtins.next":
        return False
    return bool(value.args) and isinstance(value.args[0].value, ir.Call)


def _assign(frame: Frame, statement: ir.Assign) -> None:
    if statement.value is None:
        return
    value = frame.eval(statement.value)
    for target in statement.targets:
        _settle_sorted(frame, target, statement.value)
        if isinstance(target, ir.Item):
            _store(frame, target, value, statement.value)
            continue
        key = key_of(target)
        bound = value if key is None else _accumulated(frame, key, value, statement.value)
        if frame.loops and bound.obj is None and key not in _keys_in(statement.value) and _is_new(statement.value):
            bound = replace(bound, depth=len(frame.loops))
        assign(frame, target, bound)
        _derive(frame, target, statement.value)


def _derive(frame: Frame, target: ir.Expr, value: ir.Expr) -> None:
    """What is made of the element of an open loop depends on it as well."""
    if frame.derived(value):
        for loop in frame.loops:
            loop.derived.update(target_names(target))


def _is_new(expr: ir.Expr) -> bool:
    """Whether the value is made here, and not another name for something that is there already."""
    return not isinstance(expr, ir.Name | ir.Attr | ir.Item | ir.Choice | ir.Logic)


def _settle_sorted(frame: Frame, target: ir.Expr, value: ir.Expr) -> None:
    """`self.files = sorted(self.files)`: what other methods see under that name is sorted too."""
    key = key_of(target)
    if key is None or "." not in key or not isinstance(value, ir.Call):
        return
    if (frame.dotted(value.func) or "").endswith("sorted") and any(key_of(arg.value) == key for arg in value.args):
        frame.settle(frame.peek(target))


def _accumulated(frame: Frame, key: str, value: Value, expr: ir.Expr) -> Value:
    """What a name holds after `acc = g(acc, element)` in a loop in arbitrary order."""
    orders = frame.loop_orders()
    if not orders or key not in set(_keys_in(expr)):
        return value
    old = frame.env.get(key, PLAIN)
    orders = frame.loop_orders(old.depth)
    if value.form == "seq":
        return replace(value, origins=value.origins | through(orders, f"feeds the loop that adds to `{key}`"))
    if not frame.derived(expr):
        return value
    if isinstance(expr, ir.Binary) and expr.op == "+" and (old.form == "text" or old.type == STR):
        return Value("text", STR, through(orders, f"feeds the loop that builds the text `{key}`"))
    if (
        isinstance(expr, ir.Binary)
        and expr.op == "+"
        and (_rounds(frame, expr.left, old) or _rounds(frame, expr.right, old))
    ):
        frame.use(orders, f"feeds the loop that sums up `{key}`", "low")
    if isinstance(expr, ir.Call) and _folds(frame, key, expr):
        frame.use(orders, f"feeds the loop that changes `{key}` step by step", "medium")
    return value


def _rounds(frame: Frame, expr: ir.Expr, total: Value) -> bool:
    """Whether a sum over such values is rounded at every step, so that its last bits depend on the order."""
    if total.form == "tensor":
        return True
    return isinstance(expr, ir.Call) and (frame.dotted(expr.func) or "") in ROUNDED


def _keys_in(expr: ir.Expr) -> set[str]:
    found = set(names_in(expr))
    whole = key_of(expr)
    return found | ({whole} if whole else set())


def _folds(frame: Frame, key: str, expr: ir.Call) -> bool:
    """Whether the call makes a new value out of the old one and the element, so that the order of the steps counts."""
    if any(key in loop.derived for loop in frame.loops if loop.origins):
        return False
    others = [arg for arg in expr.args if key_of(arg.value) != key]
    if not any(frame.derived(arg.value) for arg in others):
        return False
    if isinstance(expr.func, ir.Attr) and key_of(expr.func.value) == key:
        return expr.func.name in FOLDS
    name = (frame.dotted(expr.func) or key_of(expr.func) or "").rsplit(".", 1)[-1]
    return len(others) < len(expr.args) and name not in UNFOLDED and not harmless(name)


def _store(frame: Frame, target: ir.Item, value: Value, expr: ir.Expr) -> None:
    """`container[key] = value`"""
    base = frame.peek(target.value)
    if isinstance(target.key, ir.Slice):
        if not frame.visible(value):
            frame.settle(base)
        return
    key = frame.eval(target.key)
    if value.form == "index" and not isinstance(target.key, ir.Const):
        frame.use(value, "is numbered one after the other")
    if key.form == "index" and not (key.obj is not None and key.obj == base.obj):
        frame.use(key, "is numbered one after the other")
    orders = frame.loop_orders(base.depth)
    if orders and _builds(frame, expr):
        frame.use(orders, "feeds the loop that builds modules")
    frame.hold(base, value)
    if base.form == "map" and orders and frame.derived(target.key):
        frame.taint(base, through(orders, f"feeds the loop that fills `{shown(target.value)}`"))


def _builds(frame: Frame, expr: ir.Expr) -> bool:
    dotted = frame.dotted(expr.func) or "" if isinstance(expr, ir.Call) else ""
    return dotted.startswith("torch.nn.") and dotted.rsplit(".", 1)[-1][:1].isupper()


def _augment(frame: Frame, statement: ir.Augment) -> None:
    value = frame.eval(statement.value)
    target = statement.target
    old = frame.peek(target)
    key = key_of(target)
    if old.form == "set":
        frame.grow(old, element_type(frame, value))
        return
    orders = frame.loop_orders(old.depth) if statement.op == "+" else frozenset()
    if old.form == "seq" and statement.op == "+":
        grown = frame.visible(value) | through(orders, f"feeds the loop that adds to `{shown(target)}`")
        frame.grow(old, element_type(frame, value))
        if old.obj is not None:
            frame.taint(old, grown)
        elif key is not None:
            frame.bind(key, replace(old, origins=old.origins | grown))
    elif key is not None and (old.form == "text" or (old.form == "scalar" and old.type == STR)):
        grown = frame.visible(value)
        if frame.derived(statement.value):
            grown |= through(orders, f"feeds the loop that builds the text `{key}`")
        frame.bind(key, Value("text", STR, old.origins | grown, depth=old.depth) if grown or old.origins else old)
    elif frame.visible(value) and value.form == "seq" and key is not None:
        frame.bind(key, frame.make("seq", statement.span, UNKNOWN, frame.visible(value)))
    elif isinstance(target, ir.Item) and value.form == "seq":
        frame.hold(frame.peek(target.value), value)
    elif frame.derived(statement.value) and _rounds(frame, statement.value, old):
        frame.use(orders, f"feeds the loop that sums up `{shown(target)}`", "low")


def _return(frame: Frame, statement: ir.Return) -> bool:
    if statement.value is None:
        return True
    value = frame.eval(statement.value)
    if value.form == "index":
        frame.use(value, "is numbered one after the other")
        value = PLAIN
    elif frame.function.startswith("__"):  # whoever calls it is out of sight
        for number in _numbers_in(frame, value):
            frame.use(number, "is numbered one after the other")
    orders = frame.loop_orders()
    if orders and frame.derived(statement.value) and not frame.visible(value):
        tests = [test for loop in frame.loops if loop.origins for test in loop.tests]
        if not any(_equality(test) for test in tests):
            frame.use(orders, "decides which one that fits is returned", "medium")
    frame.leave(frame.visible(value), "is returned")
    frame.returned.append(frame.export(value))
    return True


def _numbers_in(frame: Frame, value: Value, depth: int = 3) -> Iterator[Value]:
    """The numbers counted along an arbitrary order in what a function gives: `return image, self.names.index(name)`."""
    item = frame.item(value)
    for part in value.parts or (() if item is None else (item,)):
        if part.form == "index":
            yield part
        elif depth:
            yield from _numbers_in(frame, part, depth - 1)


def _equality(test: ir.Expr) -> bool:
    """Whether the test can hold for one element only, as far as is plain to see."""
    if isinstance(test, ir.Compare):
        return any(op in ("==", "is", "in") for op in test.ops)
    if isinstance(test, ir.Logic):
        return any(_equality(value) for value in test.values)
    return False


def _raise(frame: Frame, statement: ir.Raise) -> bool:
    with frame.hushed():
        if statement.value is not None:
            frame.eval(statement.value)
    return True


def _assert(frame: Frame, statement: ir.Assert) -> None:
    frame.eval(statement.test)
    if statement.message is not None:
        with frame.hushed():
            frame.eval(statement.message)
    then, _ = single(frame, statement.test)
    frame.store.settled |= then


def _jump(frame: Frame, statement: ir.Jump) -> bool:
    return True


def _if(frame: Frame, statement: ir.If) -> bool:
    frame.eval(statement.test)
    _check_break(frame, statement)
    then, other = single(frame, statement.test)
    before = dict(frame.env)
    for loop in frame.loops:
        loop.tests.append(statement.test)
    with frame.single(then):
        ended = frame.execute(statement.body)
    first, frame.env = frame.env, dict(before)
    for loop in frame.loops:
        loop.tests.pop()
    with frame.single(other):
        ended_else = frame.execute(statement.orelse)
    if ended and not ended_else:
        frame.store.settled |= other
    elif ended_else and not ended:
        frame.store.settled |= then
        frame.env = first
    else:
        frame.env = _merged(first, frame.env)
    return ended and ended_else


def _check_break(frame: Frame, statement: ir.If) -> None:
    """`if i >= n: break` cuts a loop in arbitrary order; `if fits(x): found = x; break` keeps the first one."""
    if not frame.loops or not any(isinstance(inner, ir.Jump) and inner.kind == "break" for inner in statement.body):
        return
    counted = [frame.env[name] for name in names_in(statement.test) if name in frame.env]
    for value in counted:
        if value.form == "index":
            frame.use(value.origins, "is cut off after the first few")
    if _equality(statement.test):
        return
    kept = any(
        isinstance(inner, ir.Assign) and inner.value is not None and frame.derived(inner.value)
        for inner in statement.body
    )
    if kept and frame.loops[-1].origins:
        frame.use(frame.loops[-1].origins, "decides which one that fits is kept", "medium")


def _merged(first: dict[str, Value], second: dict[str, Value]) -> dict[str, Value]:
    return {
        key: merge(first[key], second[key]) if key in first and key in second else first.get(key) or second[key]
        for key in {**first, **second}
    }


def _with(frame: Frame, statement: ir.With) -> bool:
    for context, target in statement.items:
        value = frame.eval(context)
        if target is not None:
            assign(frame, target, opened(value, frame.place(context.span)))
            _derive(frame, target, context)
    return frame.execute(statement.body)


def _try(frame: Frame, statement: ir.Try) -> bool:
    before = dict(frame.env)
    ended = frame.execute(statement.body)
    if not ended:
        ended = frame.execute(statement.orelse)
    states = [] if ended else [frame.env]
    middle = _merged(before, frame.env)
    for handler in statement.handlers:
        frame.env = dict(middle)
        if not frame.execute(handler.body):
            states.append(frame.env)
    frame.env = states[0] if states else middle
    for state in states[1:]:
        frame.env = _merged(frame.env, state)
    return frame.execute(statement.final) or not states


def _match(frame: Frame, statement: ir.Match) -> bool:
    frame.eval(statement.subject)
    before, states = dict(frame.env), [dict(frame.env)]
    for case in statement.cases:
        frame.env = dict(before)
        if case.guard is not None:
            frame.eval(case.guard)
        if not frame.execute(case.body):
            states.append(frame.env)
    frame.env = states[0]
    for state in states[1:]:
        frame.env = _merged(frame.env, state)
    return False


def _function(frame: Frame, statement: ir.Function) -> None:
    if frame.function:
        frame.nested[statement.name] = statement


def _class(frame: Frame, statement: ir.Class) -> None:
    if frame.function:
        owner = attributes_of(frame.ordering, frame.path, frame.unit, statement)
        run_class(frame.ordering, owner)
        frame.log.add(owner.log)


_HANDLERS: dict[type, Callable[[Frame, Any], bool | None]] = {
    ir.Do: _do,
    ir.Assign: _assign,
    ir.Augment: _augment,
    ir.Return: _return,
    ir.Raise: _raise,
    ir.Assert: _assert,
    ir.Jump: _jump,
    ir.If: _if,
    ir.For: for_loop,
    ir.While: while_loop,
    ir.With: _with,
    ir.Try: _try,
    ir.Match: _match,
    ir.Function: _function,
    ir.Class: _class,
}

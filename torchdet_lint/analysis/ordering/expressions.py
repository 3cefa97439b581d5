"""What expressions give, and where an arbitrary order becomes visible in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchdet_lint import ir
from torchdet_lint.analysis.ordering.calls import call
from torchdet_lint.analysis.ordering.frame import Frame, LoopContext, key_of, names_in
from torchdet_lint.analysis.ordering.guards import single
from torchdet_lint.analysis.ordering.iteration import assign, elements, walk_through
from torchdet_lint.analysis.ordering.methods import is_property, method_result
from torchdet_lint.analysis.ordering.sets import combined, new_set
from torchdet_lint.analysis.ordering.tables import NUMBER_ATTRIBUTES, PATH_TEXT, random_draw
from torchdet_lint.analysis.ordering.tabular import table_attribute
from torchdet_lint.analysis.ordering.values import (
    INT,
    NONE,
    NUMBER,
    OBJECT,
    PATH,
    PLAIN,
    STR,
    TEXT,
    UNKNOWN,
    Value,
    join_all,
    join_types,
    merge,
    merge_all,
)
from torchdet_lint.project.modules import Definition, External


def evaluate(frame: Frame, expr: ir.Expr) -> Value:
    handler = _HANDLERS.get(type(expr))
    return PLAIN if handler is None else handler(frame, expr)


def _const(frame: Frame, expr: ir.Const) -> Value:
    if isinstance(expr.value, str | bytes):
        return TEXT
    return Value("scalar", NONE) if expr.value is None or expr.value is Ellipsis else NUMBER


def _name(frame: Frame, expr: ir.Name) -> Value:
    found = frame.lookup(expr.id)
    return found if found is not None else _named(frame, expr)


def _named(frame: Frame, expr: ir.Name | ir.Attr) -> Value:
    """A function or class, of the project or not, is an object; a global of the project may hold a set or a listing."""
    symbol = frame.symbol(expr)
    if isinstance(symbol, Definition):
        if frame.ordering.is_defined(symbol) or frame.ordering.definition(symbol) is not None:
            return Value("scalar", OBJECT)
        return frame.ordering.global_value(symbol, frame)
    if isinstance(symbol, External) and not symbol.path.rsplit(".", 1)[-1].isupper():
        return Value("scalar", OBJECT) if not symbol.path.startswith(".") else PLAIN
    return PLAIN


def _attr(frame: Frame, expr: ir.Attr) -> Value:
    key = key_of(expr)
    if key is not None:
        found = frame.lookup(key)
        if found is not None:
            return found
        if is_property(frame, key):
            return method_result(frame, expr.name)
        if frame.lookup(key.split(".", 1)[0]) is None:
            return _path_constant(frame, expr)
    base = frame.eval(expr.value)
    if base.form == "table":
        return table_attribute(frame, expr, base)
    if base.form == "path" and expr.name == "parent":
        return PATH
    if expr.name in PATH_TEXT:
        return TEXT
    if expr.name in NUMBER_ATTRIBUTES:
        return Value("seq", INT)
    return base if base.form == "tensor" else PLAIN


def _path_constant(frame: Frame, expr: ir.Attr) -> Value:
    value = _named(frame, expr)
    if value is PLAIN or value.type == OBJECT:
        base = frame.eval(expr.value)
        if base.form == "path":
            return PATH if expr.name == "parent" else TEXT
    return TEXT if expr.name in PATH_TEXT else value


def _item(frame: Frame, expr: ir.Item) -> Value:
    base = frame.eval(expr.value)
    if isinstance(expr.key, ir.Slice):
        return _cut(frame, expr, expr.key, base)
    key = frame.eval(expr.key)
    if base.parts and isinstance(expr.key, ir.Const) and isinstance(expr.key.value, int):
        index = expr.key.value
        return base.parts[index] if -len(base.parts) <= index < len(base.parts) else PLAIN
    if key.form == "index":
        if (key.obj is None or key.obj != base.obj) and key.origins != frame.orders(base):
            frame.use(key, "is numbered by `enumerate`")
            return PLAIN
        return Value("scalar", frame.kind(base))
    if key.form == "seq":
        frame.use(key, "is used as an index", "medium")
    item = frame.item(base)
    if item is not None:
        return item
    if base.form in ("seq", "text") or (base.form == "param" and frame.orders(base)):
        frame.use(base, _indexed(frame, expr))
        return Value("scalar", frame.kind(base))
    return base if base.form in ("tensor", "walk", "table") else PATH if base.form == "path" else PLAIN


def _indexed(frame: Frame, expr: ir.Item) -> str:
    key = expr.key
    if isinstance(key, ir.Const):
        return f"is indexed with [{key.value}]"
    if isinstance(key, ir.Unary) and isinstance(key.value, ir.Const):
        return f"is indexed with [{key.op}{key.value.value}]"
    held = key_of(expr.value)
    if held is not None and frame.attribute(held):
        return f"becomes the list `{held}`"
    return "is indexed with a position"


def _cut(frame: Frame, expr: ir.Item, cut: ir.Slice, base: Value) -> Value:
    for bound in (cut.lower, cut.upper, cut.step):
        if bound is not None:
            frame.eval(bound)
    if base.form == "seq" and (cut.lower is not None or cut.upper is not None):
        frame.use(frame.orders(base), "is split by slicing")
        return frame.make("seq", expr.span, frame.kind(base), frame.orders(base), item=frame.item(base))
    return base


def _binary(frame: Frame, expr: ir.Binary) -> Value:
    left, right = frame.eval(expr.left), frame.eval(expr.right)
    if expr.op == "/" and "path" in (left.form, right.form):
        return PATH
    if expr.op in "-&|^" and _is_set(left, right):
        return combined(frame, expr.op, left, right, expr.span)
    if expr.op == "+" and "seq" in (left.form, right.form):
        return _added(frame, expr, left, right)
    if "index" in (left.form, right.form):
        index, other = (left, expr.right) if left.form == "index" else (right, expr.left)
        if expr.op == "*" and _of_element(frame, other):
            finished = (origin for origin in index.origins if origin.kind == "completion")
            frame.use(finished, "is weighted by position", computed=True)
        return index
    if "text" in (left.form, right.form):
        return left if left.form == "text" else right
    if expr.op == "%" and left.type == STR:
        return TEXT
    if expr.op == "*" and left.form == "seq":
        return left
    if left.form == right.form == "scalar":
        return Value("scalar", join_types(left.type, right.type))
    return left if left.form == "tensor" else right if right.form == "tensor" else PLAIN


def _of_element(frame: Frame, expr: ir.Expr) -> bool:
    """Whether the expression depends on the element of an open loop, and not only on its number."""
    return any(
        frame.env.get(name, PLAIN).form != "index" and frame.derived(ir.Name(name, expr.span))
        for name in set(names_in(expr))
    )


def _is_set(left: Value, right: Value) -> bool:
    return left.form == "set" or right.form == "set" or left.form == "keys"


def _added(frame: Frame, expr: ir.Binary, left: Value, right: Value) -> Value:
    origins = frame.visible(left) | frame.visible(right)
    kind = join_types(frame.kind(left), frame.kind(right))
    return frame.make("seq", expr.span, kind, origins)


def _unary(frame: Frame, expr: ir.Unary) -> Value:
    value = frame.eval(expr.value)
    return NUMBER if expr.op == "not" else value if value.form in ("scalar", "index") else PLAIN


def _logic(frame: Frame, expr: ir.Logic) -> Value:
    values = [frame.eval(expr.values[0])]
    test, singles = expr.values[0], frozenset(frame.store.settled)
    for value in expr.values[1:]:
        then, other = single(frame, test)
        with frame.single((then if expr.op == "and" else other) - singles):
            values.append(frame.eval(value))
        test = value
    return merge_all(values)


def _compare(frame: Frame, expr: ir.Compare) -> Value:
    for value in (expr.left, *expr.values):
        frame.eval(value)
    return NUMBER


def _choice(frame: Frame, expr: ir.Choice) -> Value:
    frame.eval(expr.test)
    then, other = single(frame, expr.test)
    with frame.single(then):
        first = frame.eval(expr.then)
    with frame.single(other):
        return merge(first, frame.eval(expr.other))


def _sequence(frame: Frame, expr: ir.Sequence) -> Value:
    parts: list[Value] = []
    kinds: list[str] = []
    inside: list[Value] = []
    for item in expr.items:
        if isinstance(item, ir.Starred):
            spread = frame.eval(item.value)
            origins = walk_through(frame, spread, expr.span, item.value.span)
            kinds.append(frame.kind(spread))
            inside.append(Value("seq", UNKNOWN, origins))
        else:
            part = frame.eval(item)
            parts.append(part)
            kinds.append(part.type if part.form in ("scalar", "index") else _hashed(part))
    if expr.kind == "set":
        return new_set(frame, expr.span, join_all(kinds), "a set display" if len(expr.items) != 1 else "")
    items = [part for part in parts if frame.visible(part) or part.form == "set"]
    origins = frozenset().union(*(value.origins for value in inside))
    made = frame.make("seq", expr.span, join_all(kinds), origins, item=merge_all(items) if items else None)
    if expr.kind == "tuple" and not inside:
        return Value("seq", join_all(kinds), frozenset(), made.obj, made.item, tuple(parts), made.depth)
    return made


def _hashed(value: Value) -> str:
    """The type that counts when the value is an element of a set."""
    if value.form == "seq":
        return value.type
    return value.type if value.form in ("tensor", "path") else UNKNOWN


def _mapping(frame: Frame, expr: ir.Mapping) -> Value:
    items: list[Value] = []
    origins: frozenset[Any] = frozenset()
    kinds: list[str] = []
    for key, value in expr.items:
        held = frame.eval(value)
        if key is None:
            origins |= frame.orders(held)
            continue
        kinds.append(frame.eval(key).type)
        if held.form in ("set", "map") or frame.visible(held):
            items.append(held)
    return frame.make("map", expr.span, join_all(kinds), origins, item=merge_all(items) if items else None)


def _format(frame: Frame, expr: ir.Format) -> Value:
    parts = [_shown(frame, part) for part in expr.parts]
    origins = frozenset().union(*(frame.orders(part) for part in parts if part.form in ("text", "index")))
    return Value("text", STR, origins) if origins else TEXT


def _shown(frame: Frame, part: ir.Expr) -> Value:
    """A part of a text; `list(things)[:3]` shows some of them, which splits nothing."""
    if isinstance(part, ir.Item) and isinstance(part.key, ir.Slice):
        return frame.eval(part.value)
    return frame.eval(part)


def _comprehension(frame: Frame, expr: ir.Comprehension) -> Value:
    saved, orders = dict(frame.env), frozenset[Any]()
    opened = 0
    for loop in expr.loops:
        source = frame.eval(loop.iter)
        origins = walk_through(frame, source, expr.span, loop.iter.span)
        assign(frame, loop.target, elements(frame, source, origins))
        orders |= origins
        frame.loops.append(LoopContext(origins, set(names_in(loop.target))))
        opened += 1
        for test in loop.tests:
            frame.eval(test)
    key = frame.eval(expr.key) if expr.key is not None else None
    element = frame.eval(expr.element)
    if orders and expr.kind != "set" and (drawn := _draws(frame, expr.element)):
        frame.use(orders, drawn)
    del frame.loops[len(frame.loops) - opened :]
    frame.env = saved
    return _collected(frame, expr, orders, key, element)


def _collected(
    frame: Frame, expr: ir.Comprehension, orders: frozenset[Any], key: Value | None, element: Value
) -> Value:
    kind = element.type if element.form in ("scalar", "index") else _hashed(element)
    if expr.kind == "set":
        return new_set(frame, expr.span, kind, "a set comprehension")
    if key is not None:
        for value in (key, element):
            if value.form == "index":
                frame.use(value, "is numbered by `enumerate`")
        held = element if element.form == "set" or frame.visible(element) else None
        return frame.make("map", expr.span, key.type, orders, item=held)
    held = element if element.form == "set" or (element.form in ("seq", "index") and frame.visible(element)) else None
    made = frame.make("seq", expr.span, kind, orders, item=held)
    if any(_names_one(loop.target, test) for loop in expr.loops for test in loop.tests):
        frame.settle(made)
    if element.form == "seq" and element.parts:
        return Value("seq", kind, orders, made.obj, element, (), made.depth)
    return made


def _names_one(target: ir.Expr, test: ir.Expr) -> bool:
    """Whether the test holds for one element only: `f == name`, `p.name == name`."""
    if not isinstance(test, ir.Compare) or test.ops != ("==",):
        return False
    sides = {key_of(side) for side in (test.left, *test.values)}
    key = key_of(target)
    return key is not None and not sides.isdisjoint({key, f"{key}.name", f"{key}.stem"})


def _draws(frame: Frame, element: ir.Expr) -> str:
    """Whether an element takes random numbers, or builds a module (whose weights do)."""
    if not isinstance(element, ir.Call):
        return ""
    dotted = frame.dotted(element.func) or ""
    if dotted.startswith("torch.nn.") and dotted.rsplit(".", 1)[-1][:1].isupper():
        return "is the order in which modules are built"
    return "is the order in which random numbers are drawn" if random_draw(dotted) else ""


def _walrus(frame: Frame, expr: ir.Walrus) -> Value:
    value = frame.eval(expr.value)
    frame.bind(expr.target.id, value)
    return value


def _inner(frame: Frame, expr: ir.Await | ir.Starred) -> Value:
    return frame.eval(expr.value)


def _yield(frame: Frame, expr: ir.Yield) -> Value:
    if expr.value is None:
        return PLAIN
    value = frame.eval(expr.value)
    if expr.delegate:
        origins = walk_through(frame, value, expr.span, expr.value.span)
        frame.yielded.append(Value("seq", frame.kind(value), origins))
        frame.leave(origins, "is yielded")
        return PLAIN
    orders = frame.loop_orders() if frame.derived(expr.value) else frozenset()
    held = value if frame.visible(value) or value.form == "set" else None
    frame.yielded.append(Value("seq", value.type, orders, None, held))
    frame.leave(orders | frame.visible(value), "is yielded")
    return PLAIN


_HANDLERS: dict[type, Callable[[Frame, Any], Value]] = {
    ir.Const: _const,
    ir.Name: _name,
    ir.Attr: _attr,
    ir.Item: _item,
    ir.Call: call,
    ir.Binary: _binary,
    ir.Unary: _unary,
    ir.Logic: _logic,
    ir.Compare: _compare,
    ir.Choice: _choice,
    ir.Sequence: _sequence,
    ir.Mapping: _mapping,
    ir.Format: _format,
    ir.Comprehension: _comprehension,
    ir.Walrus: _walrus,
    ir.Await: _inner,
    ir.Starred: _inner,
    ir.Yield: _yield,
}

"""Method calls, by what the receiver is known to be and by the method's name."""

from __future__ import annotations

from dataclasses import replace

from torchdet_lint import ir
from torchdet_lint.analysis.ordering import tables
from torchdet_lint.analysis.ordering.finishing import unordered_method
from torchdet_lint.analysis.ordering.frame import Attributes, Frame, Method, key_of, shown
from torchdet_lint.analysis.ordering.iteration import elements, walk_through
from torchdet_lint.analysis.ordering.passing import Target, deep_origins, project_call
from torchdet_lint.analysis.ordering.sets import element_type, set_method
from torchdet_lint.analysis.ordering.tabular import table_method
from torchdet_lint.analysis.ordering.values import (
    INT,
    NUMBER,
    OBJECT,
    PATH,
    PLAIN,
    STR,
    TEXT,
    UNKNOWN,
    Origin,
    Value,
    merge,
    through,
)


def method(frame: Frame, expr: ir.Call, func: ir.Attr, dotted: str | None) -> Value | None:
    """The result of `receiver.name(...)`; None when nothing is known of it."""
    name = func.name
    if dotted is not None:
        return _of_external(frame, expr, func, dotted)
    if own := _own_method(frame, func):
        return project_call(frame, expr, own)
    if name in tables.LOG_METHODS:
        return _logged(frame, expr)
    if frame.ordering.resolve(frame, func) is not None:
        return None
    if (unordered := unordered_method(frame, expr, func)) is not None:
        return unordered
    if name == "list" and not expr.args:  # that of a manager of processes
        return frame.make("seq", expr.span, "none")
    receiver = frame.peek(func.value) if name in _ADDING else frame.eval(func.value)
    if receiver.form == "set":
        found = set_method(frame, expr, name, receiver)
        if found is not None:
            return found
    if name in _ADDING:
        return _add(frame, expr, func, receiver)
    if name in tables.PATH_LISTS and receiver.form not in ("seq", "map", "tensor"):
        return _path_listing(frame, expr, name)
    if receiver.form == "table":
        return table_method(frame, expr, name, receiver)
    found = _of_container(frame, expr, name, receiver)
    return found if found is not None else _of_scalar(frame, expr, name, receiver)


_ADDING = tables.GROWS | tables.QUEUES | tables.WRITES | tables.BUILDS | tables.DRAWS | tables.TRAINS | {"setdefault"}


def _of_external(frame: Frame, expr: ir.Call, func: ir.Attr, dotted: str) -> Value | None:
    """A method of an object that was imported from outside: a logger, a folder in capitals."""
    if func.name in tables.LOG_METHODS and not dotted.startswith(("numpy.", "torch.", "math.")):
        return _logged(frame, expr)
    owner = dotted.rsplit(".", 2)[-2] if dotted.count(".") > 1 else ""
    if func.name in ("rglob", "iterdir") or (func.name == "glob" and owner.isupper()):
        return _path_listing(frame, expr, func.name)
    return None


def _logged(frame: Frame, expr: ir.Call) -> Value:
    with frame.hushed():
        for arg in expr.args:
            frame.eval(arg.value)
    return PLAIN


def _own_method(frame: Frame, func: ir.Attr) -> Target | None:
    """`self.name`, `Class.name` and `super().name` of the class around."""
    owner = frame.owner
    if owner is None:
        return None
    if isinstance(func.value, ir.Call) and frame.dotted(func.value.func) == "builtins.super":
        found, on_object = _above(frame, owner, func.name), True
    elif isinstance(func.value, ir.Name) and func.value.id in (frame.self_name, owner.definition.name):
        found, on_object = owner.methods.get(func.name), func.value.id == frame.self_name
    else:
        return None
    return None if found is None else _target(owner, found, on_object)


def _above(frame: Frame, owner: Attributes, name: str) -> Method | None:
    """What `super().name` finds. In a method that is inherited itself the search begins above the class that defines that one."""
    running = frame.target.definition if frame.target is not None else None
    place = next((i for i, method in enumerate(owner.inherited) if method.function is running), None)
    candidates = owner.inherited if place is None else owner.inherited[place + 1 :]
    home = (frame.path, frame.unit) if place is not None and owner.inherited[place].function.name != name else None
    return next((m for m in candidates if m.function.name == name and (m.path, m.unit) != home), None)


def _target(owner: Attributes, method: Method, on_object: bool) -> Target:
    function = method.function
    static = any(isinstance(decorator, ir.Name) and decorator.id == "staticmethod" for decorator in function.decorators)
    home = (owner.path, owner.unit)
    return Target(method.path, method.unit, function, owner.definition, on_object and not static, home)


def is_property(frame: Frame, key: str) -> bool:
    """Whether `self.x` is a property of the class around."""
    name = frame.attribute(key)
    found = frame.owner.methods.get(name) if name and frame.owner is not None else None
    return found is not None and any(
        isinstance(decorator, ir.Name | ir.Attr) and shown(decorator).endswith("property")
        for decorator in found.function.decorators
    )


def method_result(frame: Frame, name: str) -> Value:
    """What a property of the class around gives."""
    owner = frame.owner
    if owner is None:
        return PLAIN
    value = frame.ordering.result(_target(owner, owner.methods[name], True), frame)
    frame.log.seen |= deep_origins(value)
    return value


def _path_listing(frame: Frame, expr: ir.Call, name: str) -> Value:
    for arg in expr.args:
        frame.eval(arg.value)
    first = expr.args[0].value if expr.args else None
    if (
        name == "glob"
        and isinstance(first, ir.Const)
        and isinstance(first.value, str)
        and not set("*?[") & set(first.value)
    ):
        return frame.make("seq", expr.span, STR)
    origin = Origin("listing", frame.place(expr.span), f"Path.{name}", STR, fix=expr.span)
    return frame.make("seq", expr.span, STR, {origin})


def _add(frame: Frame, expr: ir.Call, func: ir.Attr, receiver: Value) -> Value:
    """A method that changes its receiver: inside a loop in arbitrary order, the receiver takes over that order."""
    name, values = func.name, [frame.eval(arg.value) for arg in expr.args]
    key = key_of(func.value) or shown(func.value)
    orders = frame.loop_orders(receiver.depth)
    derived = any(frame.derived(arg.value) for arg in expr.args) and not _is_keyed(frame, expr, name, values)
    if name in tables.GROWS:
        _grow(frame, expr, func, receiver, values, orders if _varies(expr) else frozenset())
    elif name == "setdefault":
        return _setdefault(frame, receiver, values)
    elif name in tables.WRITES and receiver.form == "file":
        for value in values:
            frame.use(value, f"is written to `{key}`")
        frame.use(orders if derived else frozenset(), f"feeds the loop that writes to `{key}`")
    elif name in tables.TRAINS:
        frame.use(frame.loop_orders(), _effect(name, key))
    elif derived and not frame.derived(func.value) and name not in tables.WRITES:
        frame.use(orders, _effect(name, key), "medium" if name in tables.QUEUES else "high")
    for value in values if name in tables.BUILDS | tables.QUEUES else ():
        frame.use(value, f"reaches `{key}.{name}(...)`")
    if name in tables.WRITES | tables.DRAWS and receiver.form != "file":
        for value in values:
            frame.use(value, f"reaches `{key}.{name}(...)`", "medium")
    return PLAIN


def _effect(name: str, key: str) -> str:
    if name in tables.BUILDS:
        return f"feeds the loop that calls `{key}.{name}(...)`"
    if name in tables.TRAINS:
        return "feeds the loop that trains"
    return f"feeds the loop that draws with `{name}`" if name in tables.DRAWS else f"feeds the loop that fills `{key}`"


def _is_keyed(frame: Frame, expr: ir.Call, name: str, values: list[Value]) -> bool:
    """`store.put(key, value)` with a key that comes from the element: it is stored under that key whenever its turn comes."""
    both = name == "put" and len(values) > 1 and not isinstance(expr.args[1].value, ir.Const)
    return both and frame.derived(expr.args[0].value) and not values[0].origins


def _varies(expr: ir.Call) -> bool:
    """Whether what is added is more than a constant."""
    return any(not isinstance(arg.value, ir.Const) for arg in expr.args)


def _grow(
    frame: Frame, expr: ir.Call, func: ir.Attr, receiver: Value, values: list[Value], loops: frozenset[Origin]
) -> None:
    name, key = func.name, key_of(func.value)
    container = _container(func.value)
    label = f"{shown(container)}[…]" if container is not None else shown(func.value)
    apart = frame.apart(func.value.key) if isinstance(func.value, ir.Item) else frozenset()
    loops = through(loops - apart, f"feeds the loop that appends to `{label}`")
    added = values[-1] if values else PLAIN
    whole = name.startswith("extend") and bool(values)
    orders = loops | (walk_through(frame, added, expr.span, expr.args[-1].value.span) if whole else frozenset())
    if apart and container is not None and frame.peek(container).form == "map":
        frame.taint(frame.peek(container), through(apart, f"feeds the loop that fills `{shown(container)}`"))
    owner = _holder(frame, func.value, container, receiver, orders, apart)
    if owner is not None:
        frame.taint(owner, orders)
        frame.grow(owner, element_type(frame, added) if whole else added.type)
        if not whole:
            frame.hold(owner, added)
    elif orders and key is not None and not frame.derived(func.value):
        frame.use(orders, f"is appended to `{label}`", "medium")


def _container(target: ir.Expr) -> ir.Expr | None:
    """The container of lists in `groups[key]` and `groups.setdefault(key, [])`."""
    if isinstance(target, ir.Item):
        return target.value
    if isinstance(target, ir.Call) and isinstance(target.func, ir.Attr) and target.func.name == "setdefault":
        return target.func.value
    return None


def _holder(
    frame: Frame,
    target: ir.Expr,
    container: ir.Expr | None,
    receiver: Value,
    orders: frozenset[Origin],
    apart: frozenset[Origin],
) -> Value | None:
    """The object that takes the order over: the list itself, or the container that the list is an item of."""
    if receiver.obj is not None and receiver.form == "seq" and not isinstance(target, ir.Call):
        return receiver
    if container is not None:
        base = frame.peek(container)
        if base.obj is not None and base.form in ("map", "seq") and orders:
            loops = through(
                frame.loop_orders(base.depth) - apart, f"feeds the loop that appends to `{shown(container)}[…]`"
            )
            item = Value("seq", UNKNOWN, loops | orders, frame.place((-4, base.obj[2][0])))
            frame.store.items[base.obj] = merge(frame.store.items.get(base.obj, item), item)
            return Value("seq")
    key = key_of(target)
    attribute = frame.attribute(key) if key is not None else ""
    if attribute and key is not None and receiver.form == "plain":
        made = frame.make("seq", target.span)
        frame.bind(key, made)
        if frame.owner is not None:
            frame.owner.read.add(attribute)  # made by a base class, which may well sort it
        return made
    return None


def _setdefault(frame: Frame, receiver: Value, values: list[Value]) -> Value:
    if len(values) == 2:
        if values[1].form == "index":
            frame.use(values[1], "is numbered one after the other")
        frame.hold(receiver, values[1])
        item = frame.item(receiver)
        return item if item is not None else replace(values[1], depth=receiver.depth)
    return PLAIN


def _of_container(frame: Frame, expr: ir.Call, name: str, receiver: Value) -> Value | None:
    """Methods of lists and dictionaries."""
    if name == "sort" and receiver.form != "tensor":
        frame.settle(receiver)
        return PLAIN
    if receiver.form == "map" or name in ("keys", "values", "items"):
        return _of_map(frame, expr, name, receiver)
    if receiver.form != "seq":
        return None
    for arg in expr.args:
        frame.eval(arg.value)
    if name in ("pop", "popleft") and frame.popping(expr.func):
        return Value("scalar", frame.kind(receiver))
    if name in ("pop", "popleft") and frame.item(receiver) is None:
        frame.use(receiver, "is taken from one end by `pop`")
    elif name == "index":
        return Value("index", INT, through(frame.orders(receiver), "gives elements their position with `index`"))
    elif name not in ("copy", "reverse", "count", "remove", "clear", "close", "__len__"):
        return None
    return receiver if name == "copy" else PLAIN


def _of_map(frame: Frame, expr: ir.Call, name: str, receiver: Value) -> Value | None:
    item = frame.item(receiver)
    if name == "keys":
        return Value("keys", frame.kind(receiver) if receiver.form == "map" else UNKNOWN, frame.orders(receiver))
    if receiver.form != "map":
        return None
    for arg in expr.args:
        frame.eval(arg.value)
    if name == "values":
        return Value("seq", UNKNOWN, frame.orders(receiver), None, item)
    if name == "items":
        key = Value("scalar", frame.kind(receiver))
        pair = Value("seq", parts=(key, item if item is not None else PLAIN))
        return Value("seq", UNKNOWN, frame.orders(receiver), None, pair)
    if name in ("get", "pop"):
        return item if item is not None else PLAIN
    return receiver if name == "copy" else None


def _of_scalar(frame: Frame, expr: ir.Call, name: str, receiver: Value) -> Value | None:
    """Methods of texts, paths, tensors and modules, by name where the receiver is unknown."""
    if name == "join" and len(expr.args) == 1 and receiver.form != "path":
        value = _joined(frame, expr.args[0].value)
        origins = walk_through(frame, value, expr.span, expr.args[0].value.span)
        return Value("text", STR, through(origins, "is joined into a text")) if origins else TEXT
    known = _as_numbers(frame, expr, receiver) if name == "astype" else _by_name(frame, name, receiver)
    if known is None:
        return None
    shown_in = frozenset[Origin]().union(*(frame.visible(frame.eval(arg.value)) for arg in expr.args))
    if name in tables.CONVERTS and known is TEXT and shown_in:
        return Value("text", STR, shown_in)
    return known


def _as_numbers(frame: Frame, expr: ir.Call, receiver: Value) -> Value | None:
    """`array.astype(np.int64)`: an array of numbers, whatever it was."""
    kind = expr.args[0].value if expr.args else None
    if kind is None:
        return None
    said = kind.value if isinstance(kind, ir.Const) else frame.dotted(kind)
    if not isinstance(said, str) or tables.NUMERIC.fullmatch(said) is None:
        return None
    return replace(receiver, type=INT) if frame.visible(receiver) else Value("tensor", INT)


def _joined(frame: Frame, expr: ir.Expr) -> Value:
    """What is joined; that it is cut short (`", ".join(names[:3])`) matters only if the text does."""
    if isinstance(expr, ir.Item) and isinstance(expr.key, ir.Slice):
        with frame.hushed():
            return frame.eval(expr)
    return frame.eval(expr)


def _by_name(frame: Frame, name: str, receiver: Value) -> Value | None:
    if receiver.form == "path" and name in tables.PATH_METHODS:
        return PATH
    if name == "open":
        return Value("file", STR, depth=len(frame.loops))
    if receiver.form == "text" and name in tables.TEXT_METHODS | {"replace", "encode"}:
        return receiver
    if name in tables.TEXT_METHODS or (name == "replace" and receiver.type == STR):
        return TEXT
    if name in tables.TEXT_LISTS:
        return Value("seq", STR, frame.visible(receiver) if receiver.form == "text" else frozenset())
    if name in tables.NUMBER_METHODS:
        return NUMBER
    if name in tables.INDEX_METHODS:
        return Value("tensor", INT)
    if name in tables.PARAMETERS:
        return Value("seq", OBJECT)
    if name in tables.NAMED:
        return Value("seq", STR, item=Value("seq", parts=(TEXT, Value("scalar", OBJECT))))
    if name == "data_ptr":
        return Value("scalar", OBJECT)
    if receiver.form == "tensor":
        return Value("seq", INT) if name == "tolist" else receiver
    return elements(frame, receiver, frozenset()) if name == "__next__" else None

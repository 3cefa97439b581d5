"""Calls: what makes an order arbitrary, what keeps it, what repairs it, what depends on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from torchdet_lint import ir
from torchdet_lint.analysis.ordering import finishing, tables, tabular
from torchdet_lint.analysis.ordering.frame import Frame, key_of, shown
from torchdet_lint.analysis.ordering.iteration import elements, walk_through
from torchdet_lint.analysis.ordering.methods import method
from torchdet_lint.analysis.ordering.passing import idle_call, project_call
from torchdet_lint.analysis.ordering.sets import element_type, new_set
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
    Origin,
    Value,
    join_all,
)
from torchdet_lint.project.modules import Definition

ENCODER = "encoder"
"""The type of the values that `tables.ENCODERS` make."""


def call(frame: Frame, expr: ir.Call) -> Value:
    """The value of a call; the lists that work started by it adds to are in the order in which that work finishes."""
    dotted = frame.dotted(expr.func)
    shared = list(finishing.shared_lists(frame, expr, dotted))
    for value, origin in shared:
        frame.untaint(value, origin)  # handing the list over, in the next turn of a loop, is no use of its order
    result = _call(frame, expr, dotted)
    for value, origin in shared:
        frame.taint(value, (origin,))
    return result


def _call(frame: Frame, expr: ir.Call, dotted: str | None) -> Value:
    if dotted is not None:
        found = _known(frame, expr, dotted)
        if found is not None:
            return found
    symbol = frame.symbol(expr.func)
    if isinstance(symbol, Definition) and frame.ordering.is_idle(symbol):
        return idle_call(frame, expr)
    if isinstance(expr.func, ir.Attr):
        found = method(frame, expr, expr.func, dotted)
        if found is not None:
            return found
    if (found := finishing.unordered_generator(frame, expr)) is not None:
        return found
    if (found := finishing.out_of_order(frame, expr, dotted)) is not None:
        return found
    target = frame.ordering.resolve(frame, expr.func)
    if target is not None:
        return project_call(frame, expr, target)
    if isinstance(expr.func, ir.Call | ir.Item):
        frame.eval(expr.func)
    return _out_of_sight(frame, expr, dotted or key_of(expr.func) or _last(expr.func))


def _last(func: ir.Expr) -> str:
    return func.name if isinstance(func, ir.Attr) else _last(func.func) if isinstance(func, ir.Call) else ""


def _known(frame: Frame, expr: ir.Call, dotted: str) -> Value | None:
    listed = frame.ordering.lists(dotted)
    if listed is not None and listed.kind == finishing.COMPLETION:
        _args(frame, expr)
        return frame.make("seq", expr.span, UNKNOWN, {finishing.origin_of(frame, expr.span, listed.api)})
    if listed is not None:
        return _listing(frame, expr, dotted, listed.api)
    if frame.ordering.sets(dotted) is not None:
        _args(frame, expr)
        return new_set(frame, expr.span, UNKNOWN, f"{shown(expr.func)}(...)")
    handler = _HANDLERS.get(dotted)
    if handler is not None:
        return handler(frame, expr)
    if dotted in tabular.BUILDERS and (built := tabular.table(frame, expr)) is not None:
        return built
    if dotted in tables.SEQUENCES:
        return _sequence(frame, expr)
    if dotted in tables.DICTS:
        return _dict(frame, expr)
    if tables.sorts(dotted):
        return _sorted(frame, expr)
    if dotted in tables.PRINTS:
        return _print(frame, expr)
    if dotted in tables.COUNTS or dotted in tables.NUMBERS:
        _args(frame, expr)
        return NUMBER
    if dotted in tables.PATHS:
        _args(frame, expr)
        return PATH
    if dotted in tables.TEXTS or dotted.startswith(("os.path.", "posixpath.")):
        _args(frame, expr)
        return TEXT
    return None


def _args(frame: Frame, expr: ir.Call) -> list[Value]:
    return [frame.eval(arg.value) for arg in expr.args]


def _listing(frame: Frame, expr: ir.Call, dotted: str, api: str) -> Value:
    _args(frame, expr)
    last = dotted.rsplit(".", 1)[-1]
    first = expr.args[0].value if expr.args else None
    if (
        "glob" in last
        and isinstance(first, ir.Const)
        and isinstance(first.value, str)
        and not set("*?[") & set(first.value)
    ):
        return frame.make("seq", expr.span, STR)
    fixable = last not in ("walk", "scandir")
    origin = Origin("listing", frame.place(expr.span), api, STR, fix=expr.span if fixable else None)
    return frame.make("walk" if last == "walk" else "seq", expr.span, OBJECT if last == "scandir" else STR, {origin})


def _set(frame: Frame, expr: ir.Call) -> Value:
    values = _args(frame, expr)
    name = shown(expr.func)
    if not values and name.endswith("frozenset"):
        return PLAIN  # empty for good
    kind = element_type(frame, values[0]) if values else NONE
    if kind == UNKNOWN and tables.INDICES.search(ir.last_name(expr.args[0].value)):
        kind = INT
    return new_set(frame, expr.span, kind, f"{name}(...)")


def _sequence(frame: Frame, expr: ir.Call) -> Value:
    """`list(x)`, `chain(a, b)`, `tqdm(x)`: the elements of what is given, in that order."""
    origins: frozenset[Origin] = frozenset()
    item: Value | None = None
    kinds: list[str] = []
    for arg in expr.args:
        value = frame.eval(arg.value)
        if arg.star == "=" and arg.name not in ("iterable", "sequence"):
            continue
        origins |= walk_through(frame, value, expr.span, arg.value.span)
        if arg.star == "*" or "chain" in shown(expr.func):
            inner = frame.item(value)
            origins |= walk_through(frame, inner, expr.span, arg.value.span) if inner is not None else frozenset()
        else:
            item = item or frame.item(value)
        kinds.append(frame.kind(value) if value.form in ("seq", "set", "map", "keys", "tensor") else UNKNOWN)
        if value.form == "walk":
            return replace(value, form="seq", item=elements(frame, value, origins))
    return frame.make("seq", expr.span, join_all(kinds), origins, item=item)


def _copied(frame: Frame, expr: ir.Call) -> Value:
    """`copy.copy(x)`, `copy.deepcopy(x)`: of a set a set, of a dictionary a dictionary, whose order does not show."""
    values = _args(frame, expr)
    return values[0] if values and values[0].form in ("set", "map") else _sequence(frame, expr)


def _sorted(frame: Frame, expr: ir.Call) -> Value:
    values = _args(frame, expr)
    if not values:
        return PLAIN
    value = values[0]
    item = elements(frame, value, frozenset()) if value.form == "walk" else frame.item(value)
    kind = frame.kind(value) if value.form in ("seq", "set", "keys") else element_type(frame, value)
    return frame.make("seq", expr.span, kind, item=item if item is not None and item.form == "seq" else None)


def _enumerate(frame: Frame, expr: ir.Call) -> Value:
    values = _args(frame, expr)
    if not values or expr.args[0].star:
        return PLAIN
    origins = walk_through(frame, values[0], expr.span, expr.args[0].value.span)
    element = elements(frame, values[0], origins)
    return frame.make("seq", expr.span, UNKNOWN, origins, item=Value("seq", parts=(_index(origins), element)))


def _index(origins: frozenset[Origin]) -> Value:
    return Value("index", INT, origins) if origins else NUMBER


def _zip(frame: Frame, expr: ir.Call) -> Value:
    values = _args(frame, expr)
    if any(arg.star == "*" for arg in expr.args):
        return PLAIN
    pairs = [
        (arg, value, walk_through(frame, value, expr.span, arg.value.span))
        for arg, value in zip(expr.args, values, strict=True)
        if not arg.star
    ]
    origins = frozenset[Origin]().union(*(found for _, _, found in pairs))
    parts: list[Value] = []
    for arg, value, found in pairs:
        counted = isinstance(arg.value, ir.Call) and frame.dotted(arg.value.func) in _COUNTED
        parts.append(_index(origins) if counted else elements(frame, value, found))
        independent = value.form in ("param", "seq") and not value.parts and not counted
        if origins and found != origins and (found or independent):
            frame.use(origins, "is paired with another sequence by `zip`", computed=True)
        elif not counted and _by_position(frame, value):
            finished = (origin for origin in origins if origin.kind == finishing.COMPLETION)
            frame.use(finished, "is paired with numbers by position", computed=True)
    return frame.make("seq", expr.span, UNKNOWN, origins, item=Value("seq", parts=tuple(parts)))


def _by_position(frame: Frame, value: Value) -> bool:
    """Whether the elements are numbers computed from positions: `[0.5**i for i in range(len(results))]`."""
    item = frame.item(value)
    return value.form == "seq" and item is not None and item.form == "index"


_COUNTED = ("builtins.range", "itertools.count")


def _map(frame: Frame, expr: ir.Call) -> Value:
    values = _args(frame, expr)
    origins: frozenset[Origin] = frozenset()
    for arg, value in zip(expr.args[1:], values[1:], strict=True):
        origins |= walk_through(frame, value, expr.span, arg.value.span)
    kind = UNKNOWN
    if expr.args:
        mapper = frame.dotted(expr.args[0].value) or ""
        kind = INT if mapper in tables.NUMBERS else STR if mapper == "builtins.str" else UNKNOWN
    return frame.make("seq", expr.span, kind, origins)


def _filter(frame: Frame, expr: ir.Call) -> Value:
    values = _args(frame, expr)
    if len(values) < 2:
        return PLAIN
    origins = walk_through(frame, values[1], expr.span, expr.args[1].value.span)
    return frame.make("seq", expr.span, frame.kind(values[1]), origins, item=frame.item(values[1]))


def _first(frame: Frame, expr: ir.Call) -> Value:
    """`fnmatch.filter(names, pattern)`: some of the elements of the first argument."""
    return _sequence(frame, expr._replace(args=expr.args[:1]))


def _position(frame: Frame, expr: ir.Call) -> Value:
    """The position of an element; harmless as long as it only finds that element, or what belongs to it, again."""
    values = _args(frame, expr)
    return _index(frame.visible(values[0])) if values else NUMBER


def _tee(frame: Frame, expr: ir.Call) -> Value:
    return Value("seq", item=_first(frame, expr))


def _next(frame: Frame, expr: ir.Call) -> Value:
    values = _args(frame, expr)
    if not values:
        return PLAIN
    origins = walk_through(frame, values[0], expr.span, expr.args[0].value.span)
    if values[0].form != "walk":
        frame.use((replace(origin, fix=None) for origin in origins), "gives its first element to `next`")
    return elements(frame, values[0], origins)


def _islice(frame: Frame, expr: ir.Call) -> Value:
    made = _first(frame, expr)
    frame.use(made, "is split by slicing")
    return made


def _len(frame: Frame, expr: ir.Call) -> Value:
    """A length; inside a loop that adds to the container it is numbered one."""
    if len(expr.args) != 1:
        return NUMBER
    counted = expr.args[0].value
    value = frame.peek(counted)
    key = key_of(counted)
    growing = [loop.origins for loop in frame.loops if loop.origins and key is not None and key in loop.grown]
    if growing:
        return Value("index", INT, frozenset[Origin]().union(*growing))
    return Value("scalar", INT, obj=value.obj)


def _range(frame: Frame, expr: ir.Call) -> Value:
    """Numbers; `range(len(x))` walks through x by position."""
    values = _args(frame, expr)
    bound = expr.args[0].value if len(expr.args) == 1 else None
    made = frame.make("seq", expr.span, INT)
    if isinstance(bound, ir.Call) and frame.dotted(bound.func) == "builtins.len" and len(bound.args) == 1:
        walked = frame.peek(bound.args[0].value)
        if walked.form == "seq" and (orders := frame.orders(walked)):
            return replace(made, origins=orders, item=Value("index", INT, orders, walked.obj))
    if any(value.form == "index" for value in values):
        return PLAIN
    return made


def _dict(frame: Frame, expr: ir.Call) -> Value:
    origins: frozenset[Origin] = frozenset()
    item: Value | None = None
    kind = NONE if not expr.args else UNKNOWN
    for arg in expr.args:
        value = frame.eval(arg.value)
        element = frame.item(value)
        if isinstance(arg.value, ir.Name) and frame.dotted(arg.value) in tables.SETS:
            item = new_set(frame, expr.span, NONE, "set()")
        elif value.form == "map":
            item = element
        for part in element.parts if element is not None else ():
            if part.form == "index":
                frame.use(part, "is numbered one after the other")
        if not arg.star:
            origins |= walk_through(frame, value, expr.span, arg.value.span)
    return frame.make("map", expr.span, kind, origins, item=item)


def _fromkeys(frame: Frame, expr: ir.Call) -> Value:
    values = _args(frame, expr)
    if not values:
        return PLAIN
    origins = walk_through(frame, values[0], expr.span, expr.args[0].value.span)
    return frame.make("map", expr.span, element_type(frame, values[0]), origins)


def _str(frame: Frame, expr: ir.Call) -> Value:
    values = _args(frame, expr)
    origins = frame.visible(values[0]) if values else frozenset[Origin]()
    return Value("text", STR, origins) if origins else TEXT


def _print(frame: Frame, expr: ir.Call) -> Value:
    """Printing minds no order, unless it goes to a file that a loop writes to."""
    with frame.printed():
        values = _args(frame, expr)
    for arg, value in zip(expr.args, values, strict=True):
        if arg.name == "file" and value.form == "file":
            frame.use(frame.loop_orders(value.depth), "feeds the loop that writes to a file")
    return PLAIN


def _sum(frame: Frame, expr: ir.Call) -> Value:
    values = _args(frame, expr)
    held = frame.item(values[0]) if len(values) == 2 else None
    return frame.make("seq", expr.span, UNKNOWN, frame.visible(held)) if held is not None else NUMBER


def _extreme(frame: Frame, expr: ir.Call) -> Value:
    values = _args(frame, expr)
    return Value("scalar", element_type(frame, values[0])) if len(expr.args) == 1 and values else PLAIN


def _object(frame: Frame, expr: ir.Call) -> Value:
    _args(frame, expr)
    return Value("scalar", OBJECT)


def _open(frame: Frame, expr: ir.Call) -> Value:
    _args(frame, expr)
    return frame.make("file", expr.span, STR)


def _out_of_sight(frame: Frame, expr: ir.Call, name: str) -> Value:
    """A callable that is not in sight: it may mind the order of what it gets, unless its name says otherwise."""
    if name.rsplit(".", 1)[-1] in tables.SEQUENCE_NAMES and expr.args:
        return _sequence(frame, expr)
    if tables.sorts(name):
        return _sorted(frame, expr)
    harmless = tables.harmless(name) or _encodes(frame, expr)
    optimizer = name.startswith("torch.optim.")
    for arg in expr.args:
        value = frame.eval(arg.value)
        if value.form == "set":
            frame.grow(value, UNKNOWN)
        if harmless or arg.name in tables.HARMLESS_KEYWORDS:
            continue
        if optimizer:  # it makes a list of whatever it gets (torch/optim/optimizer.py@2.13.0)
            walked = walk_through(frame, value, arg.value.span, arg.value.span) if value.form == "set" else value
            frame.use(walked, "is the order of the optimizer's parameters")
        elif arg.star == "*":
            frame.use(
                walk_through(frame, value, arg.value.span, arg.value.span), f"is spread into `{name}(...)`", "medium"
            )
        else:
            frame.use(value, f"reaches `{name or 'a call'}(...)`", "medium")
    if frame.loop_orders() and tables.random_draw(name):
        frame.use(frame.loop_orders(), "feeds the loop that draws random numbers", "medium")
    return _result(frame, expr, name)


def _encodes(frame: Frame, expr: ir.Call) -> bool:
    """`LabelEncoder().fit(x)`, also by the name of the encoder."""
    if not isinstance(expr.func, ir.Attr) or expr.func.name != "fit":
        return False
    made = expr.func.value
    if isinstance(made, ir.Call):
        return frame.dotted(made.func) in tables.ENCODERS
    return frame.peek(made).type == ENCODER


def _result(frame: Frame, expr: ir.Call, name: str) -> Value:
    last = name.rsplit(".", 1)[-1]
    if name in tables.ENCODERS:
        return Value("plain", ENCODER)
    if (
        name.startswith("torch.")
        and last.islower()
        and not name.startswith(("torch.nn.", "torch.utils.", "torch.load"))
    ):
        return Value("tensor", OBJECT)
    if name in tables.INDEX_FUNCTIONS or (name == "numpy.where" and len(expr.args) == 1):
        return Value("tensor", INT)
    if name.startswith(("numpy.arange", "numpy.random.", "numpy.linspace", "numpy.zeros", "numpy.ones")):
        return Value("tensor", INT)
    return PLAIN


_HANDLERS: dict[str, Callable[[Frame, ir.Call], Value]] = {
    "builtins.set": _set,
    "builtins.frozenset": _set,
    "builtins.enumerate": _enumerate,
    "builtins.zip": _zip,
    "builtins.map": _map,
    "builtins.filter": _filter,
    "builtins.next": _next,
    "builtins.len": _len,
    "builtins.range": _range,
    "builtins.str": _str,
    "copy.copy": _copied,
    "copy.deepcopy": _copied,
    "builtins.sum": _sum,
    "builtins.max": _extreme,
    "builtins.min": _extreme,
    "builtins.type": _object,
    "builtins.id": _object,
    "builtins.object": _object,
    "builtins.open": _open,
    "io.open": _open,
    "gzip.open": _open,
    "codecs.open": _open,
    "csv.writer": _open,
    "csv.DictWriter": _open,
    "numpy.argmax": _position,
    "numpy.argmin": _position,
    "itertools.islice": _islice,
    "itertools.tee": _tee,
    "itertools.filterfalse": _filter,
    "fnmatch.filter": _first,
    "builtins.dict.fromkeys": _fromkeys,
}

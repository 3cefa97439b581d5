"""Orders in which parallel work finishes: calls that hand results over that way, and lists that several threads add to."""

from __future__ import annotations

from collections.abc import Iterator

from torchdet_lint import ir
from torchdet_lint.analysis.ordering.frame import Frame, key_of, shown
from torchdet_lint.analysis.ordering.passing import Target
from torchdet_lint.analysis.ordering.tables import GROWS
from torchdet_lint.analysis.ordering.values import OBJECT, UNKNOWN, Origin, Value
from torchdet_lint.project.modules import Definition
from torchdet_lint.project.names import flat, target_names

COMPLETION = "completion"
"""The kind of these origins."""

UNORDERED_METHODS = frozenset("imap_unordered map_unordered uimap amap_unordered starmap_unordered".split())
"""Methods of pools of any library: `multiprocessing`, `ray.util`, pathos, gevent. The receiver is hardly ever known."""

TAKING_METHODS = frozenset({"get_next_unordered"})
TAKING_CALLS = frozenset({"ray.wait"})
"""Calls that give what has finished by now; the loop around them runs in that order."""

STARTS = frozenset("submit map imap starmap apply_async map_async add_done_callback".split())
MAPS = frozenset("map imap starmap map_async".split())
THREADS = frozenset(
    {"threading.Thread", "multiprocessing.dummy.Process", "multiprocessing.Process", "torch.multiprocessing.Process"}
)
"""Processes add to the list of a manager."""
SHARED = "threads"
"""What `Origin.api` says of a list that threads add to."""


def origin_of(frame: Frame, span: ir.Span, api: str, via: str = "") -> Origin:
    return Origin(COMPLETION, frame.place(span), api, OBJECT, via=via)


def unordered_method(frame: Frame, expr: ir.Call, func: ir.Attr) -> Value | None:
    """`pool.imap_unordered(f, items)`"""
    if func.name not in UNORDERED_METHODS:
        return None
    for arg in expr.args:
        frame.eval(arg.value)
    return frame.make("seq", expr.span, UNKNOWN, {origin_of(frame, expr.span, func.name)})


IN_ORDER = frozenset(
    f"{module}.{name}"
    for module, names in {
        "torch.utils.data": ("DataLoader",),
        "torchdata.stateful_dataloader": ("StatefulDataLoader",),
        "torchdata.nodes": ("ParallelMapper",),
    }.items()
    for name in names
)
"""What takes `in_order=False` (torch/utils/data/dataloader.py@2.13.0, torchdata/nodes/map.py@0.11.0)."""


def out_of_order(frame: Frame, expr: ir.Call, dotted: str | None) -> Value | None:
    """`DataLoader(data, num_workers=2, in_order=False)`"""
    if dotted not in IN_ORDER:
        return None
    given = {arg.name: arg.value for arg in expr.args if arg.star == "="}
    order, workers = given.get("in_order"), given.get("num_workers")
    if not (isinstance(order, ir.Const) and order.value is False):
        return None
    if isinstance(workers, ir.Const) and workers.value in (0, 1):
        return None
    for arg in expr.args:
        frame.eval(arg.value)
    return frame.make("seq", expr.span, UNKNOWN, {origin_of(frame, expr.span, ir.last_name(expr.func))})


def unordered_generator(frame: Frame, expr: ir.Call) -> Value | None:
    """`Parallel(return_as="generator_unordered")(jobs)` of joblib."""
    made = expr.func
    if not isinstance(made, ir.Call) or frame.dotted(made.func) != "joblib.Parallel":
        return None
    for arg in made.args:
        if arg.name == "return_as" and isinstance(arg.value, ir.Const) and arg.value.value == "generator_unordered":
            return frame.make("seq", expr.span, UNKNOWN, {origin_of(frame, expr.span, "joblib.Parallel")})
    return None


def taken(frame: Frame, body: ir.Body) -> tuple[frozenset[Origin], set[str]]:
    """Of a `while` loop that asks what has finished by now: its order, and the names that hold what it is told."""
    origins: set[Origin] = set()
    names: set[str] = set()
    for statement in flat(body):
        if not isinstance(statement, ir.Assign | ir.Do) or statement.value is None:
            continue
        for node in _calls(statement.value):
            if _takes(frame, node):
                origins.add(origin_of(frame, node.span, shown(node.func)))
                targets = statement.targets if isinstance(statement, ir.Assign) else ()
                names.update(name for target in targets for name in target_names(target))
    return frozenset(origins), names


def _takes(frame: Frame, call: ir.Call) -> bool:
    if isinstance(call.func, ir.Attr) and call.func.name in TAKING_METHODS:
        return True
    return frame.dotted(call.func) in TAKING_CALLS


def _calls(node: object) -> Iterator[ir.Call]:
    if isinstance(node, ir.Call):
        yield node
    if isinstance(node, tuple) and not isinstance(node, ir.Lambda):
        for part in node:
            if isinstance(part, tuple):
                yield from _calls(part)


def shared_lists(frame: Frame, expr: ir.Call, dotted: str | None) -> Iterator[tuple[Value, Origin]]:
    """The lists that work which the call hands to several threads adds to, in the order in which the threads get there."""
    name = expr.func.name if isinstance(expr.func, ir.Attr) else ""
    if dotted not in THREADS and name not in STARTS:
        return
    if name in MAPS and not _is_pool(expr.func):
        return  # what maps in this process keeps the order
    if not frame.loops and name not in MAPS:
        return  # one thread adds in its own order
    for job, handed in _jobs(expr, name):
        for shared in _added_to(frame, job, handed):
            value = _global_list(frame, shared) or frame.peek(shared)
            if value.form == "seq" and value.obj is not None:
                via = f"is that of the list `{shown(shared)}`, which all of them append to"
                yield value, origin_of(frame, expr.span, SHARED, via)


def _is_pool(func: ir.Expr) -> bool:
    """Whether a method belongs to a pool, as far as the name of its owner tells."""
    owner = (key_of(func.value) or "").rpartition(".")[2].lower() if isinstance(func, ir.Attr) else ""
    return owner in ("ex", "p", "tp", "tpe") or "pool" in owner or "exec" in owner


def _global_list(frame: Frame, shared: ir.Expr) -> Value | None:
    """A list that the file makes at its top level; from here on this function knows it as an object."""
    if not isinstance(shared, ir.Name) or frame.lookup(shared.id) is not None:
        return None
    symbol = frame.symbol(shared)
    if not isinstance(symbol, Definition) or symbol.path != frame.path:
        return None
    for unit in symbol.units:
        for statement in frame.ordering.project.body(symbol.path, unit):
            if isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Sequence):
                made = frame.make("seq", shared.span)
                frame.bind(shared.id, made)
                return made
    return None


def _jobs(expr: ir.Call, name: str) -> Iterator[tuple[ir.Expr, tuple[ir.Expr, ...]]]:
    """The callables that a call starts, or that are called back, with the arguments that they get from it."""
    plain = tuple(arg.value for arg in expr.args if arg.star == "")
    named = {arg.name: arg.value for arg in expr.args if arg.star == "="}
    packed = named.get("args", plain[1] if name == "apply_async" and len(plain) > 1 else None)
    handed = plain[1:] if name == "submit" else _items(packed) if packed is not None else ()
    if name in STARTS and plain:
        yield plain[0], () if name in MAPS else handed
    for key in ("target", "func", "fn", "callback"):
        if key in named:
            yield named[key], () if key == "callback" else handed


def _items(expr: ir.Expr) -> tuple[ir.Expr, ...]:
    return expr.items if isinstance(expr, ir.Sequence) else ()


def _added_to(frame: Frame, job: ir.Expr, handed: tuple[ir.Expr, ...]) -> Iterator[ir.Expr]:
    """The lists that a job appends to, as this frame knows them."""
    if isinstance(job, ir.Attr) and job.name in GROWS:
        yield job.value
    elif isinstance(job, ir.Lambda):
        for call in _calls(job.body):
            if _grows(call) and isinstance(call.func, ir.Attr):
                yield call.func.value
    elif (target := _target(frame, job)) is not None and isinstance(target.definition, ir.Function):
        yield from _of_function(frame, target.definition, handed)


def _of_function(frame: Frame, function: ir.Function, handed: tuple[ir.Expr, ...]) -> Iterator[ir.Expr]:
    params = [param.name for param in function.params]
    own_object = bool(params) and params[0] == frame.self_name
    given = dict(zip(params[1:] if own_object else params, handed, strict=False))
    for call in _calls(function.body):
        if not _grows(call) or not isinstance(call.func, ir.Attr):
            continue
        key = key_of(call.func.value) or ""
        first = key.split(".", 1)[0]
        if key in given:
            yield given[key]
        elif (first not in params and not _makes(function, first)) or (own_object and first == params[0]):
            yield call.func.value


def _makes(function: ir.Function, name: str) -> bool:
    """Whether a list is the function's own: it makes one under this name."""
    if any(isinstance(each, ir.Scope) and name in each.names for each in flat(function.body)):
        return False
    made = (each for each in flat(function.body) if isinstance(each, ir.Assign) and _is_new_list(each.value))
    return any(name in target_names(target) for each in made for target in each.targets)


def _is_new_list(value: ir.Expr | None) -> bool:
    return isinstance(value, ir.Sequence) or (
        isinstance(value, ir.Call) and isinstance(value.func, ir.Name) and value.func.id in ("list", "deque")
    )


def _grows(call: ir.Call) -> bool:
    return isinstance(call.func, ir.Attr) and call.func.name in GROWS


def _target(frame: Frame, job: ir.Expr) -> Target | None:
    """The project's function that is handed over: by its name, or a method of the object around."""
    owner = frame.owner
    if owner is not None and isinstance(job, ir.Attr) and key_of(job.value) == frame.self_name:
        found = owner.methods.get(job.name)
        return Target(found.path, found.unit, found.function) if found is not None else None
    return frame.ordering.resolve(frame, job)

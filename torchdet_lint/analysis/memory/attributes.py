"""Memory that a class keeps in attributes of `self`: which method finds it unwritten, whatever was called before."""

from __future__ import annotations

from dataclasses import dataclass

from torchdet_lint import ir
from torchdet_lint.analysis.memory.classes import ClassInfo, subclasses
from torchdet_lint.analysis.memory.frame import Analysis, Frame, escape
from torchdet_lint.analysis.memory.inline import enter
from torchdet_lint.analysis.memory.statements import settle
from torchdet_lint.analysis.memory.values import DONE, NOTHING, Buffer, State, Status, reach


@dataclass(frozen=True, eq=False)
class Method:
    """A method as it runs on an instance of `info`; `home` is the class that defines it."""

    info: ClassInfo
    home: ClassInfo
    node: ir.Function


def run_class(analysis: Analysis, info: ClassInfo) -> None:
    """Runs `__init__`, then every method of the class and its relatives from what `__init__` leaves behind.

    A method that writes an attribute, on any path, may have run before all others, so the others find it written.
    Subclasses are looked for only where the class by itself reads what is unwritten.
    """
    created, committed = len(analysis.created), dict(analysis.committed)
    _run_family(analysis, info, [])
    if any(use.buffer in analysis.attributes for use in analysis.created[created:]):
        relatives = subclasses(analysis.project, info)
        if relatives:
            del analysis.created[created:]
            analysis.committed = committed
            _run_family(analysis, info, relatives)


def _run_family(analysis: Analysis, info: ClassInfo, relatives: list[ClassInfo]) -> None:
    methods = _methods(info, relatives)
    start = State()
    init = info.find("__init__")
    if init is not None:
        _run(analysis, Method(info, *init), start)
    for relative in relatives:
        _trust_constructor(analysis, relative, start)
    roots = [method for method in methods if method.node.name != "__init__"]
    called = {name for method in methods for name in _calls_on_self(method.node)}
    ends = _run_all(analysis, roots, start)
    for method, end in zip(roots, ends, strict=True):
        fresh = [value for name, value in end.fields.items() if value != start.fields.get(name, NOTHING)]
        kept = any(ref.buffer not in start.heap and not _done(end, ref.buffer) for v in fresh for ref in reach(v))
        if kept and method.node.name not in called:
            _run_all(analysis, [other for other in roots if other is not method], end)


def _trust_constructor(analysis: Analysis, relative: ClassInfo, start: State) -> None:
    """What the constructor of a subclass writes counts as written."""
    node = relative.own().get("__init__")
    if node is None:
        return
    state = State()
    _run(analysis, Method(relative, relative, node), state)
    for name, value in start.fields.items():
        if all(_done(state, ref.buffer) for ref in reach(state.fields.get(name, NOTHING))):
            start.heap.update((ref.buffer, DONE) for ref in reach(value))


def _methods(info: ClassInfo, relatives: list[ClassInfo]) -> list[Method]:
    """The methods of the class, of its bases where they are not overridden, and of its subclasses."""
    found: dict[str, Method] = {}
    for home in info.ancestors():
        for name, node in home.own().items():
            found.setdefault(name, Method(info, home, node))
    further = [Method(relative, relative, node) for relative in relatives for node in relative.own().values()]
    return [*found.values(), *further]


def _run_all(analysis: Analysis, methods: list[Method], start: State) -> list[State]:
    """Runs each method from `start` and returns where it ends.

    Where attributes hold unwritten memory, twice: first to see what each method writes, then for the reads, with what all
    other methods may have written.
    """
    created, committed = len(analysis.created), dict(analysis.committed)
    ends = [start.copy() for _ in methods]
    for method, end in zip(methods, ends, strict=True):
        _run(analysis, method, end)
    held = {ref.buffer for value in start.fields.values() for ref in reach(value) if not _done(start, ref.buffer)}
    if held:
        del analysis.created[created:]
        analysis.committed = committed
        left = [_left(end, held) for end in ends]
        for method, own in zip(methods, left, strict=True):
            state = start.copy()
            state.heap.update(_joined([other for other in left if other is not own], state.heap, held))
            _run(analysis, method, state)
    return ends


def _left(state: State, held: set[Buffer]) -> dict[Buffer, Status]:
    """How far a method has written the buffers; one that no attribute holds any more has been replaced."""
    kept = {ref.buffer for value in state.fields.values() for ref in reach(value)}
    return {buffer: state.heap.get(buffer, DONE) if buffer in kept else DONE for buffer in held}


def _joined(others: list[dict[Buffer, Status]], heap: dict[Buffer, Status], held: set[Buffer]) -> dict[Buffer, Status]:
    joined: dict[Buffer, Status] = {}
    for buffer in held:
        found = [heap.get(buffer, DONE), *(other[buffer] for other in others)]
        keys = tuple(dict.fromkeys(key for status in found for key in status.keys))
        joined[buffer] = DONE if any(status.done for status in found) else Status(keys)
    return joined


def _done(state: State, buffer: Buffer) -> bool:
    return state.heap.get(buffer, DONE).done


def _run(analysis: Analysis, method: Method, state: State) -> None:
    """Runs one method; what it reads on some path only, and writes as well, may be written by an earlier call."""
    node, home = method.node, method.home
    frame = Frame(analysis, home.path, home.unit, home.names.inside(node), object(), info=method.info)
    static = any(isinstance(mark, ir.Name) and mark.id == "staticmethod" for mark in node.decorators)
    frame.self_name = node.params[0].name if node.params and not static else ""
    marker = object()
    frame.enclosing = (marker,)
    before, created = dict(state.heap), len(analysis.created)
    result = enter(frame, state, node, {param.name: NOTHING for param in node.params})
    escape(frame, state, result)
    for buffer, status in state.heap.items():
        if buffer.grown or status.flight is not None:  # what happens between two methods is out of sight
            state.heap[buffer] = DONE
    settle(frame, marker, created, before, state.heap)


def _calls_on_self(node: ir.Function) -> set[str]:
    first = node.params[0].name if node.params else ""
    return set(_self_calls(node.body, first))


def is_name(expr: ir.Expr, name: str) -> bool:
    return isinstance(expr, ir.Name) and expr.id == name


def _self_calls(node: object, first: str) -> list[str]:
    if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and is_name(node.func.value, first):
        return [node.func.name, *_self_calls(node.args, first)]
    if isinstance(node, tuple):
        return [name for part in node if isinstance(part, tuple) for name in _self_calls(part, first)]
    return []

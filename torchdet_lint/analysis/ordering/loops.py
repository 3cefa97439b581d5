"""Loops over something in arbitrary order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torchdet_lint import ir
from torchdet_lint.analysis.ordering.finishing import taken
from torchdet_lint.analysis.ordering.frame import Frame, LoopContext, key_of
from torchdet_lint.analysis.ordering.iteration import assign, elements, walk_through
from torchdet_lint.analysis.ordering.tables import GROWS
from torchdet_lint.analysis.ordering.values import INT, NUMBER, Origin, Value, merge
from torchdet_lint.project.names import flat, target_names


def for_loop(frame: Frame, statement: ir.For) -> bool:
    source = frame.eval(statement.iter)
    origins = walk_through(frame, source, statement.iter.span, statement.iter.span)
    element = elements(frame, source, origins)
    if source.form == "walk" and (folders := _sorted_folders(statement)):
        origins = frozenset()
        frame.store.settled.update(part.obj for part in element.parts[1:2] if part.obj is not None and folders)
    if source.form == "walk" and _always_leaves(statement.body):
        origins = (
            frozenset()
        )  # a walk begins with the folder that it is given: `for root, folders, files in os.walk(d): …; break`
    _run(frame, statement.body, origins, statement.target, element)
    frame.execute(statement.orelse)
    return False


def while_loop(frame: Frame, statement: ir.While) -> bool:
    """`while todo: x = todo.pop()` walks through `todo`, `while todo: done, todo = ray.wait(todo)` through what finishes."""
    frame.eval(statement.test)
    key = key_of(statement.test)
    finishing, told = taken(frame, statement.body)
    for _ in range(2):
        value = frame.env.get(key) if key is not None else None
        origins = finishing
        if value is not None:
            origins |= walk_through(frame, value, statement.test.span, statement.test.span)
        _run(frame, statement.body, origins, None, NUMBER, popping=key or "", told=told)
    frame.execute(statement.orelse)
    return False


def _run(
    frame: Frame,
    body: ir.Body,
    origins: frozenset[Origin],
    target: ir.Expr | None,
    element: Value,
    *,
    popping: str = "",
    told: Iterable[str] = (),
) -> None:
    """The body twice, so that what the first round leaves behind reaches the second. `told` are names that hold an element."""
    before = dict(frame.env)
    derived = (set(target_names(target)) if target is not None else _popped(body, popping)).union(told)
    context = LoopContext(origins, derived, frozenset(_grown(body)) if origins else frozenset(), popping=popping)
    context.element = target.id if isinstance(target, ir.Name) else ""
    counters = set(_counters(body)) if origins else set()
    frame.loops.append(context)
    for _ in range(2):
        frame.env.update({counter: Value("index", INT, origins) for counter in counters})
        if target is not None:
            assign(frame, target, element)
        frame.execute(body)
        frame.env = {key: merge(value, before[key]) if key in before else value for key, value in frame.env.items()}
    frame.loops.pop()
    frame.env.update(dict.fromkeys(counters, NUMBER))
    if origins and body and _always_leaves(body):
        frame.use(origins, "decides which one is used")


def _always_leaves(body: ir.Body) -> bool:
    return any(isinstance(statement, ir.Jump) and statement.kind == "break" for statement in body)


def _popped(body: ir.Body, key: str) -> set[str]:
    """The names that take what `key.pop()` gives."""
    found: set[str] = set()
    for statement in flat(body) if key else ():
        if isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Call):
            taken = key_of(statement.value.func) in (f"{key}.pop", f"{key}.popleft")
            found.update(name for target in statement.targets for name in target_names(target) if taken)
    return found


def _counters(body: ir.Body) -> Iterator[str]:
    """Names that the body counts up: they number the elements."""
    for statement in flat(body):
        if isinstance(statement, ir.Augment) and statement.op in "+-" and isinstance(statement.value, ir.Const):
            key = key_of(statement.target)
            if key is not None and isinstance(statement.value.value, int):
                yield key


def _grown(body: ir.Body) -> Iterator[str]:
    """Containers that the body adds to."""
    for statement in flat(body):
        if isinstance(statement, ir.Assign):
            for target in statement.targets:
                if isinstance(target, ir.Item):
                    yield key_of(target.value) or ""
        elif isinstance(statement, ir.Do) and isinstance(statement.value, ir.Call):
            func = statement.value.func
            if isinstance(func, ir.Attr) and func.name in GROWS | {"setdefault", "add"}:
                yield key_of(func.value) or ""


def _sorted_folders(statement: ir.For) -> bool:
    """Whether the body of a loop over `os.walk` sorts the folders in place, which puts the walk itself in order."""
    target = statement.target
    if not isinstance(target, ir.Sequence) or len(target.items) < 2:
        return False
    folders = key_of(target.items[1])
    return folders is not None and any(_sorts(inner, folders) for inner in flat(statement.body))


def _sorts(statement: ir.Stmt, name: str) -> bool:
    """`name.sort()` or `name[:] = sorted(...)`"""
    if not isinstance(statement, ir.Do | ir.Assign) or not isinstance(statement.value, ir.Call):
        return False
    func = key_of(statement.value.func)
    if isinstance(statement, ir.Do):
        return func == f"{name}.sort"
    return func == "sorted" and any(isinstance(to, ir.Item) and key_of(to.value) == name for to in statement.targets)

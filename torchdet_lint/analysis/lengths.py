"""How many items lists and tuples have, where no later turn of a loop and no other code can change that.

Bodies of loops are evaluated once, so the items that a list has at some point say little about what `len` gives there. Sure
are a tuple of arguments, a list that is written as an argument (`net([latent])`: nobody else holds it), and what is built item
by item from one of these.
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdet_lint import ir
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.values import Box, Identity, Items, Value, usual
from torchdet_lint.project.names import flat, target_names

MUTATORS = frozenset("append appendleft extend insert pop popleft remove clear add update discard".split())


def length(m: Machine, f: Frame, expr: ir.Expr) -> int | None:
    """What `len(expr)` gives for a local name of a function, None where that is not sure."""
    if not isinstance(expr, ir.Name) or not isinstance(f.function, ir.Function) or expr.id not in f.env:
        return None
    value = f.narrowed.get(expr.id, f.env[expr.id])
    counts = {_count(m, option) for option in usual(value)}
    count = counts.pop() if len(counts) == 1 else None
    return count if count is not None and _is_settled(f, f.function.body, expr.id, value) else None


def fixed(m: Machine, expr: ir.Expr, value: Value) -> None:
    """Notes how long a list is that is written as an argument."""
    if not isinstance(expr, ir.Sequence) or any(isinstance(item, ir.Starred) for item in expr.items):
        return
    if isinstance(value, Box) and value.kind == "list":
        m.heap.cell(value.identity).length = len(expr.items)


def mapped(m: Machine, f: Frame, expr: ir.Comprehension) -> int | None:
    """How many items `[… for x in xs]` has."""
    plain = expr.kind == "list" and len(expr.loops) == 1 and not expr.loops[0].tests
    return length(m, f, expr.loops[0].iter) if plain else None


def growing(m: Machine, f: Frame, loop: ir.For) -> dict[Identity, int]:
    """The empty lists to which every turn of a loop adds one item, with how many they then have."""
    names = [name for name in _filled(loop) if name in f.env]
    count = length(m, f, loop.iter) if names else None
    if count is None:
        return {}
    boxes = [value for name in names if isinstance(value := f.env[name], Box) and value.kind == "list"]
    cells = {box.identity: m.heap.cell(box.identity) for box in boxes}
    return {at: count for at, cell in cells.items() if cell.items == [] and cell.element is None and not cell.open}


def _count(m: Machine, value: Value) -> int | None:
    if isinstance(value, Items):
        return len(value.items)
    return m.heap.cell(value.identity).length if isinstance(value, Box) and value.kind == "list" else None


def _is_settled(f: Frame, body: ir.Body, name: str, value: Value) -> bool:
    """Whether nothing in the function makes the list longer or shorter, under any name, and no loop binds the name anew."""
    mutated = list(_mutated(body))
    for loop in (statement for statement in flat(body) if isinstance(statement, ir.For | ir.While)):
        mutated += [each for statement in flat(loop.body) for each in _bound(statement) if each == name]
        filled = _filled(loop) if isinstance(loop, ir.For) else ()
        for each in filled:
            if mutated.count(each) == 1:
                mutated.remove(each)
    held = {option for option in usual(value) if isinstance(option, Box)}
    return name not in mutated and not any(held & set(usual(f.env.get(each))) for each in mutated)


def _filled(loop: ir.For) -> tuple[str, ...]:
    """The names of lists to which each turn of the loop appends once."""
    if any(isinstance(statement, ir.Jump | ir.Return) for statement in flat(loop.body)):
        return ()
    names = [
        node.value.func.value.id
        for node in loop.body
        if isinstance(node, ir.Do)
        and isinstance(node.value, ir.Call)
        and isinstance(node.value.func, ir.Attr)
        and node.value.func.name == "append"
        and isinstance(node.value.func.value, ir.Name)
    ]
    mentioned = [node.id for node in ir.nested(loop.body) if isinstance(node, ir.Name)]
    return tuple(name for name in names if mentioned.count(name) == 1)


def _mutated(body: ir.Body) -> Iterator[str]:
    """The names of which something changes in place, each as often as that stands there."""
    for node in ir.nested(body):
        changed: ir.Expr | None = None
        if isinstance(node, ir.Attr) and node.name in MUTATORS:
            changed = node.value
        elif isinstance(node, ir.Augment):
            changed = node.target
        elif isinstance(node, ir.Delete):
            yield from (target.value.id for target in node.targets if _is_part(target))  # type: ignore[attr-defined]
        elif isinstance(node, ir.Assign):
            slices = [target for target in node.targets if _is_part(target) and isinstance(target.key, ir.Slice)]  # type: ignore[attr-defined]
            yield from (target.value.id for target in slices)  # type: ignore[attr-defined]
        if isinstance(changed, ir.Name):
            yield changed.id


def _is_part(target: ir.Expr) -> bool:
    return isinstance(target, ir.Item) and isinstance(target.value, ir.Name)


def _bound(statement: ir.Stmt) -> Iterator[str]:
    """The names that a statement binds."""
    targets = (
        statement.targets
        if isinstance(statement, ir.Assign)
        else (statement.target,)
        if isinstance(statement, ir.For)
        else ()
    )
    for target in targets:
        yield from target_names(target)

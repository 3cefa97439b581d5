"""Where a call stands, and what a function binds to its names before that place."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple, TypeAlias

from torchdet_lint import ir
from torchdet_lint.project.names import blocks, flat, target_names

Path: TypeAlias = tuple[int, ...]
"""Which blocks a statement stands in, outermost first, each with a number of its own."""


class Place(NamedTuple):
    """A call, the functions around it and the class around the outermost of them."""

    call: ir.Call
    functions: tuple[ir.Function | ir.Lambda, ...]
    owner: ir.Class | None
    loops: tuple[ir.For | ir.While, ...]


def place_of(body: ir.Body, span: ir.Span) -> Place | None:
    """The call with this span in the statements of a unit."""
    todo: list[tuple[object, tuple[object, ...]]] = [(body, ())]
    while todo:
        node, above = todo.pop()
        if isinstance(node, ir.Call) and node.span == span:
            return _place(node, above)
        if isinstance(node, ir.Function | ir.Lambda | ir.Class | ir.For | ir.While):
            above = (*above, node)
        if isinstance(node, tuple):
            todo.extend((part, above) for part in node if isinstance(part, tuple))
    return None


def _place(call: ir.Call, above: tuple[object, ...]) -> Place:
    functions = tuple(node for node in above if isinstance(node, ir.Function | ir.Lambda))
    classes = [node for node in above if isinstance(node, ir.Class)]
    inner = max((above.index(node) for node in functions), default=-1)
    loops = tuple(node for node in above[inner + 1 :] if isinstance(node, ir.For | ir.While))
    return Place(call, functions, classes[-1] if classes else None, loops)


class Binding(NamedTuple):
    """That a name gets a value: the expression itself ("value"), a part of it ("part"), an element of it ("item"), or something
    out of sight ("other"). `end`: from where on it holds.
    """

    kind: str
    value: ir.Expr | None
    end: int
    path: Path
    part: int = 0


class Scope:
    """The bindings of one block of statements, without those of functions and classes inside of it."""

    def __init__(self, body: ir.Body) -> None:
        self.names: dict[str, list[Binding]] = {}
        self._starts: list[int] = []
        self._paths: list[Path] = []
        self._number = 0
        self._block(body, ())

    def reaching(self, name: str, position: int) -> tuple[Binding, ...]:
        """What the name may be bound to at a position: back to the last binding that lies on every way there."""
        at = bisect_right(self._starts, position) - 1
        here = self._paths[at] if at >= 0 else ()
        found: list[Binding] = []
        for binding in reversed(self.names.get(name, ())):
            if binding.end > position:
                continue
            found.append(binding)
            if here[: len(binding.path)] == binding.path:
                break
        return tuple(found)

    def _block(self, body: ir.Body, path: Path) -> None:
        for statement in body:
            self._starts.append(statement.span[0])
            self._paths.append(path)
            self._bind(statement, path)
            for block in blocks(statement):
                self._number += 1
                self._block(block, (*path, self._number))

    def _bind(self, statement: ir.Stmt, path: Path) -> None:
        if isinstance(statement, ir.Assign) and statement.value is not None:
            for target in statement.targets:
                self._target(target, "value", statement.value, statement.span[1], path)
        elif isinstance(statement, ir.Augment):
            value = ir.Binary(statement.op, statement.target, statement.value, statement.span)
            self._target(statement.target, "value", value, statement.span[1], path)
        elif isinstance(statement, ir.For):
            # The target is bound inside the body, which starts behind the header.
            self._target(statement.target, "item", statement.iter, statement.span[1], path)
        elif isinstance(statement, ir.With):
            for _, bound in statement.items:
                if bound is not None:
                    self._target(bound, "other", None, statement.span[1], path)

    def _target(self, target: ir.Expr, kind: str, value: ir.Expr | None, end: int, path: Path) -> None:
        if isinstance(target, ir.Name):
            self.names.setdefault(target.id, []).append(Binding(kind, value, end, path))
            return
        if not isinstance(target, ir.Sequence):
            return
        paired = isinstance(value, ir.Sequence) and kind == "value" and len(target.items) == len(value.items)
        if paired and isinstance(value, ir.Sequence):
            for part, inner in zip(target.items, value.items, strict=True):
                self._target(part, kind, inner, end, path)
        else:
            for index, part in enumerate(target.items):
                for name in target_names(part):
                    part_kind = "part" if kind == "value" else kind
                    self.names.setdefault(name, []).append(Binding(part_kind, value, end, path, index))


def attribute_values(owner: ir.Class, name: str) -> list[tuple[ir.Function, ir.Expr]]:
    """What the methods of a class assign to `self.name`, with the method."""
    found: list[tuple[ir.Function, ir.Expr]] = []
    for method in owner.body:
        if not isinstance(method, ir.Function):
            continue
        for statement in flat(method.body):
            if isinstance(statement, ir.Assign) and statement.value is not None:
                found += [
                    (method, statement.value)
                    for target in statement.targets
                    if isinstance(target, ir.Attr) and target.name == name and isinstance(target.value, ir.Name)
                ]
    return found

"""Variables that only ever become parts of names: of files, folders, runs. Random values in them reach no result."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdet_lint import ir
from torchdet_lint.analysis.machine import Frame, Machine

LABEL = re.compile(r"(?:^|[_.])(?:name|id|uid|uuid|prefix|suffix|tag|port|path|dir|folder|filename|file|color|colour)$")

PLACES = frozenset(
    "Path join mkdir makedirs exists open remove unlink rmtree SummaryWriter print info debug warning".split()
)
"""Functions that are given names of files, or text for people."""

DRAWS = frozenset("choice choices randint randrange sample getrandbits random token_hex rand uniform".split())


def is_label(text: str) -> bool:
    """Whether something called this is a name, a port, a place."""
    return LABEL.search(text) is not None


def names_something(m: Machine, f: Frame, target: ir.Expr, value: ir.Expr) -> bool:
    """Whether what is drawn in a value only becomes a part of names, or a variable of the environment that is no seed."""
    if isinstance(target, ir.Item):
        key = target.key.value if isinstance(target.key, ir.Const) else None
        return isinstance(target.value, ir.Attr) and target.value.name == "environ" and is_label(str(key).lower())
    if not isinstance(target, ir.Name) or not _draws(value):
        return False
    uses = [each for body in _bodies(m, f, target.id) for each in _uses(body, target.id, named=False)]
    return bool(uses) and all(uses)


def _draws(value: ir.Expr) -> bool:
    called = (node.func for node in ir.nested(value) if isinstance(node, ir.Call))
    return any((func.name if isinstance(func, ir.Attr) else getattr(func, "id", "")) in DRAWS for func in called)


def _bodies(m: Machine, f: Frame, name: str) -> Iterator[object]:
    """The code that sees the variable."""
    if isinstance(f.function, ir.Function):
        yield f.function.body
        return
    for unit in m.project.modules[f.path].source.units:
        if unit.kind not in ("import", "from"):  # words in f-strings are no words of the unit
            yield m.project.body(f.path, unit.index)


def _has_text(node: ir.Binary) -> bool:
    sides = (node.left, node.right)
    return any(isinstance(s, ir.Format) or (isinstance(s, ir.Const) and isinstance(s.value, str)) for s in sides)


def _uses(node: object, name: str, *, named: bool) -> Iterator[bool]:
    """For each time the variable is read, whether that is for a name."""
    if isinstance(node, ir.Name):
        if node.id == name:
            yield named
        return
    if isinstance(node, ir.Assign):
        yield from _uses(node.value, name, named=False)
        for target in node.targets:
            if not isinstance(target, ir.Name):
                yield from _uses(target, name, named=False)
        return
    if not isinstance(node, tuple):
        return
    if isinstance(node, ir.Format):
        named = named or any(isinstance(part, ir.Const) and "/" in str(part.value) for part in node.parts)
    elif isinstance(node, ir.Call):
        last = node.func.name if isinstance(node.func, ir.Attr) else getattr(node.func, "id", "")
        yield from _uses(node.func, name, named=False)
        for arg in node.args:
            yield from _uses(arg.value, name, named=last in PLACES and not isinstance(arg.value, ir.Name))
        return
    elif type(node) is not tuple and not (isinstance(node, ir.Binary) and node.op == "+" and _has_text(node)):
        named = False
    for part in node:
        yield from _uses(part, name, named=named)

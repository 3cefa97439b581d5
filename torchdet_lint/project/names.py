"""What an expression names, by looking at imports and plain aliases only (no evaluation)."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from torchdet_lint import ir
from torchdet_lint.project.modules import Definition, External, Folder, ModuleRef, Project, Symbol

BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("_")) | {"__import__"}

Canonical: TypeAlias = Callable[[str], str]

Bound: TypeAlias = ir.Expr | tuple[str, int, str] | None
"""What a statement binds a name to: a value, an import (module, level, member), or None for a definition of that name."""


@dataclass(frozen=True, slots=True)
class Local:
    """How a function binds one of its names: the expressions assigned to it, or an import; `other` for anything else
    (parameter, loop variable, unpacking, …).
    """

    values: tuple[ir.Expr, ...] = ()
    imports: tuple[tuple[str, int, str], ...] = ()
    other: bool = False


@dataclass(frozen=True)
class Names:
    """Name resolution at one place: a module, and inside it the functions around the place, outermost first."""

    project: Project
    path: str
    canonical: Canonical
    functions: tuple[ir.Function | ir.Lambda, ...] = ()
    _locals: dict[int, dict[str, Local]] = field(default_factory=dict, compare=False, repr=False)

    def inside(self, function: ir.Function | ir.Lambda) -> Names:
        """The same, one function further in."""
        return Names(self.project, self.path, self.canonical, (*self.functions, function), self._locals)

    def dotted(self, expr: ir.Expr) -> str | None:
        """The canonical dotted name of something outside of the project that `expr` names; builtins are `builtins.set`."""
        symbol = self.symbol(expr)
        return self.canonical(symbol.path) if isinstance(symbol, External) else None

    def symbol(self, expr: ir.Expr, depth: int = 8) -> Symbol | None:
        """What `expr` names, or None when that takes more than imports and single assignments to know."""
        if depth == 0:
            return None
        if isinstance(expr, ir.Name):
            return self._name(expr.id, depth)
        if isinstance(expr, ir.Attr):
            base = self.symbol(expr.value, depth - 1)
            return None if base is None else self._settle(self.project.member(base, expr.name), depth)
        return None

    def definition(self, expr: ir.Expr) -> tuple[str, ir.Function | ir.Class] | None:
        """The project's function or class that `expr` names, with the file that defines it."""
        symbol = self.symbol(expr)
        if not isinstance(symbol, Definition):
            return None
        for unit in reversed(symbol.units):
            for statement in flat(self.project.body(symbol.path, unit)):
                if isinstance(statement, ir.Function | ir.Class) and statement.name == symbol.name:
                    return symbol.path, statement
        return None

    def _name(self, name: str, depth: int) -> Symbol | None:
        for function in reversed(self.functions):
            local = self._bindings(function).get(name)
            if local is None:
                continue
            if local.other or len(local.values) + len(local.imports) != 1:
                return None
            if local.imports:
                module, level, member = local.imports[0]
                return self._settle(self.project.resolve_import(self.path, module, level, member), depth)
            return self.symbol(local.values[0], depth - 1)
        symbol = self.project.lookup(self.path, name)
        if symbol is None:
            return External(f"builtins.{name}") if name in BUILTINS else None
        return self._settle(symbol, depth)

    def _settle(self, symbol: Symbol | None, depth: int) -> Symbol | None:
        """Follows a module-level alias (`cudnn = torch.backends.cudnn`) and imports under `try` or `if`."""
        if not isinstance(symbol, Definition):
            return symbol
        if self.project.modules[symbol.path].source.units[symbol.units[0]].kind in ("def", "class"):
            return symbol
        found: list[Bound] = []
        for unit in symbol.units:
            bound = _bound_in(self.project, symbol.path, unit).get(symbol.name, ())
            if None in bound:
                return symbol
            found += bound
        there = Names(self.project, symbol.path, self.canonical)
        for item in found:
            if type(item) is tuple:  # an import; IR nodes are subclasses
                return there._settle(self.project.resolve_import(symbol.path, *item), depth - 1)
        aliases = [item for item in found if isinstance(item, ir.Name | ir.Attr)]
        if len(aliases) == 1 == len(found) and depth > 0:
            return there.symbol(aliases[0], depth - 1) or symbol
        return symbol

    def _bindings(self, function: ir.Function | ir.Lambda) -> dict[str, Local]:
        key = id(function)
        if key not in self._locals:
            self._locals[key] = local_bindings(function)
        return self._locals[key]


def _bound_in(project: Project, path: str, unit: int) -> dict[str, list[Bound]]:
    """What the statements of a unit bind names to."""
    key = (path, unit)
    if key not in project.bound:
        found: dict[str, list[Bound]] = {}
        for statement in flat(project.body(path, unit)):
            if isinstance(statement, (ir.Function, ir.Class)):
                found.setdefault(statement.name, []).append(None)
            for name, imported in _imported(statement):
                found.setdefault(name, []).append(imported)
            for name, value in _assigned(statement):
                found.setdefault(name, []).append(value)
        project.bound[key] = found
    return project.bound[key]


def local_bindings(function: ir.Function | ir.Lambda) -> dict[str, Local]:
    """Every name that the function binds itself (nested functions and classes bind only their own name here)."""
    found: dict[str, Local] = {param.name: Local(other=True) for param in function.params}
    if isinstance(function, ir.Lambda):
        return found

    def add(name: str, *, value: ir.Expr | None = None, imported: tuple[str, int, str] | None = None) -> None:
        old = found.get(name, Local())
        found[name] = Local(
            (*old.values, value) if value is not None else old.values,
            (*old.imports, imported) if imported is not None else old.imports,
            old.other or (value is None and imported is None),
        )

    outer: set[str] = set()
    for statement in flat(function.body):
        if isinstance(statement, ir.Scope):
            outer.update(statement.names)
        for name, assigned in _assigned(statement):
            add(name, value=assigned)
        for name, imported in _imported(statement):
            add(name, imported=imported)
        for name in _other_names(statement):
            add(name)
    return {name: local for name, local in found.items() if name not in outer}


def _assigned(statement: ir.Stmt) -> Iterator[tuple[str, ir.Expr]]:
    """Names that a plain assignment binds, with the value."""
    if isinstance(statement, ir.Assign) and (value := statement.value) is not None:
        yield from [(target.id, value) for target in statement.targets if isinstance(target, ir.Name)]


def _imported(statement: ir.Stmt) -> Iterator[tuple[str, tuple[str, int, str]]]:
    """Names that an import binds, with (module, level, member)."""
    if isinstance(statement, ir.Import):
        for dotted, bound in statement.names:
            top = bound or dotted.split(".", 1)[0]
            yield top, (dotted if bound else top, 0, "")
    elif isinstance(statement, ir.ImportFrom):
        yield from ((bound, (statement.module, statement.level, member)) for member, bound in statement.names)


def _other_names(statement: ir.Stmt) -> Iterator[str]:
    if isinstance(statement, ir.Function | ir.Class):
        yield statement.name
    elif isinstance(statement, ir.For | ir.Augment):
        yield from target_names(statement.target)
    elif isinstance(statement, ir.Assign):
        for part in statement.targets:
            if not isinstance(part, ir.Name):
                yield from target_names(part)
    elif isinstance(statement, ir.With):
        for _, target in statement.items:
            if target is not None:
                yield from target_names(target)
    elif isinstance(statement, ir.Try):
        yield from (handler.name for handler in statement.handlers if handler.name)
    elif isinstance(statement, ir.Match):
        for case in statement.cases:
            yield from case.names


def target_names(target: ir.Expr) -> Iterator[str]:
    """The names that an assignment to `target` binds."""
    if isinstance(target, ir.Name):
        yield target.id
    elif isinstance(target, ir.Sequence):
        for item in target.items:
            yield from target_names(item)
    elif isinstance(target, ir.Starred):
        yield from target_names(target.value)


def flat(body: ir.Body) -> Iterator[ir.Stmt]:
    """The statements of a body and of the blocks inside it, in order; not those of nested functions and classes."""
    for statement in body:
        yield statement
        if type(statement) in _BLOCKS:
            for block in blocks(statement):
                yield from flat(block)


def blocks(statement: ir.Stmt) -> tuple[ir.Body, ...]:
    """The blocks of a compound statement, without the bodies of functions and classes."""
    inside = _BLOCKS.get(type(statement))
    return () if inside is None else inside(statement)


_BLOCKS: dict[type, Callable[[Any], tuple[ir.Body, ...]]] = {
    ir.If: lambda statement: (statement.body, statement.orelse),
    ir.For: lambda statement: (statement.body, statement.orelse),
    ir.While: lambda statement: (statement.body, statement.orelse),
    ir.With: lambda statement: (statement.body,),
    ir.Try: lambda statement: (
        statement.body,
        *(handler.body for handler in statement.handlers),
        statement.orelse,
        statement.final,
    ),
    ir.Match: lambda statement: tuple(case.body for case in statement.cases),
}


__all__ = ["BUILTINS", "Folder", "Local", "ModuleRef", "Names", "blocks", "flat", "local_bindings", "target_names"]

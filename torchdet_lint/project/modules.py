"""Modules and the symbols that their top-level names are bound to, found without lowering wherever the scanner knows."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from posixpath import dirname, join
from typing import Any, TypeAlias, TypeVar

from torchdet_lint import ir
from torchdet_lint.project.layout import Layout
from torchdet_lint.source import ImportRecord, SourceFile, Unit


@dataclass(frozen=True, slots=True)
class External:
    """Something outside of the project, by its dotted path as written after aliases are undone: `numpy.random.rand`."""

    path: str


@dataclass(frozen=True, slots=True)
class ModuleRef:
    """A file of the project, by its path."""

    path: str


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of the project that acts as a namespace package; `importer` is the file that names it."""

    importer: str
    dotted: str
    level: int


@dataclass(frozen=True, slots=True)
class Definition:
    """A top-level name bound by statements of a module, by the indices of the units that bind it, in order."""

    path: str
    name: str
    units: tuple[int, ...]


Symbol: TypeAlias = External | ModuleRef | Folder | Definition

Made = TypeVar("Made")

Lower: TypeAlias = Callable[[SourceFile, Unit], ir.Body]
"""How a unit becomes IR; the engine passes one that caches. Returns () for a unit that cannot be lowered."""


class Module:
    """One file: its source, and lazily what its top-level names are bound to."""

    def __init__(self, source: SourceFile, name: str) -> None:
        self.source = source
        self.path = source.path
        self.name = name
        self.imports: dict[str, tuple[str, int, str]] = {}
        self.stars: list[tuple[str, int]] = []
        self.bound: dict[str, tuple[int, ...]] = {}
        self.records = _records_by_unit(source)
        for unit in source.units:
            if unit.kind in ("import", "from"):
                self._bind_imports(unit)
            else:
                for bound in unit.names:
                    self.bound[bound] = (*self.bound.get(bound, ()), unit.index)

    def _bind_imports(self, unit: Unit) -> None:
        """Records (module, level, name) for each bound name; name "" means the module itself."""
        for record in self.records.get(unit.index, ()):
            if record.bound:
                plain = record.module.partition(".")[0]
                whole = record.bound != plain
                self.imports[record.bound] = (record.module if whole else plain, 0, "")
            for name, bound in record.names:
                if name == "*":
                    self.stars.append((record.module, record.level))
                else:
                    self.imports[bound] = (record.module, record.level, name)


_ADDED_PATH = re.compile(r"\bsys\.path\.(?:append|insert)\(\s*(?:\d+\s*,\s*)?[rf]?([\"'])([^\"'\n{}]+)\1\s*\)")


def added_paths(source: SourceFile) -> tuple[str, ...]:
    """Folders that a file adds to `sys.path` by a literal, relative to the project and to the file."""
    if "sys.path" not in source.text:
        return ()
    found = [match[2] for match in _ADDED_PATH.finditer(source.text)]
    return tuple(
        path for text in found if not text.startswith("/") for path in (text, join(dirname(source.path), text))
    )


_HEAD = re.compile(r"^class\s+\w+\s*\(([^)]*)", re.MULTILINE)
_WORD = re.compile(r"\w+")
_BASE = re.compile(r"(?:^|,)\s*(?:[\w\s.]*\.\s*)?(\w+)\s*(?=[,\[]|$)")


def base_words(source: SourceFile, unit: Unit) -> list[str]:
    """The words between the parentheses after the name of a class that a top-level statement defines."""
    return _WORD.findall(_between(source, unit))


def base_names(source: SourceFile, unit: Unit) -> list[str]:
    """The last names of the base classes that are written there: `Module` of `nn.Module`."""
    return _BASE.findall(_between(source, unit))


def _between(source: SourceFile, unit: Unit) -> str:
    found = _HEAD.search(source.text, unit.start, unit.end) if unit.kind == "class" else None
    return found[1] if found is not None else ""


def _records_by_unit(source: SourceFile) -> dict[int, tuple[ImportRecord, ...]]:
    """The import statements inside of each unit, at any depth."""
    starts = [unit.start for unit in source.units]
    found: dict[int, tuple[ImportRecord, ...]] = {}
    for record in source.imports:
        index = bisect_right(starts, record.start) - 1
        if index >= 0:
            found[index] = (*found.get(index, ()), record)
    return found


class Same:
    """A part of the IR as a key that is compared by identity: comparing two by their contents takes as long as reading them."""

    __slots__ = ("part",)

    def __init__(self, part: object) -> None:
        self.part = part

    def __hash__(self) -> int:
        return id(self.part)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.part is other.part


class Project:
    """All modules of a run, with lowering on demand."""

    def __init__(self, sources: Iterable[SourceFile], lower: Lower, roots: Iterable[str] = ()) -> None:
        listed = list(sources)
        self.layout = Layout((source.path for source in listed), roots)
        self.modules: Mapping[str, Module] = {s.path: Module(s, self.layout.name_of(s.path)) for s in listed}
        self.layout.add_roots(root for source in listed for root in added_paths(source))
        self._lower = lower
        self._bodies: dict[tuple[str, int], ir.Body] = {}
        self.imports: dict[str, frozenset[str]] = {}
        """A memo of `torchdet_lint.project.programs.imports_of`."""
        self.bound: dict[tuple[str, int], dict[str, list[Any]]] = {}
        """A memo of `torchdet_lint.project.names`: what the statements of a unit bind names to."""
        self._once: dict[Any, Any] = {}
        self._looked_up: dict[tuple[str, str], Symbol | None] = {}
        self._resolved: dict[tuple[str, str, int, str], Symbol] = {}

    def part(self, paths: Iterable[str]) -> Project:
        """The project as the files of one of its parts see it (see `torchdet_lint.project.parts`)."""
        part = _part(self.layout, {path: self.modules[path] for path in paths}, self._lower)
        part.imports = {path: self.imports[path] for path in part.modules if path in self.imports}
        return part

    def body(self, path: str, unit: int) -> ir.Body:
        """The IR of one unit, lowered at the first request."""
        key = (path, unit)
        if key not in self._bodies:
            source = self.modules[path].source
            self._bodies[key] = self._lower(source, source.units[unit])
        return self._bodies[key]

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What `make` gave when somebody first asked under this key: what analyses remember of a project goes with it."""
        if key not in self._once:
            self._once[key] = make()
        made: Made = self._once[key]
        return made

    def forget(self) -> None:
        """Lets go of what `once` remembers, which knows the project in turn: nothing collects such circles in a run."""
        self._once.clear()

    @property
    def lowered(self) -> int:
        """How many units have been lowered so far."""
        return len(self._bodies)

    def lookup(self, path: str, name: str) -> Symbol | None:
        """What a module's top-level name is bound to; None when the module does not bind it (a builtin, or nothing)."""
        key = (path, name)
        if key not in self._looked_up:
            self._looked_up[key] = self._lookup(path, name, frozenset())
        return self._looked_up[key]

    def _lookup(self, path: str, name: str, seen: frozenset[tuple[str, str]]) -> Symbol | None:
        if (path, name) in seen:
            return None
        seen = seen | {(path, name)}
        module = self.modules[path]
        if name in module.bound:
            return Definition(path, name, module.bound[name])
        if name in module.imports:
            dotted, level, member = module.imports[name]
            return self._imported(path, dotted, level, member, seen)
        for dotted, level in module.stars:
            found = self.layout.find(path, dotted, level)
            if found is not None and found != path and not name.startswith("_"):
                symbol = self._lookup(found, name, seen)
                if symbol is not None:
                    return symbol
        return None

    def resolve_import(self, path: str, dotted: str, level: int, member: str = "") -> Symbol:
        """What `from dotted import member` (or `import dotted` for member "") names in the file at `path`."""
        key = (path, dotted, level, member)
        if key not in self._resolved:
            self._resolved[key] = self._imported(path, dotted, level, member, frozenset())
        return self._resolved[key]

    def _imported(self, path: str, dotted: str, level: int, member: str, seen: frozenset[tuple[str, str]]) -> Symbol:
        found = self.layout.find(path, dotted, level)
        if not member:
            if found is not None:
                return ModuleRef(found)
            return Folder(path, dotted, level) if self.layout.has_folder(path, dotted, level) else External(dotted)
        inner = f"{dotted}.{member}" if dotted else member
        if found is not None:
            symbol = self._lookup(found, member, seen) if found != path else None
            if symbol is not None:
                return symbol
        below = self.layout.find(path, inner, level)
        if below is not None:
            return ModuleRef(below)
        if self.layout.has_folder(path, inner, level):
            return Folder(path, inner, level)
        if found is not None or level:
            return External(f"{'.' * level}{inner}")
        return External(inner)

    def member(self, symbol: Symbol, name: str) -> Symbol | None:
        """What `symbol.name` is; None for a member of a definition, which takes an evaluation to know."""
        if isinstance(symbol, External):
            return External(f"{symbol.path}.{name}")
        if isinstance(symbol, ModuleRef):
            found = self.lookup(symbol.path, name)
            if found is not None:
                return found
            module = self.modules[symbol.path]
            if symbol.path.endswith("/__init__.py") or symbol.path == "__init__.py":
                below = self.layout.find(symbol.path, name, 1)
                if below is not None and below != symbol.path:
                    return ModuleRef(below)
            return External(f"{module.name}.{name}")
        if isinstance(symbol, Folder):
            return self.resolve_import(symbol.importer, f"{symbol.dotted}.{name}", symbol.level)
        return None


def part_of(sources: Iterable[SourceFile], layout: Layout, lower: Lower) -> Project:
    """What `Project.part` gives, where only the files of the part and the layout of the whole are at hand."""
    return _part(layout, {source.path: Module(source, layout.name_of(source.path)) for source in sources}, lower)


def _part(layout: Layout, modules: Mapping[str, Module], lower: Lower) -> Project:
    part = Project((), lower)
    part.modules = modules
    part.layout = layout.within(modules)
    return part

"""Classes of the project with their relatives: bases, subclasses, methods."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from torchdet_lint import ir
from torchdet_lint.project.modules import Definition, Module, ModuleRef, Project
from torchdet_lint.project.names import Names, flat

MODULE_BASES = frozenset({"torch.nn.Module", "pytorch_lightning.LightningModule", "lightning.LightningModule",
                          "lightning.pytorch.LightningModule", "builtins.object", "abc.ABC"})  # fmt: skip
"""External bases that initialise nothing themselves."""


@dataclass(frozen=True, eq=False)
class ClassInfo:
    """A class at the top level of a file, its bases in the project, and the dotted names of all others ("" if unknown)."""

    path: str
    unit: int
    node: ir.Class
    names: Names
    bases: tuple[ClassInfo, ...]
    outside: tuple[str, ...]

    @property
    def key(self) -> tuple[str, int, str]:
        return self.path, self.unit, self.node.name

    @property
    def is_module(self) -> bool:
        """Whether instances are `torch.nn.Module`s, as far as can be seen."""
        return any(base.is_module for base in self.bases) or any(
            name.startswith("torch.nn.") or name.endswith(("Module", "Model")) for name in self.outside
        )

    @property
    def strange_bases(self) -> bool:
        """Whether a base of another library may initialise attributes out of sight."""
        return any(name not in MODULE_BASES and not name.startswith("torch.nn.") for name in self.outside) or any(
            base.strange_bases for base in self.bases
        )

    def ancestors(self) -> Iterator[ClassInfo]:
        """The class itself and its bases in the project, in the order of look-up (depth first)."""
        yield self
        for base in self.bases:
            yield from base.ancestors()

    def own(self) -> dict[str, ir.Function]:
        return {node.name: node for node in flat(self.node.body) if isinstance(node, ir.Function)}

    def find(self, name: str, above: bool = False) -> tuple[ClassInfo, ir.Function] | None:
        """The method of that name and the class that defines it; `above` starts at the bases, like `super()`."""
        for info in self.ancestors():
            if above and info is self:
                continue
            method = info.own().get(name)
            if method is not None:
                return info, method
        return None


def class_info(project: Project, expr: ir.Expr, names: Names, depth: int = 6) -> ClassInfo | None:
    """The class of the project that `expr` names."""
    symbol = names.symbol(expr)
    if not isinstance(symbol, Definition) or depth == 0:
        return None
    for unit in reversed(symbol.units):
        for node in flat(project.body(symbol.path, unit)):
            if isinstance(node, ir.Class) and node.name == symbol.name:
                return make_info(project, symbol.path, unit, node, Names(project, symbol.path, names.canonical), depth)
    return None


def make_info(project: Project, path: str, unit: int, node: ir.Class, names: Names, depth: int = 6) -> ClassInfo:
    """The class with its bases resolved from the file that holds it."""
    inside: list[ClassInfo] = []
    outside: list[str] = []
    for arg in node.bases:
        if arg.star:
            continue
        base = class_info(project, arg.value, names, depth - 1)
        if base is not None:
            inside.append(base)
        else:
            outside.append(names.dotted(arg.value) or "")
    return ClassInfo(path, unit, node, names, tuple(inside), tuple(outside))


def subclasses(project: Project, info: ClassInfo) -> list[ClassInfo]:
    """All classes of the project that derive from this one."""
    found: list[ClassInfo] = []
    for path, module in project.modules.items():
        words = _names_for(project, module, info)
        names = Names(project, path, info.names.canonical)
        for unit in module.source.units:
            alone = unit.kind == "class" and (path, unit.index) == (info.path, info.unit)
            if alone or unit.kind in ("def", "import", "from", "assign", "expr") or words.isdisjoint(unit.words):
                continue
            for node in flat(project.body(path, unit.index)):
                if isinstance(node, ir.Class) and node is not info.node and node.bases:
                    other = make_info(project, path, unit.index, node, names)
                    if any(base.key == info.key for base in other.ancestors()):
                        found.append(other)
    return found


def _names_for(project: Project, module: Module, info: ClassInfo) -> set[str]:
    """The words by which a file can name the class: itself, what it imports it as, or as a member of a module."""
    name = info.node.name
    own = project.lookup(module.path, name)
    words = {name} if isinstance(own, Definition) and own.path == info.path else set()
    for bound, (_, _, member) in module.imports.items():
        if member == name:
            words.add(bound)
        elif project.lookup(module.path, bound) == ModuleRef(info.path):
            words.add(name)
    return words

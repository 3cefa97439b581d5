"""Where a project reads attributes that are named like seeds."""

from __future__ import annotations

import re

from torchdet_lint import ir
from torchdet_lint.checks.facts import nested
from torchdet_lint.checks.seed_names import WHOLE
from torchdet_lint.project.modules import Project, base_names

NAMESPACES = frozenset("args opt opts cfg config hparams FLAGS flags options".split())
"""What parsed command lines are called."""

SETTINGS = re.compile(r"(?i)args|arguments|\bns\b|namespace|cfg|conf|param|option|\bopts?\b|setting|flags|hps")
"""Names of what holds settings, and of classes whose objects may bear such names."""

QUIET_BASES = frozenset(
    "object Module Dataset IterableDataset Sampler ABC Generic Protocol LightningModule LightningDataModule".split()
)
"""Last names of base classes from outside of which it is known that they read no seed of an object."""


class AttributeReads:
    """Which attribute names the project reads anywhere."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._known: dict[str, bool] = {}
        self._bases: dict[str, frozenset[str]] | None = None

    def reads(self, name: str) -> bool:
        """Whether some code reads `anything.name`, or names it in a string."""
        if name not in self._known:
            self._known[name] = any(self._reads_in(path, name, None) for path in self._project.modules)
        return self._known[name]

    def reads_stored(self, name: str, cls: ir.Class | None) -> bool:
        """Whether some code may read the attribute `name` of an object of this class. `args.seed` and the `self.seed` of an
        unrelated class do not, where the class is the project's own, and no collection of settings itself.
        """
        family = None if cls is None or SETTINGS.search(cls.name) else self._family(cls.name)
        if family is None:
            return self.reads(name)
        return any(self._reads_in(path, name, family) for path in self._project.modules)

    def reads_option(self, name: str) -> bool:
        """Whether some code reads `anything.name`, or all of a namespace at once."""
        return self.reads(name) or any(
            not WHOLE.isdisjoint(unit.words) and not NAMESPACES.isdisjoint(unit.words)
            for module in self._project.modules.values()
            for unit in module.source.units
        )

    def _reads_in(self, path: str, name: str, family: frozenset[str] | None) -> bool:
        """Whether a module reads the attribute, of objects whose class is among the `family` where there is one."""
        for unit in self._project.modules[path].source.units:
            if name not in unit.words or unit.kind in ("import", "from"):
                continue
            read: dict[int, ir.Attr] = {}
            written: set[int] = set()
            body = self._project.body(path, unit.index)
            for node in nested(body):
                if isinstance(node, ir.Attr) and node.name == name:
                    read[id(node)] = node
                if isinstance(node, ir.Assign):
                    written.update(map(id, node.targets))
                if isinstance(node, ir.Call):
                    written.add(id(node.func))  # `env.seed(3)` and `np.random.seed(0)` are methods: no option is called
                    if _names_it(node, name):
                        return True
                if isinstance(node, ir.Item) and isinstance(node.key, ir.Const) and node.key.value == name:
                    return True
            left = [node for key, node in read.items() if key not in written]
            owners = _owners(body) if left and family is not None else {}
            if left and (family is None or any(_may_be(node, family, owners) for node in left)):
                return True
        return False

    def _family(self, name: str) -> frozenset[str] | None:
        """The names of the classes that may be those of an object of this class, or whose methods it may have: its bases, what
        derives from it, and the other bases of that. None where a class from outside is among them, which may do as it likes.
        """
        if self._bases is None:
            self._bases = _bases_of(self._project)
        derived = {name}
        while more := {each for each, bases in self._bases.items() if bases & derived} - derived:
            derived |= more
        found = set(derived)
        while more := set().union(*(self._bases.get(each, frozenset()) for each in found)) - found:
            found |= more
        outside = found - self._bases.keys() - QUIET_BASES
        return None if outside else frozenset(found)


def _bases_of(project: Project) -> dict[str, frozenset[str]]:
    """The last names of the base classes of the project's classes, by name; those of one name together. Classes inside of others,
    or of a condition, are not among them: nothing is lowered for this.
    """
    found: dict[str, frozenset[str]] = {}
    for module in project.modules.values():
        for unit in module.source.units:
            if unit.kind == "class":
                for name in unit.names:
                    found[name] = found.get(name, frozenset()).union(base_names(module.source, unit))
    return found


def _owners(body: ir.Body) -> dict[int, str]:
    """The class that an attribute is read in, by the identity of its node."""
    found: dict[int, str] = {}
    for node in nested(body):
        if isinstance(node, ir.Class):  # an inner class comes after the one around it
            found.update((id(each), node.name) for each in nested(node.body) if isinstance(each, ir.Attr))
    return found


def _may_be(read: ir.Attr, family: frozenset[str], owners: dict[int, str]) -> bool:
    """Whether the object of an attribute may be of one of these classes."""
    holder = read.value
    if isinstance(holder, ir.Name) and holder.id == "self" and id(read) in owners:
        return owners[id(read)] in family
    name = holder.id if isinstance(holder, ir.Name) else holder.name if isinstance(holder, ir.Attr) else ""
    return not SETTINGS.search(name)


def _names_it(call: ir.Call, name: str) -> bool:
    """`getattr(x, "name")`, `cfg.get("name")`"""
    callee = ir.last_name(call.func)
    return callee in ("getattr", "get", "hasattr", "pop", "attrgetter") and any(
        isinstance(arg.value, ir.Const) and arg.value.value == name for arg in call.args
    )

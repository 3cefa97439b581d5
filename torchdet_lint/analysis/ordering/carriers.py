"""Which top-level statements can do something with an order: those that make a set or a listing, and those that name
a function, class or global that holds one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from torchdet_lint.analysis.ordering.screen import ALIASED_WORDS, NOTHING_OUTSIDE, Outside, makes_order
from torchdet_lint.analysis.triggers import renamed
from torchdet_lint.project.modules import Definition, Folder, ModuleRef, Project, base_words
from torchdet_lint.source import Unit

_CLEAN = ("import", "from")


@dataclass(frozen=True, slots=True)
class Giver:
    """A name behind which there is an order: that of a set or of a listing. Of a class, `members` are the
    methods and attributes that hold it.
    """

    definition: Definition
    members: frozenset[str] = frozenset()

    def named_in(self, words: tuple[str, ...]) -> bool:
        """Whether a statement with these words, that names the definition, can get at the order."""
        return not self.members or not self.members.isdisjoint(words)


class Carriers:
    """The statements in question, found so far, and the names by which orders travel between them."""

    def __init__(self, project: Project, outside: Outside = NOTHING_OUTSIDE) -> None:
        self.project = project
        self.units: set[tuple[str, int]] = set()
        self.givers: dict[Definition, Giver] = {}
        for path, module in project.modules.items():
            aliases = renamed(module, ALIASED_WORDS)
            for unit in module.source.units:
                named = not aliases.isdisjoint(unit.words)
                if unit.kind not in _CLEAN and (named or makes_order(module.source, unit, outside.words)):
                    self.units.add((path, unit.index))

    def add(self, givers: Iterable[Giver]) -> list[tuple[str, int]]:
        """Notes what else gives an order; the statements that come into question because they name it."""
        found: list[tuple[str, int]] = []
        new = self._noted(givers)
        while new:
            heirs: list[Giver] = []
            for path, unit, words in self._naming(new):
                if any(self._stands_for(path, unit, word, _within_reach(new[name], unit)) for word, name in words):
                    found.append((path, unit.index))
                elif unit.kind == "class":
                    heirs += self._heirs(path, unit, {word: new[name] for word, name in words})
            self.units.update(found)
            new = self._noted(heirs)
        return found

    def _noted(self, givers: Iterable[Giver]) -> dict[str, list[Giver]]:
        """Those that say something new, by their names."""
        new = {giver.definition: giver for giver in givers if self.givers.get(giver.definition) != giver}
        self.givers |= new
        names: dict[str, list[Giver]] = {}
        for giver in new.values():
            names.setdefault(giver.definition.name, []).append(giver)
        return names

    def _naming(self, names: Mapping[str, object]) -> Iterator[tuple[str, Unit, list[tuple[str, str]]]]:
        """The statements not yet in question that hold some of the names: these, as they are written there and as they are."""
        for path, module in self.project.modules.items():
            aliases = {bound: member for bound, (_, _, member) in module.imports.items() if member in names}
            here = {**{name: name for name in names}, **aliases}
            for unit in module.source.units:
                if (
                    unit.kind not in _CLEAN
                    and (path, unit.index) not in self.units
                    and not here.keys().isdisjoint(unit.words)
                ):
                    yield path, unit, [(word, here[word]) for word in sorted(here.keys() & unit.words)]

    def _heirs(self, path: str, unit: Unit, named: Mapping[str, list[Giver]]) -> Iterator[Giver]:
        """A class gives what its bases give, also where it says nothing of it."""
        module = self.project.modules[path]
        members = frozenset().union(
            *(
                giver.members
                for word in base_words(module.source, unit)
                for giver in named.get(word, ())
                if self._stands_for(path, unit, word, [giver])
            )
        )
        for name in unit.names if members else ():
            definition = Definition(path, name, module.bound[name])
            known = self.givers.get(definition)
            yield Giver(definition, members if known is None else members | known.members)

    def _stands_for(self, path: str, unit: Unit, word: str, givers: list[Giver]) -> bool:
        """Whether the word, in this statement, can stand for one of the definitions."""
        wanted = {giver.definition for giver in givers}
        if not wanted or self.project.lookup(path, word) in wanted:
            return bool(wanted)
        module = self.project.modules[path]
        if any(word == bound for record in module.records.get(unit.index, ()) for _, bound in record.names):
            return True
        return any(self._member(path, holder, word, wanted) for holder in unit.words if holder in module.imports)

    def _member(self, path: str, holder: str, word: str, wanted: set[Definition]) -> bool:
        symbol = self.project.lookup(path, holder)
        if isinstance(symbol, ModuleRef):
            return symbol.path.endswith("__init__.py") or self.project.lookup(symbol.path, word) in wanted
        return isinstance(symbol, Folder)


def _within_reach(givers: list[Giver], unit: Unit) -> list[Giver]:
    return [giver for giver in givers if giver.named_in(unit.words)]

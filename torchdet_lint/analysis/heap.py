"""The machine's heap: what lists, dictionaries, namespaces and objects hold."""

from __future__ import annotations

from collections.abc import Iterator

from torchdet_lint.analysis.values import MISSING, Box, Identity, Instance, Items, Made, Value, alternatives, join

MOST_BELOW = 500
"""Objects of one tree of modules that are looked at."""


class Cell:
    """The content behind one identity.

    Entries are attributes or dictionary items by name. `items` are the elements of a list whose order is known, None when it
    is not; `element` is any element that is not in `items`. `length` is how many items a list has where nothing can change that
    (see `lengths`). `depth` is how many branches and loops surrounded the creation:
    a write from deeper inside happens only on some paths. `version` grows with each change that can be seen.
    """

    __slots__ = ("depth", "element", "entries", "items", "length", "open", "version")

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.entries: dict[str, Value] = {}
        self.items: list[Value] | None = []
        self.element: Value | None = None
        self.length: int | None = None
        self.open = False
        self.version = 0


class Heap:
    """Cells by identity. Content is joined over all paths; only straight-line writes replace what was there."""

    def __init__(self) -> None:
        self._cells: dict[Identity, Cell] = {}
        self._contexts = 0
        self.depth = 0

    def new_context(self) -> int:
        """A number that no other context has, in this or another machine on the same heap."""
        self._contexts += 1
        return self._contexts

    def cell(self, identity: Identity) -> Cell:
        found = self._cells.get(identity)
        if found is None:
            found = self._cells[identity] = Cell(self.depth)
        return found

    def exists(self, identity: Identity) -> bool:
        return identity in self._cells

    def version(self, identity: Identity) -> int:
        found = self._cells.get(identity)
        return found.version if found is not None else 0

    def read(self, identity: Identity, name: str) -> Value | None:
        found = self._cells.get(identity)
        return found.entries.get(name) if found is not None else None

    def write(self, identity: Identity, name: str, value: Value, *, replace: bool = False) -> None:
        """Sets an entry. `replace` asks for a strong update, which is granted on straight-line code only."""
        cell = self.cell(identity)
        old = cell.entries.get(name)
        surely = self.depth <= cell.depth
        if old is None:
            new = value if surely or not replace else join(value, MISSING)
        else:
            new = value if replace and surely else join(old, value)
        if new != old:
            cell.entries[name] = new
            cell.version += 1

    def append(self, identity: Identity, value: Value) -> None:
        cell = self.cell(identity)
        cell.length = None
        if cell.items is not None and self.depth <= cell.depth and len(cell.items) < 64:
            cell.items.append(value)
            cell.version += 1
            return
        new = value if cell.element is None else join(cell.element, value)
        if new != cell.element:
            cell.element = new
            cell.version += 1

    def elements(self, identity: Identity) -> tuple[Value, ...]:
        """The values of all elements that are known of."""
        cell = self.cell(identity)
        found = list(cell.items or ())
        if cell.element is not None:
            found.append(cell.element)
        return tuple(found)

    def below(self, holder: Value) -> tuple[Instance | Made, ...]:
        """The objects that an object holds, directly or not, as far as is known: a module's modules among them."""
        found: dict[Identity, Instance | Made | Box] = {}
        todo = [holder]
        while todo and len(found) < MOST_BELOW:
            for each in self._inside(todo.pop()):
                if isinstance(each, Items):
                    todo.append(each)
                elif isinstance(each, Instance | Made | Box) and each.identity not in found:
                    found[each.identity] = each
                    todo.append(each)
        itself = holder.identity if isinstance(holder, Instance | Made | Box) else None
        return tuple(each for each in found.values() if isinstance(each, Instance | Made) and each.identity != itself)

    def _inside(self, value: Value) -> Iterator[Value]:
        if isinstance(value, Instance | Box | Made):
            cell = self._cells.get(value.identity)
            if cell is not None:
                for each in (*cell.entries.values(), *self.elements(value.identity)):
                    yield from alternatives(each)
        if isinstance(value, Items):
            yield from (option for item in value.items for option in alternatives(item))
        elif isinstance(value, Made):
            for each in (*value.args, *(named for _, named in value.named)):
                yield from alternatives(each)

"""The state of one walk through a function or the top level of a module."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from torchdet_lint import ir
from torchdet_lint.analysis.ordering.values import PLAIN, Origin, Place, Value, join_types, merge, merge_all
from torchdet_lint.project.modules import External, Symbol
from torchdet_lint.project.names import Names

if TYPE_CHECKING:
    from torchdet_lint.analysis.ordering.passing import Target
    from torchdet_lint.analysis.ordering.scopes import Ordering


SHOWS = ("seq", "text", "index", "walk", "table")
"""The forms of values in which an order is visible; in a set or a dictionary it is not."""


@dataclass(frozen=True, slots=True)
class Event:
    """An arbitrary order made a difference: `consumer` says how, `confidence` how sure that is."""

    origin: Origin
    consumer: str
    confidence: str


@dataclass(slots=True)
class Store:
    """What is known of objects, under whatever name they are reached."""

    taint: dict[Place, dict[Origin, Origin]] = field(default_factory=dict)
    types: dict[Place, str] = field(default_factory=dict)
    items: dict[Place, Value] = field(default_factory=dict)
    settled: set[Place] = field(default_factory=set)
    """Objects whose order is defined: sorted, or known to have one element at most."""

    def apart(self) -> Store:
        """The same knowledge, for a walk that must not add to it."""
        taint = {place: dict(origins) for place, origins in self.taint.items()}
        return Store(taint, dict(self.types), dict(self.items), set(self.settled))

    def add(self, other: Store) -> None:
        for place, origins in other.taint.items():
            self.taint.setdefault(place, {}).update(origins)
        for place, kind in other.types.items():
            self.types[place] = join_types(self.types.get(place, "none"), kind)
        for place, item in other.items.items():
            self.items[place] = merge(self.items[place], item) if place in self.items else item
        self.settled |= other.settled


@dataclass(frozen=True, slots=True)
class Escape:
    """An order leaves through a name: that of a function that returns it (`target`), or that of a global."""

    name: str
    target: Target | None = None


@dataclass(slots=True)
class Log:
    """What a walk found out. `seen`: orders that calls of project functions brought in. `escapes`: orders that leave
    the unit, and through what.
    """

    events: dict[Event, None] = field(default_factory=dict)
    escapes: dict[Origin, Escape] = field(default_factory=dict)
    seen: set[Origin] = field(default_factory=set)

    def add(self, other: Log) -> None:
        self.events.update(other.events)
        self.escapes.update(other.escapes)
        self.seen |= other.seen


@dataclass(slots=True)
class LoopContext:
    """An open loop over something in arbitrary order (no origins: an ordered one). `derived` are the names that depend
    on its element, `grown` the containers that the body adds to; `tests` those
    that hold at the moment; `popping` is what a `while` loop takes its elements from, `element` the name that a `for`
    loop gives its element.
    """

    origins: frozenset[Origin]
    derived: set[str]
    grown: frozenset[str] = frozenset()
    tests: list[ir.Expr] = field(default_factory=list)
    popping: str = ""
    element: str = ""


@dataclass(frozen=True, slots=True)
class Method:
    """A method, with the file and unit of the class that defines it."""

    path: str
    unit: int
    function: ir.Function


@dataclass(slots=True)
class Attributes:
    """The attributes of the class around: values by name, those that some method reads, and the class itself.

    `methods` are those that a call finds by name; `inherited` are all those of the project's base classes, nearest class
    first, the overridden ones too: they set and read the same attributes.
    """

    path: str
    unit: int
    definition: ir.Class
    methods: dict[str, Method]
    inherited: tuple[Method, ...] = ()
    store: Store = field(default_factory=Store)
    log: Log = field(default_factory=Log)
    values: dict[str, Value] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)
    results: dict[Place, Value] = field(default_factory=dict)
    open: set[Place] = field(default_factory=set)
    gives: dict[str, Value] = field(default_factory=dict)
    """What the methods return, and what the attributes hold in the end."""
    bound: dict[str, Value] = field(default_factory=dict)
    """What methods set attributes to, whatever the class body says."""
    complete: bool = False
    """Whether all of its methods have run."""

    @property
    def body(self) -> tuple[str, int, ir.Class]:
        return (self.path, self.unit, self.definition)

    def inherit(self, base: Attributes) -> None:
        """Takes what the run of a base class has left."""
        self.store.add(base.store)
        self.log.add(base.log)
        self.read |= base.read
        self.gives.update(base.gives)
        for mine, its in ((self.values, base.values), (self.bound, base.bound)):
            for name, value in its.items():
                mine[name] = merge(mine[name], value) if name in mine else value

    def restart(self) -> None:
        """Forgets every run."""
        self.store, self.log = Store(), Log()
        for known in (self.values, self.read, self.bound, self.results, self.gives):
            known.clear()

    def apart(self) -> Attributes:
        """The same object, for another call of one of its methods: what that does to it is not seen elsewhere."""
        return replace(
            self,
            store=self.store.apart(),
            log=Log(),
            values=dict(self.values),
            bound=dict(self.bound),
            read=set(),
            results={},
            open=set(),
        )


@dataclass(slots=True)
class Frame:
    ordering: Ordering
    path: str
    unit: int
    names: Names
    store: Store = field(default_factory=Store)
    log: Log = field(default_factory=Log)
    env: dict[str, Value] = field(default_factory=dict)
    function: str = ""
    target: Target | None = None
    owner: Attributes | None = None
    self_name: str = ""
    nested: dict[str, ir.Function] = field(default_factory=dict)
    called: set[str] = field(default_factory=set)
    loops: list[LoopContext] = field(default_factory=list)
    returned: list[Value] = field(default_factory=list)
    yielded: list[Value] = field(default_factory=list)
    outer: Callable[[str], Value | None] | None = None
    quiet: int = 0
    printing: bool = False
    """What is evaluated now is printed: see `computed` in `use`."""
    peeking: bool = False
    """Attributes that are looked up now do not count as read (they are added to, or counted)."""

    # Evaluation, which is put together in `scopes`

    def eval(self, expr: ir.Expr) -> Value:
        return self.ordering.evaluate(self, expr)

    def execute(self, body: ir.Body) -> bool:
        """Runs the statements; true when none after them is reached."""
        return self.ordering.execute(self, body)

    def symbol(self, expr: ir.Expr) -> Symbol | None:
        """What the expression names, as far as imports and plain assignments say."""
        known = self.ordering.symbols.get(id(expr))
        if known is None:
            known = self.ordering.symbols[id(expr)] = (expr, self.names.symbol(expr))
        return known[1]

    def dotted(self, expr: ir.Expr) -> str | None:
        """The canonical dotted name, if the expression names something outside of the project."""
        symbol = self.symbol(expr)
        return self.ordering.canonical(symbol.path) if isinstance(symbol, External) else None

    # Values

    def place(self, span: ir.Span) -> Place:
        return (self.path, self.unit, span)

    def make(
        self, form: str, span: ir.Span, kind: str = "unknown", origins: Iterable[Origin] = (), **more: Value | None
    ) -> Value:
        """A new object, named by the place where it is made."""
        return Value(form, kind, frozenset(origins), self.place(span), more.get("item"), (), len(self.loops))

    def orders(self, value: Value) -> frozenset[Origin]:
        """The arbitrary orders in which the value's elements are."""
        if value.obj is not None:
            if value.obj in self.store.settled:
                return frozenset()
            if tainted := self.store.taint.get(value.obj):
                return value.origins | frozenset(tainted.values())
        return value.origins

    def visible(self, value: Value) -> frozenset[Origin]:
        """The orders that show in the value as it stands: in a list or in the lists within it, not in a set or a dictionary."""
        shown = self.orders(value) if value.form in SHOWS else frozenset()
        inner = self.item(value)
        if inner is not None:
            shown |= self.visible(inner)
        for part in value.parts:
            shown |= self.visible(part)
        return shown

    def item(self, value: Value) -> Value | None:
        """An element of a container of containers."""
        stored = self.store.items.get(value.obj) if value.obj is not None else None
        if stored is None or value.item is None:
            return stored or value.item
        return merge(stored, value.item)

    def kind(self, value: Value) -> str:
        """The type of the elements, with those that were added later."""
        added = self.store.types.get(value.obj) if value.obj is not None else None
        return value.type if added is None else join_types(value.type, added)

    def settle(self, value: Value) -> None:
        if value.obj is not None:
            self.store.settled.add(value.obj)

    def taint(self, value: Value, origins: Iterable[Origin]) -> None:
        if value.obj is not None:
            self.store.taint.setdefault(value.obj, {}).update((origin, origin) for origin in origins)

    def untaint(self, value: Value, origin: Origin) -> None:
        if value.obj is not None:
            self.store.taint.get(value.obj, {}).pop(origin, None)

    def grow(self, value: Value, kind: str) -> None:
        """Elements of this type were added to the object."""
        if value.obj is not None:
            self.store.types[value.obj] = join_types(self.store.types.get(value.obj, "none"), kind)

    def hold(self, value: Value, item: Value) -> None:
        """A container was put into the object; nothing is put into itself, which would have no end."""
        if value.form == "table" or value.obj in self._objects(item):
            return
        if value.obj is not None and (self.visible(item) or item.form == "set"):
            old = self.store.items.get(value.obj)
            self.store.items[value.obj] = item if old is None else merge(old, item)

    def _objects(self, value: Value) -> set[Place]:
        """The value and all that it holds, as objects."""
        found: set[Place] = set()
        todo = [value]
        while todo:
            one = todo.pop()
            if one.obj is not None and one.obj not in found:
                found.add(one.obj)
                if one.obj in self.store.items:
                    todo.append(self.store.items[one.obj])
            todo += [part for part in (one.item, *one.parts) if part is not None]
        return found

    def export(self, value: Value) -> Value:
        """The value as another walk may see it, apart from this store."""
        if value.obj is not None and value.obj in self.store.settled and value.form == "set":
            return replace(value, type="none", origins=frozenset(), item=None)
        item = self.item(value)
        return replace(
            value,
            type=self.kind(value),
            origins=self.orders(value),
            item=None if item is None else self.export(item),
            parts=tuple(self.export(part) for part in value.parts),
        )

    # Findings

    def use(
        self, value: Value | Iterable[Origin], consumer: str, confidence: str = "high", *, computed: bool = False
    ) -> None:
        """The visible order of the value made a difference. In what is printed only a result `computed` from results counts,
        since what the program computes is printed in the end; names of files are printed for people.
        """
        if self.quiet:
            return
        origins = self.visible(value) if isinstance(value, Value) else value
        if self.printing:
            origins = [origin for origin in origins if computed and origin.kind == "completion"]
        for origin in sorted(origins, key=lambda origin: origin.rank):
            self.log.events[Event(origin, origin.via or consumer, confidence)] = None

    def leave(self, origins: Iterable[Origin], consumer: str) -> None:
        """The orders leave the function: callers decide, except for those of special methods, which are out of sight.

        `__iter__` may give what a set gives: that makes a class like a set, and whoever walks through it decides.
        """
        for origin in sorted(origins, key=lambda origin: origin.rank):
            if not self.function.startswith("__"):
                self.log.escapes.setdefault(origin, Escape(self.function, self.target))
            elif consumer == "is yielded" or origin.source is None or origin.kind == "listing":
                self.use((origin,), consumer)

    @contextmanager
    def hushed(self) -> Iterator[None]:
        """Nothing in here makes a difference: an error text, a log line, something that is counted."""
        self.quiet += 1
        try:
            yield
        finally:
            self.quiet -= 1

    @contextmanager
    def printed(self) -> Iterator[None]:
        """What is in here is printed."""
        before, self.printing = self.printing, True
        try:
            yield
        finally:
            self.printing = before

    @contextmanager
    def single(self, objects: frozenset[Place]) -> Iterator[None]:
        """In here the objects are known to have one element at most."""
        new = objects - self.store.settled
        self.store.settled |= new
        try:
            yield
        finally:
            self.store.settled -= new

    def peek(self, expr: ir.Expr) -> Value:
        """The value of the expression, without counting attributes in it as read."""
        before, self.peeking = self.peeking, True
        try:
            return self.eval(expr)
        finally:
            self.peeking = before

    # Names

    def loop_orders(self, depth: int = 0) -> frozenset[Origin]:
        """The orders of the open loops that are entered anew for one and the same object made at `depth`."""
        return frozenset().union(*(loop.origins for loop in self.loops[depth:])) if self.loops else frozenset()

    def apart(self, key: ir.Expr | None) -> frozenset[Origin]:
        """The orders of the loops whose element is the key itself: what is kept for one element has nothing of another."""
        name = key.id if isinstance(key, ir.Name) else ""
        return frozenset().union(*(loop.origins for loop in self.loops if name and loop.element == name))

    def derived(self, expr: ir.Expr | None) -> bool:
        """Whether the expression depends on the element of an open loop in arbitrary order."""
        if expr is None:
            return False
        names: set[str] = set().union(*(loop.derived for loop in self.loops if loop.origins)) if self.loops else set()
        return bool(names) and not names.isdisjoint(names_in(expr))

    def popping(self, func: ir.Expr) -> bool:
        """Whether `func` is the `pop` by which an open `while` loop takes its elements."""
        key = key_of(func.value) if isinstance(func, ir.Attr) else None
        return key is not None and any(loop.popping == key for loop in self.loops)

    def bind(self, key: str, value: Value) -> None:
        self.env[key] = value
        owner = self.owner
        if owner is not None and self.self_name and key.startswith(f"{self.self_name}.") and key.count(".") == 1:
            name = key.split(".", 1)[1]
            for known in (owner.values, owner.bound):
                known[name] = merge(known[name], value) if name in known else value

    def lookup(self, key: str) -> Value | None:
        """What a name or dotted path (`self.files`) holds; None when nothing binds it here."""
        attribute = self.attribute(key)
        if attribute and self.owner is not None and not self.peeking:
            self.owner.read.add(attribute)
        if key in self.env:
            return self.env[key]
        if attribute and self.owner is not None:
            return self.owner.values.get(attribute)
        return self.outer(key) if self.outer is not None else None

    def attribute(self, key: str) -> str:
        """The attribute of the class around that the dotted path names, or ""."""
        if self.owner is None or key.count(".") != 1:
            return ""
        base, name = key.split(".")
        return name if base in (self.self_name, self.owner.definition.name) and base else ""

    def result(self) -> Value:
        """What a call of the function gives."""
        if self.yielded:
            item = merge_all(self.yielded)
            origins = frozenset().union(*(value.origins for value in self.yielded))
            return Value("seq", item.type, origins, self.place((0, 0)), item.item)
        return merge_all(self.returned) if self.returned else PLAIN


def names_in(node: object) -> Iterator[str]:
    """Every name that is read in an expression."""
    if isinstance(node, ir.Name):
        yield node.id
    elif isinstance(node, tuple):
        for part in node:
            if isinstance(part, tuple):
                yield from names_in(part)


def key_of(expr: ir.Expr) -> str | None:
    """`x`, `self.x`, `a.b.c` as text."""
    if isinstance(expr, ir.Name):
        return expr.id
    if isinstance(expr, ir.Attr):
        base = key_of(expr.value)
        return None if base is None else f"{base}.{expr.name}"
    return None


def shown(expr: ir.Expr) -> str:
    """A short text for messages."""
    if isinstance(expr, ir.Item):
        return f"{shown(expr.value)}[…]"
    return key_of(expr) or "the result"

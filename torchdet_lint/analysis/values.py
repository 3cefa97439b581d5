"""Abstract values: what the machine knows about the value of an expression.

All values are immutable and hashable, because summaries of functions are looked up by the values of their arguments.
What can change (attributes, list items, dictionary entries) lives in the machine's heap under an identity.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from torchdet_lint import ir
from torchdet_lint.project.modules import External, Folder, ModuleRef

MOST_CALLABLES = 16
"""So many functions and classes are kept apart where a value is looked up in a registry."""

WIDTH = 6
"""At most so many alternatives are told apart; more become unknown."""


class Site(NamedTuple):
    """A place in the project: a span of a unit of a file, and the qualified name of the function around it."""

    path: str
    unit: int
    span: ir.Span
    scope: str


Identity: TypeAlias = tuple[Site, int]
"""Where something was made, and a number for the context in which that place was evaluated."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Any value."""


UNKNOWN = Unknown()


@dataclass(frozen=True, slots=True)
class Known:
    """A constant of Python. `kind` is its type's name, since True == 1 == 1.0."""

    value: Any
    kind: str


def known(value: Any) -> Known:
    return Known(value, type(value).__name__)


NONE = known(None)
MISSING = Known("missing", "missing")
"""What a dictionary entry may be that is only there on some paths; as an argument it counts as not given."""
TRUE = known(True)
FALSE = known(False)


@dataclass(frozen=True, slots=True)
class Made:
    """What calling something outside of the project gave: an instance of class `cls`, or the result of function `cls`.

    `args` and `named` are the arguments as they were given; `identity` tells two objects made at one place in different
    contexts apart.
    """

    cls: str
    args: tuple[Value, ...]
    named: tuple[tuple[str, Value], ...]
    identity: Identity

    def get(self, name: str, position: int | None = None) -> Value | None:
        """The argument called `name`, or the one at `position`; None when it was not given."""
        for key, value in self.named:
            if key == name:
                return value
        if position is not None and position < len(self.args):
            return self.args[position]
        return None

    @property
    def open(self) -> bool:
        """Whether unknown further arguments may have been given (`*unknown`, `**unknown`)."""
        return any(key in ("*", "**") for key, _ in self.named)


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """A function or lambda of the project; `closure` is the identity of the frame that it was defined in, 0 for a module."""

    path: str
    unit: int
    qualname: str
    span: ir.Span
    closure: int
    owner: str = ""


@dataclass(frozen=True, slots=True)
class ClassValue:
    path: str
    unit: int
    qualname: str
    span: ir.Span
    closure: int


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a project class."""

    cls: ClassValue
    identity: Identity


@dataclass(frozen=True, slots=True)
class Bound:
    """A method: a project function (or the name of something outside) with its receiver."""

    receiver: Value
    function: FunctionValue | str


@dataclass(frozen=True, slots=True)
class Super:
    """`super()` inside a method of `cls`."""

    receiver: Value
    cls: ClassValue


@dataclass(frozen=True, slots=True)
class Partial:
    function: Value
    args: tuple[Value, ...]
    named: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Items:
    """A tuple whose items are known one by one."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Box:
    """A list, dict, set or namespace; its content is in the heap."""

    kind: str
    identity: Identity


@dataclass(frozen=True, slots=True)
class Pending:
    """The body of a generator function, which runs when the generator is iterated; `summary` is its summary."""

    summary: Any


@dataclass(frozen=True, slots=True)
class Flow:
    """Something to iterate over, whose items are `element`; iterating it iterates `sources` too."""

    element: Value
    sources: tuple[Value | Pending, ...] = ()


@dataclass(frozen=True, slots=True)
class Option:
    """A value that is chosen when the program starts; `default` is what it is when nobody chooses."""

    default: Value
    label: str


@dataclass(frozen=True, slots=True)
class Tainted:
    """An unknown value that was computed from something worth knowing.

    Marks: "entropy" (with what it comes from), "draw" (from which global RNG family, at which site), "version" (of a library).
    """

    marks: frozenset[Mark]


class Mark(NamedTuple):
    kind: str
    what: str
    site: Site | None


class Either:
    """Any of several values. They keep the order in which they were met, which does not count when two are compared."""

    __slots__ = ("_hash", "_set", "options")

    def __init__(self, options: tuple[Value, ...]) -> None:
        self.options = options
        self._set = frozenset(options)
        self._hash = hash(self._set)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Either) and self._set == other._set

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Either({', '.join(sorted(map(repr, self.options)))})"


Value: TypeAlias = (
    Unknown | Known | External | ModuleRef | Folder | Made | FunctionValue | ClassValue | Instance | Bound | Super
    | Partial | Items | Box | Flow | Option | Tainted | Either
)  # fmt: skip


def _is_callable(value: Value) -> bool:
    """What lists of transforms and registries hold: functions, classes, and objects that are called; methods of any of these."""
    if isinstance(value, Made):
        return value.cls.rpartition(".")[2][:1].isupper() and not value.cls.endswith(".Tensor")
    return isinstance(value, FunctionValue | ClassValue | Partial | Instance | Bound)


def join(*values: Value) -> Value:
    """One value that may be any of these."""
    options: dict[Value, None] = {}
    for value in values:
        if isinstance(value, Either):
            options.update(dict.fromkeys(value.options))
        else:
            options[value] = None
    if len(options) == 1:
        return next(iter(options))
    if not options:
        return UNKNOWN
    tainted = [option for option in options if isinstance(option, Tainted)]
    if len(tainted) > 1:
        options = {option: None for option in options if not isinstance(option, Tainted)}
        options[Tainted(frozenset().union(*(option.marks for option in tainted)))] = None
    if len(options) > WIDTH:
        if (rows := _columns(options)) is not None:
            return rows
        # Registries hold many functions and classes, lists transforms, packages modules: they stay, the rest becomes unknown.
        called = [option for option in options if isinstance(option, ModuleRef) or _is_callable(option)]
        if not called:
            return tainted[0] if tainted else UNKNOWN
        kept = sorted(called, key=lambda option: not isinstance(option, Instance))[:MOST_CALLABLES]
        options = dict.fromkeys([*kept, *([] if len(kept) == len(options) else [UNKNOWN])])
    return Either(tuple(options))


def _columns(options: Iterable[Value]) -> Value | None:
    """Many tuples of one length, joined item by item: which of the items go together is forgotten, and no item is lost."""
    rows = [option.items for option in options if isinstance(option, Items)]
    rest = [option for option in options if not isinstance(option, Items)]
    if len(rows) < 2 or len(rest) > WIDTH - 1 or len({len(row) for row in rows}) > 1:
        return None
    return join(Items(tuple(join(*column) for column in zip(*rows, strict=True))), *rest)


LARGEST = 120
"""How many parts a value may have; larger ones become unknown, so that programs cannot make values grow without end."""


def bounded(value: Value) -> Value:
    """The value, or unknown when it has too many parts."""
    if isinstance(value, Items | Made | Flow | Partial | Either | Option | Bound):
        return value if _parts(value, LARGEST) >= 0 else UNKNOWN
    return value


def _parts(value: object, room: int) -> int:
    """What is left of `room` after counting the parts of a value; negative as soon as it does not suffice."""
    room -= 1
    inner: tuple[object, ...] = ()
    if isinstance(value, Items):
        inner = value.items
    elif isinstance(value, Made | Partial):
        inner = (*value.args, *(entry for _, entry in value.named))
    elif isinstance(value, Flow):
        inner = (value.element, *value.sources)
    elif isinstance(value, Either):
        inner = value.options
    elif isinstance(value, Option):
        inner = (value.default,)
    elif isinstance(value, Bound):
        inner = (value.receiver,)
    for part in inner:
        if room < 0:
            return room
        room = _parts(part, room)
    return room


def alternatives(value: Value | None) -> tuple[Value, ...]:
    """The values that it may be, in the order in which they were met."""
    if value is None:
        return ()
    return value.options if isinstance(value, Either) else (value,)


def usual(value: Value | None) -> tuple[Value, ...]:
    """The values that it may be when nobody chooses another one: options by their defaults."""
    found: list[Value] = []
    for option in alternatives(value):
        found += usual(option.default) if isinstance(option, Option) else (option,)
    return tuple(found)


def marks(values: Iterable[Value]) -> frozenset[Mark]:
    """The marks of the values, those inside tuples included."""
    found: set[Mark] = set()
    for value in values:
        for option in alternatives(value):
            if isinstance(option, Tainted):
                found |= option.marks
            elif isinstance(option, Items):
                found |= marks(option.items)
            elif isinstance(option, Option):
                found |= marks((option.default,))
    return frozenset(found)


def computed(*values: Value) -> Value:
    """An unknown value that was computed from these."""
    found = marks(values)
    return Tainted(found) if found else UNKNOWN


class Truth(Enum):
    """Whether a test holds; LIKELY and UNLIKELY: unless the user chooses otherwise at the start."""

    YES = "yes"
    LIKELY = "likely"
    OPEN = "open"
    UNLIKELY = "unlikely"
    NO = "no"

    def negated(self) -> Truth:
        return _NEGATED[self]


_NEGATED = {
    Truth.YES: Truth.NO, Truth.LIKELY: Truth.UNLIKELY, Truth.OPEN: Truth.OPEN, Truth.UNLIKELY: Truth.LIKELY, Truth.NO: Truth.YES
}  # fmt: skip


def truth(value: Value) -> Truth:
    """Whether the value counts as true."""
    if isinstance(value, Known):
        return Truth.YES if value.value else Truth.NO
    if isinstance(value, Option):
        inner = truth(value.default)
        return {Truth.YES: Truth.LIKELY, Truth.NO: Truth.UNLIKELY}.get(inner, inner)
    if isinstance(value, Either):
        return _common({truth(option) for option in value.options})
    if isinstance(value, Bound) and isinstance(value.function, str):
        return Truth.OPEN  # an attribute of something out of sight
    if isinstance(value, Instance | FunctionValue | ClassValue | Bound | ModuleRef | Partial):
        return Truth.YES
    if isinstance(value, Items):
        return Truth.YES if value.items else Truth.NO
    if isinstance(value, Tainted) and any(mark.kind == "version" for mark in value.marks):
        return Truth.LIKELY
    return Truth.OPEN


def _common(found: set[Truth]) -> Truth:
    """The truth of a value that may be any of several."""
    if len(found) == 1:
        return found.pop()
    if found <= {Truth.YES, Truth.LIKELY}:
        return Truth.LIKELY
    return Truth.UNLIKELY if found <= {Truth.NO, Truth.UNLIKELY} else Truth.OPEN


def is_none(value: Value) -> Truth:
    """Whether the value is None."""
    if isinstance(value, Known):
        return Truth.YES if value.value is None or value is MISSING else Truth.NO
    if isinstance(value, Option):
        inner = is_none(value.default)
        return {Truth.YES: Truth.LIKELY, Truth.NO: Truth.UNLIKELY}.get(inner, inner)
    if isinstance(value, Either):
        return _common({is_none(option) for option in value.options})
    if isinstance(value, Unknown) or (isinstance(value, Bound) and isinstance(value.function, str)):
        return Truth.OPEN
    if isinstance(value, External) and value.path.startswith(("torch.version.", "wandb.run")):
        return Truth.OPEN
    if isinstance(value, Made) and _may_find_nothing(value.cls):
        return Truth.OPEN
    return Truth.NO


_GIVERS = ("torch.", "torchvision.", "torchaudio.", "numpy.", "builtins.", "copy.", "timm.", "gym.", "gymnasium.")
"""Libraries whose functions make what they are asked for; `get_worker_info` is the well-known exception."""


@lru_cache(maxsize=4096)
def _may_find_nothing(callee: str) -> bool:
    """Whether a call out of sight may well return None: `os.environ.get("RANK")`, `find_spec("apex")`, no class."""
    name = callee.rpartition(".")[2]
    if callee.startswith(_GIVERS):
        return name == "get_worker_info"
    return name[:1].islower()


def given(value: Value | None) -> bool:
    """Whether an argument was given and is not certainly None."""
    return value is not None and is_none(value) is not Truth.YES

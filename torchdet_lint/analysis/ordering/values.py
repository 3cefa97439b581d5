"""What is known of a value as far as order goes: which arbitrary orders show in it, and what its elements are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

from torchdet_lint import ir

Place: TypeAlias = tuple[str, int, ir.Span]
"""A file, a unit in it, and a span in the unit."""

NONE, INT, STR, OBJECT, UNKNOWN = "none", "int", "str", "object", "unknown"
"""Types of elements. "int" stands for everything whose hash is the same in every process (numbers, tuples of them);
"object" for what is hashed by its address; "none" for the elements of a container that is empty so far."""


class Listed(NamedTuple):
    """What a callable outside of the project gives in no defined order: `kind` as in `Origin`, `api` the name to show."""

    kind: str
    api: str


Lists: TypeAlias = Callable[[str], Listed | None]
"""What is known of a callable outside of the project, by its canonical dotted name."""


@dataclass(frozen=True, slots=True)
class Origin:
    """An arbitrary order: that of a "listing", that of a "set" at the place where it is walked through, or the order of
    "completion", in which parallel work finishes.

    `place` is where a finding would stand; for a set that nothing has walked through yet it is where the set is made.
    `source` is where the set comes from; for a listing it is set where a `with` statement opened it, and equals `place` as
    long as nothing has walked through it. `fix` is the span that `sorted(...)` can be put around. `param` marks the order
    of an argument of the function under study, which is its caller's affair. `via` says how the order got further
    before it was used.
    """

    kind: str
    place: Place
    api: str
    elements: str = field(default=UNKNOWN, compare=False)
    source: Place | None = None
    fix: ir.Span | None = field(default=None, compare=False)
    param: bool = False
    via: str = field(default="", compare=False)

    @property
    def rank(self) -> tuple[Place, Place, str, str]:
        """A fixed order of origins, for all that must not depend on the order of a set here."""
        return (self.place, self.source or self.place, self.kind, self.api)


@dataclass(frozen=True, slots=True)
class Value:
    """An abstract value.

    `form` is "set", "seq" (list, tuple, iterator), "map" (dict), "walk" (what `os.walk` gives), "text", "index" (a number
    counted along an arbitrary order), "scalar", "path", "tensor", "table", "file", "param" or "plain" (nothing is known).
    `type` is that of the elements of a container, or of a scalar itself. `obj` names the object, so that sorting it under
    one name is seen under another. `item` is an element where elements are containers themselves; `parts` are those of
    a tuple. `depth` is the number of loops that were open when the value was made.
    """

    form: str = "plain"
    type: str = UNKNOWN
    origins: frozenset[Origin] = frozenset()
    obj: Place | None = None
    item: Value | None = None
    parts: tuple[Value, ...] = ()
    depth: int = 0


PLAIN = Value()
NUMBER = Value("scalar", INT)
TEXT = Value("scalar", STR)
PATH = Value("path", STR)

_RANK = {
    form: rank
    for rank, form in enumerate(
        (
            "plain",
            "param",
            "scalar",
            "file",
            "tensor",
            "path",
            "map",
            "keys",
            "table",
            "seq",
            "text",
            "index",
            "set",
            "walk",
        )
    )
}


def join_types(first: str, second: str) -> str:
    """The type of a mixture; one element whose hash varies makes the whole order vary."""
    if second in (first, NONE):
        return first
    if first == NONE:
        return second
    if OBJECT in (first, second):
        return OBJECT
    return UNKNOWN if UNKNOWN in (first, second) else STR


def join_all(types: Iterable[str]) -> str:
    joined = NONE
    for one in types:
        joined = join_types(joined, one)
    return joined


def merge(first: Value, second: Value) -> Value:
    """Either of two values: the one whose order says more, with the orders of both."""
    if first == second:
        return first
    if len(first.origins) == len(second.origins) == 0 and first.form == second.form == "scalar":
        return Value("scalar", join_types(first.type, second.type))
    keep, other = (first, second) if weight(first) >= weight(second) else (second, first)
    item = keep.item if other.item is None else other.item if keep.item is None else merge(keep.item, other.item)
    parts = keep.parts or other.parts
    if keep.parts and len(keep.parts) == len(other.parts):
        parts = tuple(merge(a, b) for a, b in zip(keep.parts, other.parts, strict=True))
    kind = join_types(keep.type, other.type) if keep.form == other.form else keep.type
    return replace(keep, origins=keep.origins | other.origins, item=item, parts=parts, type=kind)


def weight(value: Value) -> tuple[bool, bool, int]:
    return (bool(value.origins), value.obj is not None, _RANK[value.form])


def merge_all(values: Iterable[Value]) -> Value:
    merged: Value | None = None
    for value in values:
        merged = value if merged is None else merge(merged, value)
    return PLAIN if merged is None else merged


def through(origins: Iterable[Origin], via: str) -> frozenset[Origin]:
    """The same orders, remembering the first way they went."""
    return frozenset(origin if origin.via else replace(origin, via=via) for origin in origins)


def substitute(value: Value, origins: frozenset[Origin]) -> Value:
    """The value with the caller's orders in place of those of the argument."""
    own = frozenset(origin for origin in value.origins if not origin.param)
    if own != value.origins:
        own |= origins
    return replace(
        value,
        origins=own,
        item=None if value.item is None else substitute(value.item, origins),
        parts=tuple(substitute(part, origins) for part in value.parts),
    )


def gives_order(value: Value) -> bool:
    """Whether somebody who is given the value gets an order: that of a set too that nothing has walked through."""
    own = value.type not in (INT, NONE) if value.form == "set" else any(not origin.param for origin in value.origins)
    inner = (value.item, *value.parts) if value.item is not None else value.parts
    return own or any(map(gives_order, inner))

"""What the recorder needs to know of an operation of torch, from its schema and tags."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

_EMPTY = ("empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided", "empty_quantized")
_LIFTING = ("lift", "lift_fresh")
"""What `torch.tensor` and `from_numpy` end with: it returns its argument, which is data from outside."""

_POINTING = ("set_",)
"""What makes a tensor look at other memory. It counts as written in schemas, and what it looks at may have no contents yet: a
copy of a storage is made so (`aten/src/ATen/StorageUtils.cpp`).
"""

_SWITCHED = (
    "convolution", "scaled_dot_product", "attention", "mm", "bmm", "addmm", "baddbmm", "lstm", "gru", "rnn",
)  # fmt: skip


@dataclass(frozen=True)
class Operation:
    """`name` with its overload. `written` are positions and names of arguments that it changes. `view`: the result shares memory
    with an argument. `fresh`: it may have memory of its own. `draws`: it may take random numbers. `empty`: the result has no
    contents. `grows`: it may expose memory that has none. `sends`: a collective, whose results arrive later, and `sent` are
    the arguments that it sends. `switched`: backend switches matter. `silent`: it computes nothing, and is not recorded.
    """

    function: Any
    name: str
    written: tuple[tuple[int, str], ...]
    view: bool
    fresh: bool
    draws: bool
    empty: bool
    grows: bool
    sends: bool
    sent: tuple[tuple[int, str], ...]
    switched: bool
    silent: bool
    _forward: dict[str, str] = field(default_factory=dict)
    _backward: dict[str, str] = field(default_factory=dict)

    def forward(self, place: str) -> str:
        """The beginning of its line in a stream, made once for each place."""
        begin = self._forward.get(place)
        if begin is None:
            begin = self._forward[place] = f"OP\t{self.name}\t{place}\t"
        return begin

    def backward(self, place: str) -> str:
        """The same in a backward pass."""
        begin = self._backward.get(place)
        if begin is None:
            begin = self._backward[place] = f"BW\t{self.name}\t{place}\t"
        return begin


def describe(function: Any) -> Operation:
    """The description of an operator overload."""
    schema = function._schema
    space, _, base = schema.name.partition("::")
    written = tuple(
        (index, argument.name)
        for index, argument in enumerate(schema.arguments)
        if argument.alias_info is not None and argument.alias_info.is_write
    )
    sends = space in ("c10d", "_c10d_functional", "c10d_functional")
    shared = any(result.alias_info is not None and not result.alias_info.is_write for result in schema.returns)
    return Operation(
        function=function,
        name=f"{space}.{base}" + (f".{schema.overload_name}" if schema.overload_name else ""),
        written=written,
        fresh=not shared and not _in_place(function._schema),
        view=(shared and not written and base not in _LIFTING) or base in _POINTING,
        draws=any(str(tag).endswith("nondeterministic_seeded") for tag in function.tags),
        empty=space == "aten" and base in _EMPTY,
        grows=base in ("resize_", "resize_as_", "resize"),
        sends=sends,
        sent=_sent(base, schema.arguments) if sends else (),
        switched=any(part in base for part in _SWITCHED),
        silent=space == "profiler",
    )


def _in_place(schema: Any) -> bool:
    """Whether all that it returns are arguments that it changes, of which the name ends in `_`: not what `out=` fills, which may
    be memory that nobody has seen.
    """
    return schema.name.endswith("_") and bool(schema.returns) and all(each.alias_info for each in schema.returns)


def _sent(base: str, arguments: Any) -> tuple[tuple[int, str], ...]:
    """What a collective sends: its inputs, and what a reduction overwrites. What a broadcast overwrites has no contents on the
    ranks that receive it, and schemas do not say which those are.
    """
    names = [argument.name for argument in arguments]
    inputs = tuple((index, name) for index, name in enumerate(names) if name.startswith("input"))
    return inputs or (tuple(enumerate(names[:1])) if "reduce" in base else ())

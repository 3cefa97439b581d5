"""Memory that is not what it seems for a while: rows that `resize_` has added, and copies to the host that still run.

From the reference of `torch.Tensor.resize_` (new elements are uninitialised) and the tutorial on `non_blocking`
(https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html): a copy from an accelerator to the host with
`non_blocking=True` returns before it is done, and `to("cpu", non_blocking=True)` makes its target in pinned memory itself.
"""

from __future__ import annotations

from typing import TypeAlias

from torchdet_lint import ir
from torchdet_lint.analysis.memory.allocation import assigned_values, is_int
from torchdet_lint.analysis.memory.frame import Frame, escape, place_flight, place_grown
from torchdet_lint.analysis.memory.values import DONE, State, Value, bare
from torchdet_lint.project.names import Names

Arguments: TypeAlias = "list[tuple[ir.Arg, Value]]"

RESIZES = frozenset({"resize_", "resize_as_"})
STORAGES = frozenset({"storage", "untyped_storage", "_typed_storage", "typed_storage"})
WAITS = ("synchron", "barrier", "wait")
"""Parts of names of what waits for the device, as far as names tell."""

FETCHES = frozenset("item tolist cpu numpy nonzero query".split())
"""Methods that wait for the stream when the tensor is on the device, or ask whether it is done."""


def resized(frame: Frame, state: State, expr: ir.Call, func: ir.Attr) -> Value | None:
    """`tensor.resize_(...)` on a tensor of which nothing is known: it may have grown. None for any other call."""
    if func.name not in RESIZES or not expr.args:
        return None
    base = func.value
    if isinstance(base, ir.Call) and isinstance(base.func, ir.Attr) and base.func.name in STORAGES:
        base = base.func.value
    base = base.value if isinstance(base, ir.Attr) and base.name == "data" else base
    if not _may_grow(expr, base, frame.names):
        return None
    sizes = tuple(arg.value for arg in expr.args if arg.star == "") if func.name == "resize_" else None
    value = place_grown(frame, state, expr.span, f"Tensor.{func.name}", sizes)
    if isinstance(base, ir.Name) and (base.id in state.env or base.id in frame.parameters):
        state.env[base.id] = value
    elif isinstance(base, ir.Attr) and isinstance(base.value, ir.Name) and base.value.id == frame.self_name:
        state.fields[base.name] = value
    return value


def _may_grow(expr: ir.Call, base: ir.Expr, names: Names) -> bool:
    """Whether the receiver is a tensor, as far as can be seen, and may get more elements than it has."""
    if isinstance(base, ir.Call) and names.definition(base.func) is not None:
        return False
    made = assigned_values(base.id, names) if isinstance(base, ir.Name) else ()
    if any(isinstance(value, ir.Call) and names.definition(value.func) is not None for value in made):
        return False
    sizes = [arg.value for arg in expr.args if arg.star == ""]
    if all(_own_size(size, bare(base)) for size in sizes):
        return False
    new = _elements(sizes)
    old = [_elements(_created(value, names)) for value in (*made, base)]
    return new is None or not any(count is not None and new <= count for count in old)


def _own_size(expr: ir.Expr, base: object) -> bool:
    """Whether a size is 0, 1, or computed from the receiver's own sizes without growing."""
    if isinstance(expr, ir.Const):
        return expr.value in (0, 1)
    if isinstance(expr, ir.Binary):
        divides = expr.op == "//" and isinstance(expr.right, ir.Const)
        return expr.op in ("*", "//") and _own_size(expr.left, base) and (divides or _own_size(expr.right, base))
    if isinstance(expr, ir.Item):
        return isinstance(expr.value, ir.Attr) and expr.value.name == "shape" and bare(expr.value.value) == base
    if isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attr):
        return expr.func.name in ("size", "numel", "nelement") and bare(expr.func.value) == base
    if isinstance(expr, ir.Call) and isinstance(expr.func, ir.Name) and expr.func.id == "len" and len(expr.args) == 1:
        return bool(bare(expr.args[0].value) == base)
    return False


def _created(expr: ir.Expr, names: Names) -> list[ir.Expr]:
    """The sizes in a call such as `torch.zeros(2, 3)`."""
    if not isinstance(expr, ir.Call) or not (names.dotted(expr.func) or "").startswith("torch."):
        return []
    sizes = [arg.value for arg in expr.args if arg.star == ""]
    return sizes if all(is_int(size, names) for size in sizes) or len(sizes) == 1 else []


def _elements(sizes: list[ir.Expr]) -> int | None:
    """How many elements literal sizes make, None when they are not literal."""
    if len(sizes) == 1 and isinstance(sizes[0], ir.Sequence):
        sizes = list(sizes[0].items)
    count = 1
    for size in sizes:
        if not isinstance(size, ir.Const) or not isinstance(size.value, int):
            return None
        count *= size.value
    return count if sizes else None


def to_host(frame: Frame, state: State, expr: ir.Call, func: ir.Attr) -> Value | None:
    """`tensor.to("cpu", non_blocking=True)`: a host tensor that is still being filled. None for any other call; one that
    waits for its own copy has waited for those before it.
    """
    if func.name != "to":
        return None
    if not any(arg.name in ("", "device") and _is_cpu(arg.value, frame.names) for arg in expr.args):
        return None
    if not _flag(expr, "non_blocking", frame.names):
        waited(state, "cpu")
        return None
    return place_flight(frame, state, expr.span, "Tensor.to")


def copied(frame: Frame, state: State, expr: ir.Call, func: ir.Attr, owner: Value, args: Arguments) -> Value | None:
    """`host.copy_(tensor, non_blocking=True)` into pinned memory. None for any other call."""
    if func.name != "copy_" or not _flag(expr, "non_blocking", frame.names):
        return None
    pinned = any(ref.buffer.pinned for ref in owner.refs)
    if not pinned and not (isinstance(func.value, ir.Name) and _is_pinned(func.value, frame.names)):
        return None
    for _, value in args:
        escape(frame, state, value)
    filled = place_flight(frame, state, expr.span, "Tensor.copy_")
    if isinstance(func.value, ir.Name):
        state.env[func.value.id] = filled
    for ref in owner.refs:
        state.heap[ref.buffer] = state.heap[filled.refs[0].buffer]
    return filled


def _flag(expr: ir.Call, name: str, names: Names) -> bool:
    """Whether the keyword argument is certainly true."""
    return any(arg.name == name and isinstance(arg.value, ir.Const) and arg.value.value is True for arg in expr.args)


def _is_cpu(expr: ir.Expr, names: Names, depth: int = 3) -> bool:
    """Whether a device is certainly the CPU."""
    if isinstance(expr, ir.Const):
        return bool(expr.value == "cpu")
    if isinstance(expr, ir.Call):
        return names.dotted(expr.func) == "torch.device" and any(
            _is_cpu(arg.value, names, depth) for arg in expr.args[:1]
        )
    if isinstance(expr, ir.Name) and depth:
        values = assigned_values(expr.id, names)
        return bool(values) and all(_is_cpu(value, names, depth - 1) for value in values)
    return False


def _is_pinned(name: ir.Name, names: Names) -> bool:
    values = assigned_values(name.id, names)
    return bool(values) and all(pins(value, names) for value in values)


def pins(expr: ir.Expr, names: Names) -> bool:
    """`torch.zeros(..., pin_memory=True)`, `tensor.pin_memory()`"""
    if not isinstance(expr, ir.Call):
        return False
    if isinstance(expr.func, ir.Attr) and expr.func.name == "pin_memory":
        return True
    return (names.dotted(expr.func) or "").startswith("torch.") and _flag(expr, "pin_memory", names)


def in_flight(state: State, value: Value) -> bool:
    """Whether the value is a host tensor that is still being filled."""
    return any(state.heap.get(ref.buffer, DONE).flight is not None for ref in value.refs)


def waited(state: State, name: str, owner: Value | None = None) -> None:
    """A call of this name may wait for the device: then all copies have arrived."""
    if owner is not None and in_flight(state, owner):
        return
    if name in FETCHES or any(part in name for part in WAITS):
        for buffer, status in state.heap.items():
            if status.flight is not None:
                state.heap[buffer] = DONE

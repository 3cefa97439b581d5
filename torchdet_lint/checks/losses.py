"""What losses over classes are given: a value for each pixel, which is summed by another kernel, or one row for each sample."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from torchdet_lint import ir

if TYPE_CHECKING:
    from torchdet_lint.checks.conditions import Call

THROUGH = frozenset("to cuda cpu long int float half double bfloat16 type contiguous detach clone squeeze".split())
"""Methods that say nothing on whether pixels have become rows."""

STEPS = 6
"""Through so many methods an expression is followed."""

MOVES = frozenset(("transpose", "swapaxes", "swapdims", "permute"))
"""Methods and functions that change the order of dimensions."""


class Loss(NamedTuple):
    """One use of a loss: whether its input is known to have pixels, and whether these are known to be made rows before."""

    pixels: bool
    flattened: bool


def losses(call: Call, uses: Iterator[Call]) -> list[Loss]:
    """The uses of a loss function (its call), or of a loss that is built here and called elsewhere (`uses`): with an input and a
    target. What gets more than these under the same name is another loss.
    """
    return [_loss(use) for use in ([call] if not call.layer else uses) if not call.layer or len(use.expr.args) == 2]


def _loss(call: Call) -> Loss:
    given, target = call.argument("input", 0), call.argument("target", 1)
    found = call.trait(given, call.made.get("input", 0))
    flat = _rows(call, given, 2) or _rows(call, target, 1)
    return Loss(found.pixels or _classes_second(call, given), flat)


def _classes_second(call: Call, expr: ir.Expr | None) -> bool:
    """Whether classes are moved in front of other dimensions: `logits.transpose(1, 2)`, `logits.permute(0, 3, 1, 2)`."""
    moved = call.inference.definition(expr) if expr is not None else None
    if not isinstance(moved, ir.Call) or ir.last_name(moved.func) not in MOVES:
        return False
    axes = [arg.value.value for arg in moved.args if arg.star == "" and isinstance(arg.value, ir.Const)]
    return any(isinstance(axis, int) and axis >= 2 for axis in axes)


def _rows(call: Call, expr: ir.Expr | None, dims: int) -> bool:
    """Whether an expression has so many dimensions: `.view(-1, classes)`, `.reshape(-1)`, `.flatten()`, `rearrange(…)`."""
    for _ in range(STEPS):  # `masks = masks.to(device)` leads back to itself
        expr = call.inference.definition(expr) if expr is not None else None
        if not isinstance(expr, ir.Call):
            return False
        plain = [arg.value for arg in expr.args if arg.star == ""]
        func = expr.func
        name = ir.last_name(func)
        if name == "rearrange":
            return any(isinstance(arg, ir.Const) and _groups(str(arg.value)) == dims for arg in plain)
        if not isinstance(func, ir.Attr):
            return False
        if name in ("view", "reshape"):
            items = plain[0].items if len(plain) == 1 and isinstance(plain[0], ir.Sequence) else plain
            return len(items) == dims
        if name in ("flatten", "ravel"):
            return dims == 1 and not plain
        if name not in THROUGH:
            return False
        expr = func.value
    return False


def _groups(pattern: str) -> int:
    """How many dimensions the right side of an einops pattern has: 2 in `b c h w -> (b h w) c`."""
    found, depth = 0, 0
    for token in pattern.partition("->")[2].replace("(", " ( ").replace(")", " ) ").split():
        if token == ")":
            depth -= 1
        elif not depth:
            found += 1
        if token == "(":
            depth += 1
    return found

"""What calls of torch's functions and of methods of tensors give, from what is known of their arguments."""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.analysis.tensors import known
from torchdet_lint.analysis.tensors.trait import Trait

SMOOTH = (*known.SHAPES, "log_softmax", "softmax", "float")
"""Functions and methods that keep a value for each pixel."""


def function_result(name: str, expr: ir.Call, given: Trait) -> Trait:
    """The result of a function of torch; `given` is what is known of its arguments together."""
    dtype = dtype_of(name, expr, given.dtype)
    if name in known.FACTORIES or name in known.SEEN:
        tracked = any(arg.name == "requires_grad" for arg in expr.args)
        placed = any(arg.name == "device" or arg.star == "**" for arg in expr.args)
        device = "cpu" if not placed and name in known.FACTORIES else ""
        return Trait("tensor", dtype, "" if tracked else "no", device, name in known.ORDERS)
    grad = "no" if name in known.LIKE or name in known.WHOLE else given.grad
    unique = name in known.ORDERS or (given.unique and name in known.SHAPES)
    pixels = name == "interpolate" or (given.pixels and name in SMOOTH)
    return Trait("tensor", dtype, grad, given.device, unique, pixels, given.given)


def method_result(name: str, expr: ir.Call, receiver: Trait, grad: str) -> Trait:
    """The result of a method of a tensor."""
    unique = name in known.ORDERS or (receiver.unique and name in known.SHAPES)
    dtype, device = dtype_of(name, expr, receiver.dtype), device_of(name, expr, receiver)
    return Trait("tensor", dtype, grad, device, unique, receiver.pixels and name in SMOOTH, receiver.given)


def _type_name(expr: ir.Expr) -> str:
    """`torch.long`, `"long"`, `torch.LongTensor` → their last name."""
    if isinstance(expr, ir.Attr):
        return expr.name
    return str(expr.value).rpartition(".")[2] if isinstance(expr, ir.Const) else ""


def dtype_of(name: str, expr: ir.Call, given: str) -> str:
    """The dtype of what a function or method gives."""
    named = [arg.value for arg in expr.args if arg.name == "dtype"]
    if name in ("to", "type", "view", "astype"):
        named += [arg.value for arg in expr.args if arg.star == ""]
    for value in named:
        last = _type_name(value)
        if last in known.INTEGER_TYPES:
            return "int"
        if last in known.REAL_TYPES:
            return "float"
    if named and name not in ("to", "view"):
        return ""
    if name in known.REAL:
        return "float"
    if name in known.WHOLE:
        return "int" if name != "bincount" or len(expr.args) < 2 else "float"
    if name in ("zeros", "ones", "empty"):
        return "float"
    return given if name in known.SHAPES or name in ("tensor", "full", "as_tensor", *known.LIKE, *known.NEW) else ""


def device_of(name: str, expr: ir.Call, receiver: Trait) -> str:
    if name == "cpu":
        return "cpu"
    if name == "cuda":
        return ""
    if name != "to":
        return receiver.device
    targets = [arg.value for arg in expr.args if arg.star == "" or arg.name == "device"]
    if any(isinstance(target, ir.Const) and target.value == "cpu" for target in targets):
        return "cpu"
    only_types = all(_type_name(target) in known.INTEGER_TYPES | known.REAL_TYPES for target in targets)
    return receiver.device if only_types else ""

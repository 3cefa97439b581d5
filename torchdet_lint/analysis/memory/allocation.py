"""Which calls return memory that nothing has written, and of which size."""

from __future__ import annotations

from collections.abc import Iterator

from torchdet_lint import ir
from torchdet_lint.analysis.memory.initialised import nodes
from torchdet_lint.analysis.memory.tables import (
    ALLOCATING_METHODS,
    ALLOCATING_WORDS,
    ALLOCATORS,
    LEGACY,
    META_CONTEXTS,
    NO_TENSOR,
    TENSOR_METHODS,
    TENSOR_TYPES,
)
from torchdet_lint.project.modules import Definition, Same
from torchdet_lint.project.names import Local, Names, flat, local_bindings

INT_CALLS = frozenset({"builtins.len", "builtins.int", "math.ceil", "math.floor", "torch.numel"})
INT_METHODS = frozenset({"size", "numel", "dim", "ndimension", "nelement"})
INT_OPERATORS = frozenset({"+", "-", "*", "//", "%", "**", "<<", ">>", "|", "&"})


def allocation(call: ir.Call, names: Names) -> tuple[str, tuple[ir.Expr, ...] | None] | None:
    """The allocator as resolved and the sizes (None where they are not written out), or None for any other call.

    Calls that leave nothing unwritten are None as well: no element, the meta device, `out=`, data instead of sizes.
    """
    api, how = _allocator(call, names)
    if not api or _elsewhere(call, names):
        return None
    if how == "legacy":
        return _legacy(call, api, names)
    positional = [arg.value for arg in call.args if arg.star == ""]
    if any(arg.star in ("*", "**") for arg in call.args):
        return None if how == "sizes" and any(_is_zero(size, names) for size in positional) else (api, None)
    given = next((arg.value for arg in call.args if arg.star == "=" and arg.name in ("size", "shape")), None)
    if how == "like":
        return api, None
    if given is None and not positional:
        return None
    first = given if given is not None else positional[0]
    sizes = tuple(positional) if how == "sizes" and given is None and len(positional) > 1 else _spread(first, names)
    return None if any(_is_zero(size, names) for size in sizes or _written(first)) else (api, sizes)


def _written(expr: ir.Expr) -> tuple[ir.Expr, ...]:
    """The sizes that are written out in a shape of unknown length: the last of `(*shape, 0)` and of `shape + (0,)`."""
    if isinstance(expr, ir.Sequence):
        return tuple(item for item in expr.items if not isinstance(item, ir.Starred))
    if isinstance(expr, ir.Binary) and expr.op == "+":
        return (*_written(expr.left), *_written(expr.right))
    return ()


def _allocator(call: ir.Call, names: Names) -> tuple[str, str]:
    if isinstance(call.func, ir.Attr) and call.func.name not in ALLOCATING_WORDS:
        return "", ""
    dotted = names.dotted(call.func)
    if dotted in ALLOCATORS:
        return dotted, ALLOCATORS[dotted]
    if dotted in LEGACY:
        return dotted, "legacy"
    if isinstance(call.func, ir.Attr) and call.func.name in ALLOCATING_METHODS and dotted is None:
        return f"Tensor.{call.func.name}", ALLOCATING_METHODS[call.func.name]
    return "", ""


def _elsewhere(call: ir.Call, names: Names) -> bool:
    """Whether the call allocates nothing itself: `out=`, or the meta device."""
    return any(
        (arg.name == "out" and not _is_none(arg.value)) or (arg.name == "device" and is_meta(arg.value, names))
        for arg in call.args
        if arg.star == "="
    )


def is_meta(expr: ir.Expr, names: Names) -> bool:
    """Whether a device expression is the meta device, or a context makes tensors without memory or hands them on filled."""
    if isinstance(expr, ir.Const):
        return bool(expr.value == "meta")
    if isinstance(expr, ir.Call):
        last = ir.last_name(expr.func)
        return last in META_CONTEXTS or (last == "device" and any(is_meta(arg.value, names) for arg in expr.args))
    if isinstance(expr, ir.Name):
        return any(is_meta(value, names) for value in assigned_values(expr.id, names) if not isinstance(value, ir.Name))
    return isinstance(expr, ir.Attr) and "meta" in expr.name


def _legacy(call: ir.Call, api: str, names: Names) -> tuple[str, tuple[ir.Expr, ...]] | None:
    """Sizes only where they cannot be data: two or more arguments, or one that is certainly an int."""
    if any(arg.star in ("*", "**") for arg in call.args):
        unpacked = [arg.value for arg in call.args if arg.star == "*"]
        return (api, ()) if len(call.args) == 1 and unpacked and _is_shape(unpacked[0], names) else None
    sizes = tuple(arg.value for arg in call.args if arg.star == "")
    if not sizes or any(_is_zero(size, names) for size in sizes):
        return None
    if len(sizes) == 1 and not is_int(sizes[0], names):
        return (api, ()) if is_torch_size(sizes[0], names) else None
    return None if any(isinstance(s, ir.Sequence | ir.Comprehension) for s in sizes) else (api, sizes)


def _is_shape(expr: ir.Expr, names: Names) -> bool:
    if isinstance(expr, ir.Attr):
        return expr.name == "shape"
    if isinstance(expr, ir.Call):
        return isinstance(expr.func, ir.Attr) and expr.func.name == "size" and not expr.args
    if isinstance(expr, ir.Sequence):
        return all(is_int(item, names) for item in expr.items)
    return False


def is_torch_size(expr: ir.Expr, names: Names) -> bool:
    """Whether the expression is certainly a `torch.Size`: any other tuple, such as the shape of an array or of a gym
    space, is data to the legacy constructors.
    """
    if isinstance(expr, ir.Attr):
        return expr.name == "shape" and _is_tensor(expr.value, names)
    return isinstance(expr, ir.Call) and _is_shape(expr, names)


def _is_tensor(expr: ir.Expr, names: Names, depth: int = 4) -> bool:
    if depth == 0:
        return False
    if isinstance(expr, ir.Call):
        dotted = names.dotted(expr.func)
        if dotted is not None:
            return dotted.startswith("torch.") and dotted.rsplit(".", 1)[-1] not in NO_TENSOR
        return isinstance(expr.func, ir.Attr) and (
            expr.func.name in TENSOR_METHODS or _is_tensor(expr.func.value, names, depth - 1)
        )
    if isinstance(expr, ir.Item | ir.Binary | ir.Unary):
        return _is_tensor(expr.left if isinstance(expr, ir.Binary) else expr.value, names, depth - 1)
    if isinstance(expr, ir.Attr):
        return expr.name in ("data", "grad", "T") and _is_tensor(expr.value, names, depth - 1)
    return isinstance(expr, ir.Name) and _tensor_name(expr.id, names, depth - 1)


def _tensor_name(name: str, names: Names, depth: int) -> bool:
    """A name whose every value is a tensor, or a parameter that is annotated as one or used like one."""
    for function in reversed(names.functions):
        param = next((param for param in function.params if param.name == name), None)
        if param is not None:
            annotation = names.dotted(param.annotation) if param.annotation is not None else None
            return annotation in TENSOR_TYPES or _used_as_tensor(name, function)
        if name in bindings(function, names):
            break
    values = assigned_values(name, names)
    return bool(values) and all(_is_tensor(value, names, depth) for value in values)


def _used_as_tensor(name: str, function: ir.Function | ir.Lambda) -> bool:
    """Whether the function calls a method on the parameter that only tensors have."""
    return any(
        isinstance(node, ir.Call)
        and isinstance(node.func, ir.Attr)
        and node.func.name in TENSOR_METHODS
        and isinstance(node.func.value, ir.Name)
        and node.func.value.id == name
        for node in nodes(function.body)
    )


def _spread(expr: ir.Expr, names: Names) -> tuple[ir.Expr, ...] | None:
    """The sizes behind a single size argument: `(2, n)` and `n` are written out, `shape` and `x.shape` are not."""
    if isinstance(expr, ir.Sequence):
        return None if any(isinstance(item, ir.Starred) for item in expr.items) else expr.items
    if isinstance(expr, ir.Name):
        values = assigned_values(expr.id, names)
        if len(values) == 1 and isinstance(values[0], ir.Sequence):
            return _spread(values[0], names)
    return (expr,) if is_int(expr, names) else None


def _is_zero(expr: ir.Expr, names: Names) -> bool:
    if isinstance(expr, ir.Name):
        values = assigned_values(expr.id, names)
        return len(values) == 1 and isinstance(values[0], ir.Const) and _is_zero(values[0], names)
    return isinstance(expr, ir.Const) and expr.value == 0 and expr.value is not False


def _is_none(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Const) and expr.value is None


def is_int(expr: ir.Expr, names: Names, depth: int = 5) -> bool:
    """Whether the expression is certainly a Python int."""
    if isinstance(expr, ir.Const):
        return isinstance(expr.value, int) and not isinstance(expr.value, bool)
    if depth == 0:
        return False
    if isinstance(expr, ir.Binary):
        return expr.op in INT_OPERATORS and is_int(expr.left, names, depth - 1) and is_int(expr.right, names, depth - 1)
    if isinstance(expr, ir.Unary):
        return expr.op in "+-~" and is_int(expr.value, names, depth - 1)
    if isinstance(expr, ir.Choice):
        return is_int(expr.then, names, depth - 1) and is_int(expr.other, names, depth - 1)
    if isinstance(expr, ir.Item):
        return isinstance(expr.value, ir.Attr) and expr.value.name == "shape" and not isinstance(expr.key, ir.Slice)
    if isinstance(expr, ir.Call):
        if isinstance(expr.func, ir.Attr) and expr.func.name in INT_METHODS and names.dotted(expr.func) is None:
            return expr.func.name != "size" or bool(expr.args)
        dotted = names.dotted(expr.func)
        if dotted in ("builtins.max", "builtins.min"):
            return len(expr.args) > 1 and all(is_int(arg.value, names, depth - 1) for arg in expr.args)
        return dotted in INT_CALLS
    return isinstance(expr, ir.Name) and _int_name(expr.id, names, depth - 1)


def _int_name(name: str, names: Names, depth: int) -> bool:
    for function in reversed(names.functions):
        param = next((param for param in function.params if param.name == name), None)
        if param is not None:
            annotated = isinstance(param.annotation, ir.Name) and param.annotation.id == "int"
            return annotated or (param.default is not None and is_int(param.default, names, 1))
        local = bindings(function, names).get(name)
        if local is not None:
            if local.other:
                return isinstance(function, ir.Function) and _counted(name, function, names)
            return bool(local.values) and all(is_int(value, names, depth) for value in local.values)
    values = assigned_values(name, names)
    return bool(values) and all(is_int(value, names, depth) for value in values)


def _counted(name: str, function: ir.Function, names: Names) -> bool:
    """Whether every binding of the name counts: `for name in range(…)`."""
    loops = [statement for statement in flat(function.body) if isinstance(statement, ir.For)]
    bound = [loop for loop in loops if isinstance(loop.target, ir.Name) and loop.target.id == name]
    return bool(bound) and all(
        isinstance(loop.iter, ir.Call) and names.dotted(loop.iter.func) == "builtins.range" for loop in bound
    )


def bindings(function: ir.Function | ir.Lambda, names: Names) -> dict[str, Local]:
    """`local_bindings`, remembered with the project."""
    return names.project.once((bindings, Same(function)), lambda: local_bindings(function))


def assigned_values(name: str, names: Names) -> tuple[ir.Expr, ...]:
    """The expressions assigned to a name, innermost scope first; empty when it is bound in another way as well."""
    for function in reversed(names.functions):
        local = bindings(function, names).get(name)
        if local is not None:
            return () if local.other or local.imports else local.values
    symbol = names.project.lookup(names.path, name)
    return tuple(_assigned(symbol, names)) if isinstance(symbol, Definition) else ()


def _assigned(symbol: Definition, names: Names) -> Iterator[ir.Expr]:
    for unit in symbol.units:
        for statement in flat(names.project.body(symbol.path, unit)):
            if isinstance(statement, ir.Assign) and statement.value is not None:
                for target in statement.targets:
                    if isinstance(target, ir.Name) and target.id == symbol.name:
                        yield statement.value

"""Atomic additions in kernels that the project itself writes: in Triton, and in strings of CUDA source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from torchdet_lint import ir
from torchdet_lint.ir import nested
from torchdet_lint.project.modules import Project
from torchdet_lint.project.names import Names

TRITON_ADD = "triton.language.atomic_add"
CUDA_ADD = re.compile(r"\b((?:gpu|fast)?[aA]tomicAdd(?:_block|_system|NoReturn)?)\s*\(")
COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
KERNEL = re.compile(r"__global__|__device__|\bextern\s+\"C\"|torch/extension\.h|ATen/")
LOADERS = frozenset(
    "load_inline RawKernel RawModule SourceModule ElementwiseKernel ReductionKernel compile_source nvrtc".split()
)
"""What compiles CUDA source that is given as a string: torch.utils.cpp_extension, cupy, pycuda."""

WHOLE = re.compile(
    r"-?(?:\d+[uUlL]*|0x[0-9a-fA-F]+)|\(?\s*(?:unsigned|int|size_t|uint\w*|long)\b.*|true|false|sizeof.*"
)
WHOLE_TYPES = r"(?:unsigned(?:\s+(?:int|long|char|short))*|(?:u?int(?:\d+_t)?|size_t|long(?:\s+long)?|bool))"
COUNTERS = re.compile(r"count|cnt|num_|_num|\bn_|lock|mutex|semaphore|ticket|offset|cursor|flag|hist_i|index|idx")
INTEGER_TYPES = frozenset("int1 int8 int16 int32 int64 uint8 uint16 uint32 uint64".split())


class AtomicAdd(NamedTuple):
    """An atomic addition of floating-point numbers: the call in a Triton kernel, or the string of CUDA source that holds it.

    `text` and `argument` say which addition of a string it is; both are "" for Triton.
    """

    unit: int
    span: ir.Span
    text: str = ""
    argument: str = ""


def atomic_adds(project: Project, path: str, names: Names) -> Iterator[AtomicAdd]:
    """The additions of a file, in order."""
    source = project.modules[path].source
    triton = any("atomic_add" in unit.words for unit in source.units)
    cuda = "tomicAdd" in source.text and any(not LOADERS.isdisjoint(unit.words) for unit in source.units)
    if not (triton or cuda):
        return
    for unit in source.units:
        if unit.kind in ("import", "from"):
            continue
        if triton and "atomic_add" in unit.words:
            yield from (AtomicAdd(unit.index, call.span) for call in _triton(project.body(path, unit.index), names))
        if cuda and source.text.find("tomicAdd", unit.start, unit.end) >= 0:
            for text in _strings(project.body(path, unit.index)):
                if (found := cuda_addition(text.value)) is not None:
                    yield AtomicAdd(unit.index, text.span, *found)


def _strings(body: ir.Body) -> Iterator[ir.Const]:
    for node in nested(body):
        if isinstance(node, ir.Const) and isinstance(node.value, str):
            yield node


def cuda_addition(text: str) -> tuple[str, str] | None:
    """The first atomic addition of floating-point numbers in CUDA source, as (function, arguments); None when there is none.

    What is added decides: a whole number, a cast to one, or a variable that the source declares as one is no such addition.
    """
    source = COMMENTS.sub(" ", text)
    if KERNEL.search(source) is None:
        return None
    for found in CUDA_ADD.finditer(source):
        parts = _arguments(source, found.end())
        if len(parts) < 2 or _is_whole(parts[1], source) or _is_whole_target(parts[0], source):
            continue
        return f"{found[1]}(...)", ", ".join(" ".join(part.split()) for part in parts)
    return None


def _arguments(source: str, start: int) -> list[str]:
    """The arguments of the call whose opening parenthesis ends at `start`."""
    depth, begin = 0, start
    parts: list[str] = []
    for at in range(start, len(source)):
        letter = source[at]
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            if depth == 0:
                return [*parts, source[begin:at].strip()]
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(source[begin:at].strip())
            begin = at + 1
    return []


def _is_whole(added: str, source: str) -> bool:
    if WHOLE.fullmatch(added):
        return True
    return re.fullmatch(r"[A-Za-z_]\w*", added) is not None and _declared_whole(added, source)


def _is_whole_target(target: str, source: str) -> bool:
    name = re.match(r"&?\s*\(*\s*([A-Za-z_]\w*)", target)
    return name is not None and _declared_whole(name[1], source)


def _declared_whole(name: str, source: str) -> bool:
    return re.search(rf"\b{WHOLE_TYPES}\s*(?:const\s*)?[*&]*\s*(?:__restrict__\s*)?\b{name}\b", source) is not None


# Triton


def _triton(body: ir.Body, names: Names) -> Iterator[ir.Call]:
    """The atomic additions in kernels of a unit that may add floating-point numbers."""
    for statement in nested(body):
        if isinstance(statement, ir.Function):
            yield from _kernel(statement, names.inside(statement))


def _kernel(function: ir.Function, names: Names) -> Iterator[ir.Call]:
    inside = {
        id(call) for inner in nested(function.body) if isinstance(inner, ir.Function) for call in _calls(inner.body)
    }
    dropped = {id(node.value) for node in nested(function.body) if isinstance(node, ir.Do)}
    for call in _calls(function.body):
        if id(call) in inside or names.dotted(call.func) != TRITON_ADD:
            continue
        # Whoever uses what was there before counts, or takes turns.
        if id(call) in dropped and not _counts(call, function, names):
            yield call


def _calls(body: ir.Body) -> Iterator[ir.Call]:
    return (node for node in nested(body) if isinstance(node, ir.Call))


def _counts(call: ir.Call, function: ir.Function, names: Names) -> bool:
    """Whether the addition is of integers, as far as the kernel shows."""
    value = next((arg.value for arg in call.args if arg.name == "val"), None)
    plain = [arg.value for arg in call.args if arg.star == ""]
    value = value if value is not None else plain[1] if len(plain) > 1 else None
    if value is None:
        return True
    known = _integer(value, function, names, 6)
    if known is None and plain:
        return any(isinstance(node, ir.Name) and COUNTERS.search(node.id.lower()) for node in nested(plain[0]))
    return bool(known)


def _integer(value: ir.Expr, function: ir.Function, names: Names, depth: int) -> bool | None:
    """Whether a value of a kernel is an integer; None when the kernel does not show it."""
    if depth == 0:
        return None
    if isinstance(value, ir.Const):
        return isinstance(value.value, int)
    if isinstance(value, ir.Compare):
        return True
    if isinstance(value, ir.Binary):
        sides = {_integer(side, function, names, depth - 1) for side in (value.left, value.right)}
        return False if value.op == "/" or False in sides else True if sides == {True} else None
    if isinstance(value, ir.Name):
        bound = [
            node.value
            for node in nested(function.body)
            if isinstance(node, ir.Assign) and node.value is not None
            and any(isinstance(target, ir.Name) and target.id == value.id for target in node.targets)
        ]  # fmt: skip
        found = {_integer(each, function, names, depth - 1) for each in bound}
        return False if False in found else True if found == {True} else None
    return _integer_call(value, function, names, depth) if isinstance(value, ir.Call) else None


def _integer_call(call: ir.Call, function: ir.Function, names: Names, depth: int) -> bool | None:
    if isinstance(call.func, ir.Attr) and call.func.name == "to" and call.args:
        target = call.args[0].value
        last = target.name if isinstance(target, ir.Attr) else ""
        return True if last in INTEGER_TYPES else False if last.startswith(("float", "bfloat", "fp")) else None
    dotted = names.dotted(call.func) or ""
    last = dotted.rpartition(".")[2] if dotted.startswith("triton.language.") else ""
    if last in ("program_id", "arange", "num_programs", "argmax", "argmin"):
        return True
    if last in ("dot", "exp", "log", "sqrt", "sigmoid", "softmax", "rand"):
        return False
    if last == "load":
        other = next((arg.value for arg in call.args if arg.name == "other"), None)
        return False if isinstance(other, ir.Const) and isinstance(other.value, float) else None
    if last in ("zeros", "full"):
        dtype = next((arg.value for arg in call.args if arg.name == "dtype"), None)
        dtype = dtype if dtype is not None else call.args[-1].value if call.args else None
        name = dtype.name if isinstance(dtype, ir.Attr) else ""
        return True if name in INTEGER_TYPES else False if "float" in name else None
    if last in ("sum", "max", "min", "where", "maximum", "minimum") and call.args:
        inner = [arg.value for arg in call.args if arg.star == ""][1 if last == "where" else 0 :]
        found = {_integer(each, function, names, depth - 1) for each in inner[:2] if not isinstance(each, ir.Const)}
        return False if False in found else True if found == {True} else None
    return None

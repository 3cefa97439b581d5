"""TDL501: `zeros` for `empty`."""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.finding import Edit, Fix
from torchdet_lint.fixes.imports import Named
from torchdet_lint.fixes.target import Target, fix

ZEROS = {
    "empty": "zeros", "empty_like": "zeros_like", "new_empty": "new_zeros",
}  # fmt: skip
TYPES = {
    "Tensor": "", "FloatTensor": "float32", "DoubleTensor": "float64", "HalfTensor": "float16", "BFloat16Tensor": "bfloat16",
    "ByteTensor": "uint8", "CharTensor": "int8", "ShortTensor": "int16", "IntTensor": "int32", "LongTensor": "int64",
    "BoolTensor": "bool",
}  # fmt: skip
"""The types of the old constructors (https://docs.pytorch.org/docs/stable/tensors.html#data-types)."""


def zeros(target: Target) -> Fix | None:
    """TDL501"""
    if target.call is None:
        return None
    call, base = target.call
    func = call.func
    name = func.name if isinstance(func, ir.Attr) else getattr(func, "id", "")
    edits, names = _replaced(target, call, base, name)
    return fix("start from zeros", _safety(target), edits, names)


def _safety(target: Target) -> str:
    """A weight of zeros is defined, and seldom what is wanted: for parameters this is only shown."""
    if target.variant == "parameter":
        bias = "bias" in target.code.text[target.code.line_start(target.start) : target.start]
        return "unsafe" if bias else "display"
    return "safe" if target.finding.confidence == "high" and target.variant == "read" else "unsafe"


def _replaced(target: Target, call: ir.Call, base: int, name: str) -> tuple[list[Edit | None], list[Named | None]]:
    code, func = target.code, call.func
    end = base + func.span[1]
    dotted = target.facts.names(code.path).dotted(func) or ""
    if name in ZEROS and isinstance(func, ir.Attr):
        return [code.edit(end - len(name), end, ZEROS[name])], []
    if dotted.startswith(("torch.", "numpy.")) and dotted.rpartition(".")[2] in ZEROS:
        library, _, last = dotted.rpartition(".")
        spelled = target.named(f"{library}.{ZEROS[last]}")
        return [None if spelled is None else code.edit(base + func.span[0], end, spelled.text)], [spelled]
    kind = dotted.rpartition(".")[2]
    if dotted == f"torch.{kind}" and kind in TYPES and all(arg.star == "" for arg in call.args):
        spelled = target.named("torch.zeros")
        made: list[Edit | None] = [None if spelled is None else code.edit(base + func.span[0], end, spelled.text)]
        names: list[Named | None] = [spelled]
        if TYPES[kind]:
            from torchdet_lint.fixes.arguments import add

            type_ = target.named(f"torch.{TYPES[kind]}")
            names.append(type_)
            made.append(None if type_ is None else add(code, target.start, target.end, f"dtype={type_.text}"))
        return made, names
    return [None], []

"""TDL501: `zeros` for `empty`; layers that are emptied start as they are built."""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.finding import Edit, Fix
from torchdet_lint.fixes.imports import Named, is_free
from torchdet_lint.fixes.seeds import seed_at
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
    if target.variant == "network":
        return _reset(target, call, base)
    func = call.func
    name = ir.last_name(func)
    edits, names = _replaced(target, call, base, name)
    return fix("start from zeros", _safety(target), edits, names)


def _reset(target: Target, call: ir.Call, base: int) -> Fix | None:
    """After `model.to_empty(...)` the layers draw their weights, as they would have when they were built; a checkpoint that
    lacks some of them leaves those. Weights that a network makes itself have no `reset_parameters`.
    """
    code = target.code
    level = code.around(target.start)[-1]
    placed, func = level.here, call.func
    statement = placed.statement
    if not isinstance(func, ir.Attr) or func.name != "to_empty":
        return None
    if isinstance(statement, ir.Do) and statement.value is call:
        model = code.written(base, func.value.span)
    elif isinstance(statement, ir.Assign) and statement.value is call and len(statement.targets) == 1:
        model = code.written(base, statement.targets[0].span)
    else:
        return None
    name = next((each for each in ("module", "layer", "part") if is_free(code, each, target.start)), "")
    step = "\t" if "\t" in code.indent(placed.start) else "    "
    seed = _missing_seed(target)
    lines = [
        *seed[0],
        f"for {name} in {model}.modules():",
        f'{step}if hasattr({name}, "reset_parameters"):',
        f"{step}{step}{name}.reset_parameters()",
    ]
    return fix("initialise its layers", "unsafe", [code.lines_after(placed, lines) if name else None], seed[1])


def _missing_seed(target: Target) -> tuple[list[str], list[Named | None]]:
    """The line that seeds torch, where a program has this code and no seed: the layers draw."""
    programs = [
        program
        for program in target.facts.programs
        if target.code.path in target.facts.imported_by(program.program.path)
    ]
    if all("seed:torch" in program.hits for program in programs):
        return [], []
    seeder = target.named("torch.manual_seed")
    seed = seed_at(target.facts, target.code, target.start)
    return [] if seeder is None else [f"{seeder.text}({seed.argument})"], [seeder]


def _safety(target: Target) -> str:
    """A vector of zeros is a fair start for a parameter. A matrix of zeros has rows that are alike and stay alike: its
    initialisation is up to the author, and for it this is only shown.
    """
    if target.variant == "parameter":
        bias = "bias" in target.code.text[target.code.line_start(target.start) : target.start]
        return "unsafe" if bias or _is_vector(target) else "display"
    return "safe" if target.finding.confidence == "high" and target.variant == "read" else "unsafe"


def _is_vector(target: Target) -> bool:
    """Whether at most one of the sizes that are written in the call is not 1."""
    sizes = [arg.value for arg in target.call[0].args if arg.star == ""] if target.call is not None else []
    if len(sizes) == 1 and isinstance(sizes[0], ir.Sequence):
        sizes = list(sizes[0].items)
    known = bool(sizes) and not any(isinstance(size, ir.Starred) for size in sizes)
    wide = [size for size in sizes if not (isinstance(size, ir.Const) and size.value == 1)]
    return known and len(wide) <= 1 and (len(sizes) > 1 or _is_number(sizes[0]))


def _is_number(size: ir.Expr) -> bool:
    """Whether a single size is written as one number, rather than as a shape that a name may hold."""
    return isinstance(size, ir.Const) and isinstance(size.value, int)


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

"""TDL201, 202, 204, 207–209: the flag, or the argument that chooses a mode."""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.checks.facts import nested
from torchdet_lint.finding import Edit, Fix
from torchdet_lint.fixes.arguments import add, argument, remove, replace
from torchdet_lint.fixes.target import Target, fix
from torchdet_lint.project.programs import is_test

TUNED = {"max-autotune": "reduce-overhead", "max-autotune-no-cudagraphs": "default"}
"""For modes of `torch.compile` that tune by timing, the mode that does the rest of what they do
(https://docs.pytorch.org/docs/stable/generated/torch.compile.html).
"""
TUNING = ("max_autotune", "max_autotune_gemm", "max_autotune_pointwise", "coordinate_descent_tuning")


def benchmark(target: Target) -> Fix | None:
    """TDL201"""
    if target.variant == "unknown":
        return None
    return _switched(target, "benchmark", "True", "False", "turn the benchmark mode off")


def deterministic(target: Target) -> Fix | None:
    """TDL202"""
    if target.variant == "unknown":
        return None
    if target.variant == "context":
        edit = add(target.code, target.start, target.end, "deterministic=True")
        return fix("pass `deterministic=True`", "unsafe", [edit])
    return _switched(target, "deterministic", "False", "True", "use deterministic algorithms of cuDNN")


def _switched(target: Target, name: str, wrong: str, right: str, title: str) -> Fix | None:
    """The flag the other way round, where it is written at the place: as an assigned value, or as an argument."""
    code = target.code
    value = _flag(target, name)
    if value is None:
        return None
    node, base = value
    if not isinstance(node, ir.Const):
        return _default(target, node, right)
    if str(node.value) not in (wrong, str(int(wrong == "True"))):
        return None
    return fix(title, "unsafe", [replace(code, base, node, right)])


def _default(target: Target, node: ir.Expr, right: str) -> Fix | None:
    """The flag is a parameter, or its opposite, that decides by its default: the default changes, so that several flags that
    hang on one parameter change together, and who passes it still has the say.
    """
    negated = isinstance(node, ir.Unary) and node.op == "not"
    name = node.value if isinstance(node, ir.Unary) else node
    found = target.code.function(target.start)
    if found is None or not isinstance(name, ir.Name):
        return None
    function, base = found
    wanted = right if not negated else str(right != "True")
    for param in function.params:
        default = param.default
        if param.name == name.id and isinstance(default, ir.Const) and type(default.value) is bool:
            if str(default.value) == wanted or _is_rebound(function, name.id) or _is_passed(target, name.id):
                return None
            title = f"let `{param.name}` default to {wanted}"
            return fix(title, "unsafe", [replace(target.code, base, default, wanted)])
    return None


def _is_rebound(function: ir.Function, name: str) -> bool:
    assigned = (each for node in nested(function.body) if isinstance(node, ir.Assign) for each in node.targets)
    return any(isinstance(each, ir.Name) and each.id == name for each in assigned)


def _is_passed(target: Target, name: str) -> bool:
    """Whether other code has the parameter's name, and may pass it: then its default decides nothing."""
    own = target.code.unit_at(target.start)
    return any(
        name in unit.words
        for path, module in target.facts.project.modules.items()
        for unit in module.source.units
        if own is None or (path, unit.index) != (target.code.path, own.index)
    )


def _flag(target: Target, name: str) -> tuple[ir.Expr, int] | None:
    """The expression at the place that is the value of a flag."""
    for node, base in target.code.nodes(target.start, target.end):
        if isinstance(node, ir.Assign) and node.value is not None:
            return node.value, base
        if isinstance(node, ir.Call):
            given = argument(node, name) or argument(node, f"cudnn_{name}")
            if given is not None:
                return given.value, base
            if getattr(node.func, "id", "") == "setattr" and len(node.args) == 3:
                return node.args[2].value, base
        if isinstance(node, ir.Const):
            return node, base
    return None


def strict_again(target: Target) -> Fix | None:
    """TDL208"""
    if target.call is None:
        return None
    call, base = target.call
    given = argument(call, "mode", 0)
    if given is None or not isinstance(given.value, ir.Const):
        return None
    wanted = {"False": "True", "0": '"error"', "'default'": '"error"'}.get(repr(given.value.value))
    if wanted is None:
        return None
    # Tests, and code that has turned the mode on itself, put things back as they were.
    safety = "display" if target.variant == "undone" or is_test(target.code.path) else "unsafe"
    return fix("leave deterministic algorithms on", safety, [replace(target.code, base, given.value, wanted)])


def raise_instead(target: Target) -> Fix | None:
    """TDL204"""
    if target.call is None:
        return None
    call, base = target.call
    given = argument(call, "warn_only")
    if given is not None:
        edit = remove(target.code, base, given)
        return fix("drop `warn_only`", "unsafe", [edit])
    mode = argument(call, "debug_mode", 0)
    if mode is None or not isinstance(mode.value, ir.Const) or mode.value.value not in ("warn", 1):
        return None
    quote = target.code.text[base + mode.value.span[0]]
    text = f"{quote}error{quote}" if mode.value.value == "warn" else "2"
    return fix(f"use {text}, which raises", "unsafe", [replace(target.code, base, mode.value, text)])


def no_tuning(target: Target) -> Fix | None:
    """TDL207"""
    if target.variant == "triton":
        return _one_configuration(target)
    for node, base in target.code.nodes(target.start, target.end):
        if isinstance(node, ir.Assign) and isinstance(node.value, ir.Const) and node.value.value is True:
            return fix("do not choose kernels by timing", "unsafe", [replace(target.code, base, node.value, "False")])
        if isinstance(node, ir.Call):
            return _compile_without_tuning(target, node, base)
    return None


def _one_configuration(target: Target) -> Fix | None:
    """The first of the configurations. Which one is to stay is for somebody to measure, so this is only shown."""
    configs = argument(target.call[0], "configs", 0) if target.call is not None else None
    if target.call is None or configs is None or not isinstance(configs.value, ir.Sequence):
        return None
    items, base = configs.value.items, target.call[1]
    if len(items) < 2 or any(isinstance(item, ir.Starred) for item in items):
        return None
    edit = target.code.edit(base + items[0].span[1], base + items[-1].span[1], "")
    return fix("keep one configuration, the one that you measured to be the best", "display", [edit])


def _compile_without_tuning(target: Target, call: ir.Call, base: int) -> Fix | None:
    mode = argument(call, "mode")
    if mode is not None and isinstance(mode.value, ir.Const) and mode.value.value in TUNED:
        chosen = TUNED[mode.value.value]
        quote = target.code.text[base + mode.value.span[0]]
        edit = replace(target.code, base, mode.value, f"{quote}{chosen}{quote}")
        return fix(f'use `mode="{chosen}"`, which does not time kernels', "unsafe", [edit])
    options = argument(call, "options")
    if options is None or not isinstance(options.value, ir.Mapping):
        return None
    edits: list[Edit | None] = [
        replace(target.code, base, value, "False")
        for key, value in options.value.items
        if isinstance(key, ir.Const) and key.value in TUNING and isinstance(value, ir.Const) and value.value is True
    ]
    return fix("do not choose kernels by timing", "unsafe", edits)


def precise(target: Target) -> Fix | None:
    """TDL209"""
    for node, base in target.code.nodes(target.start, target.end):
        if isinstance(node, ir.Assign) and isinstance(node.value, ir.Const) and node.value.value is True:
            return fix("compute in full precision", "unsafe", [replace(target.code, base, node.value, "False")])
        if isinstance(node, ir.Call) and node.args:
            return _precise_call(target, node, base)
    return None


def _precise_call(target: Target, call: ir.Call, base: int) -> Fix | None:
    value = call.args[-1].value if getattr(call.func, "id", "") == "setattr" else call.args[0].value
    if isinstance(value, ir.Const) and value.value is True:
        return fix("compute in full precision", "unsafe", [replace(target.code, base, value, "False")])
    if isinstance(value, ir.Const) and value.value in ("high", "medium"):
        quote = target.code.text[base + value.span[0]]
        return fix("compute in full precision", "unsafe", [replace(target.code, base, value, f"{quote}highest{quote}")])
    return None

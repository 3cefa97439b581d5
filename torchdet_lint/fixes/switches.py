"""TDL201, 202, 204, 207–209: the flag, or the argument that chooses a mode."""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.checks.facts import nested
from torchdet_lint.finding import Edit, Fix
from torchdet_lint.fixes.arguments import add, argument, remove, replace, set_argument
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
    if not isinstance(node, ir.Const) or str(node.value) not in (wrong, str(int(wrong == "True"))):
        return None
    return fix(title, "unsafe", [replace(code, base, node, right)])


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
        return None
    for node, base in target.code.nodes(target.start, target.end):
        if isinstance(node, ir.Assign) and isinstance(node.value, ir.Const) and node.value.value is True:
            return fix("do not choose kernels by timing", "unsafe", [replace(target.code, base, node.value, "False")])
        if isinstance(node, ir.Call):
            return _compile_without_tuning(target, node, base)
    return None


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


# Attention


def flash_deterministic(target: Target) -> Fix | None:
    """TDL304"""
    if target.variant != "call" or target.call is None:
        return None
    edit = set_argument(target.code, target.start, target.end, "deterministic", "True")
    return fix("pass `deterministic=True`", "unsafe", [edit])


def _strict_is_better(target: Target) -> bool:
    """Whether a program that trains on an accelerator has this code: then its strict mode is what is missing (TDL203)."""
    return any(
        {"cuda", "backward"} <= set(program.hits) and target.code.path in target.facts.imported_by(program.program.path)
        for program in target.facts.programs
    )


def math_only(target: Target) -> Fix | None:
    """TDL301: the statement inside of `sdpa_kernel(SDPBackend.MATH)`."""
    code = target.code
    if not target.facts.context.torch(code.path).newest_satisfies("torch>=2.3"):
        return None  # `torch.nn.attention` is not there yet
    around = code.around(target.start)
    if not around or _in_lambda(target):
        return None
    placed = around[-1].here
    if not isinstance(placed.statement, ir.Do | ir.Assign | ir.Return | ir.Augment):
        return None
    begin, end = code.line_start(placed.start), code.line_end(placed.end)
    if (
        code.text[begin : placed.start].strip()
        or code.mask[placed.end : end].strip()
        or _many_line_string(target, placed.start, end)
    ):
        return None
    kernel = target.named("torch.nn.attention.sdpa_kernel")
    backend = target.named("torch.nn.attention.SDPBackend")
    if kernel is None or backend is None:
        return None
    indent = code.indent(placed.start)
    step = "\t" if "\t" in indent else "    "
    lines = code.text[begin:end].split(code.newline)
    body = code.newline.join(step + line if line.strip() else line for line in lines)
    text = f"{indent}with {kernel.text}({backend.text}.MATH):{code.newline}{body}"
    imports = _together(kernel.imports, backend.imports)
    safety = "display" if _strict_is_better(target) else "unsafe"
    found = fix("compute attention with the math backend", safety, [code.edit(begin, end, text)])
    return None if found is None else Fix(found.title, found.safety, found.edits, imports)


def _together(kernel: tuple[Edit, ...], backend: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """One statement that imports both names, where neither is imported yet."""
    if kernel and backend:
        return (
            backend[0]._replace(text=backend[0].text.replace("import SDPBackend", "import SDPBackend, sdpa_kernel")),
        )
    return kernel + backend


def _in_lambda(target: Target) -> bool:
    unit = target.code.unit_at(target.start)
    if unit is None:
        return True
    at = target.start - unit.start
    return any(
        isinstance(node, ir.Lambda | ir.Comprehension) and node.span[0] <= at < node.span[1]
        for node in nested(target.facts.project.body(target.code.path, unit.index))
    )


def _many_line_string(target: Target, start: int, end: int) -> bool:
    """Whether a string goes over the end of a line: to indent it would change it."""
    return target.code.mask.count("\n", start, end) != target.code.text.replace("\r\n", " \n").count("\n", start, end)


def only_math(target: Target) -> Fix | None:
    """TDL303: a context that admits the math backend only."""
    code = target.code
    if target.call is None:
        return None
    call, base = target.call
    safety = "display" if target.variant != "cudnn-strict" and _strict_is_better(target) else "unsafe"
    given = argument(call, "backends", 0)
    if target.api.endswith("sdp_kernel"):
        return _new_context(target, safety)
    if given is None:
        return None
    backend = target.named("torch.nn.attention.SDPBackend")
    if backend is None:
        return None
    edit = replace(code, base, given.value, f"{backend.text}.MATH")
    return fix("admit the math backend only", safety, [edit], [backend])


def _new_context(target: Target, safety: str) -> Fix | None:
    """The context that took the place of `torch.backends.cuda.sdp_kernel` in torch 2.3."""
    if not target.facts.context.torch(target.code.path).newest_satisfies("torch>=2.3"):
        return None
    kernel = target.named("torch.nn.attention.sdpa_kernel")
    backend = target.named("torch.nn.attention.SDPBackend")
    if kernel is None or backend is None:
        return None
    imports = _together(kernel.imports, backend.imports)
    edit = target.code.edit(target.start, target.end, f"{kernel.text}({backend.text}.MATH)")
    return Fix("admit the math backend only", safety, (edit,), imports)

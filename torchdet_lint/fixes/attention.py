"""TDL301, 303: the math backend of torch's attention; TDL304: flash-attn in its deterministic mode."""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.analysis.modes import FLASH_NAME
from torchdet_lint.checks.facts import nested
from torchdet_lint.finding import Edit, Fix
from torchdet_lint.fixes.arguments import argument, replace, set_argument
from torchdet_lint.fixes.places import statement_at
from torchdet_lint.fixes.target import Target, fix


def flash_deterministic(target: Target) -> Fix | None:
    """TDL304"""
    if target.variant == "transformers":
        return _environment(target)
    if target.variant != "call" or target.call is None:
        return None
    edit = set_argument(target.code, target.start, target.end, "deterministic", "True")
    return fix("pass `deterministic=True`", "unsafe", [edit])


def _environment(target: Target) -> Fix | None:
    """The variable that transformers reads when flash-attn is first called, above the statement that selects it
    (https://github.com/huggingface/transformers, `modeling_flash_attention_utils.py`).
    """
    placed = statement_at(target.code, target.start)
    environment = target.named("os.environ")
    if placed is None or environment is None or "lambda" in target.code.mask[placed.start : target.start]:
        return None
    line = f'{environment.text}["{FLASH_NAME}"] = "1"'
    edit = target.code.lines_before(placed.start, (line,), lift=False)
    return fix(f"set {FLASH_NAME}", "unsafe", [edit], [environment])


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

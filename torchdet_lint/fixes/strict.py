"""TDL203, 205: strict mode and the workspace of cuBLAS, before anything runs on the accelerator."""

from __future__ import annotations

import re

from torchdet_lint import ir
from torchdet_lint.analysis.fold import Hit
from torchdet_lint.analysis.modes import CUBLAS
from torchdet_lint.analysis.state import FAMILIES
from torchdet_lint.analysis.values import Truth, truth
from torchdet_lint.checks.facts import ProgramFacts
from torchdet_lint.finding import Edit, Fix
from torchdet_lint.fixes.code import Code, Placed
from torchdet_lint.fixes.imports import Named
from torchdet_lint.fixes.places import frames, head, in_loop, offset_of, precedes, process_of, statement_at
from torchdet_lint.fixes.target import Target, fix

CUDNN = "mode:torch.backends.cudnn.deterministic"
CUBLAS_NAME = "CUBLAS_WORKSPACE_CONFIG"
WORKSPACE = ":4096:8"
_SETTING = re.compile(r"[\w.]*(?:seed|cudnn)[\w.]*\s*[=(]")
"""A line that seeds, or sets a switch of cuDNN."""


def enable(target: Target) -> Fix | None:
    """TDL203"""
    program = target.program
    if program is None:
        return None
    title = "enable deterministic algorithms"
    uses = [program.hits[key] for key in ("matmul", "backward") if key in program.hits]
    for placed in _beside(target, program, uses):
        lines, names = _lines(target, program, placed.start, _switch_above(target.code, program, placed))
        edit = target.code.lines_after(placed, lines)
        if edit is not None:
            return fix(title, "unsafe", [edit], names)
    elsewhere = _elsewhere(target, program, uses)
    if elsewhere is not None:
        return elsewhere
    found = head(target.facts, target.code, uses)
    if found is None:
        return None
    lines, names = _lines(target, program, found.placed.start)
    return fix(title, "unsafe", [found.insert(target.code, lines)], names)


def _elsewhere(target: Target, program: ProgramFacts, uses: list[Hit]) -> Fix | None:
    """Beside the seeding in another file, where the entry file has no statement of its own for that."""
    hit = program.hits.get("seed:torch")
    if hit is None or hit.event.site.path == target.code.path or not target.facts.context.wants(hit.event.site.path):
        return None
    code = Code.of(target.facts.project, hit.event.site.path)
    placed = statement_at(code, offset_of(code, hit.event.site)[0]) if code is not None else None
    if code is None or placed is None or not isinstance(placed.statement, ir.Do) or in_loop(code, placed):
        return None
    if not all(precedes(hit, use) and process_of(hit) == process_of(use) for use in uses):
        return None
    last = _last_like(code, placed)
    there = Target(target.finding, target.facts, code, last.start, last.end, ())
    lines, names = _lines(there, program, last.start)
    return fix("enable deterministic algorithms", "unsafe", [code.lines_after(last, lines)], names)


def _lines(target: Target, program: ProgramFacts, at: int, value: str = "True") -> tuple[list[str], list[Named | None]]:
    names: list[Named | None] = []
    lines: list[str] = []
    if f"mode:{CUBLAS}" not in program.hits and "mode:cublas-workspace" not in program.hits:
        environment = target.named("os.environ", at)
        names.append(environment)
        if environment is not None:
            lines.append(f'{environment.text}["{CUBLAS_NAME}"] = "{WORKSPACE}"')
    mode = target.named("torch.use_deterministic_algorithms", at)
    names.append(mode)
    if mode is not None:
        lines.append(f"{mode.text}({value})")
    return lines, names


def _beside(target: Target, program: ProgramFacts, uses: list[Hit]) -> list[Placed]:
    """Statements of the entry file that switch cuDNN, or seed: where they are, strict mode belongs."""
    found = []
    ways = [way for use in uses if (way := frames(target.code, use)) is not None]
    if len(ways) < len(uses):
        return []
    using = {each.start for way in ways for frame in way if (each := statement_at(target.code, frame.at)) is not None}
    for key in (CUDNN, *(f"seed:{family}" for family in reversed(FAMILIES)), "seed:cuda-only"):
        hit = program.hits.get(key)
        if hit is None or not all(precedes(hit, use) and process_of(hit) == process_of(use) for use in uses):
            continue
        way = frames(target.code, hit)
        placed = statement_at(target.code, way[-1].at) if way else None
        # Whatever else seeds on the way, such as a data set when it is built, is no place for modes.
        kinds = (ir.Do, ir.Assign) if key == CUDNN else (ir.Do,)
        if placed is None or not isinstance(placed.statement, kinds) or in_loop(target.code, placed):
            continue
        if placed.start not in using:
            found.append(_last_like(target.code, placed))
    return found


def _switch_above(code: Code, program: ProgramFacts, placed: Placed) -> str:
    """The option that switches cuDNN's deterministic mode in the lines above, where it is not off by default; it should
    switch this mode too.
    """
    setting = program.hits.get(CUDNN)
    if setting is None or truth(setting.event.value) in (Truth.NO, Truth.UNLIKELY):
        return "True"
    level = code.around(placed.start)[-1]
    for each in level.block[max(level.index - 2, 0) : level.index + 1]:
        statement = each.statement
        if isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Name | ir.Attr):
            target = statement.targets[0]
            if isinstance(target, ir.Attr) and target.name == "deterministic":
                return code.written(each.base, statement.value.span)
    return "True"


def _last_like(code: Code, placed: Placed) -> Placed:
    """The last of the lines of the same paragraph that only call something or set a switch."""
    level = code.around(placed.start)[-1]
    last = level.here
    for each in level.block[level.index + 1 :]:
        together = code.position(each.start)[0] == code.position(last.end)[0] + 1
        if not together or not isinstance(each.statement, ir.Do | ir.Assign) or not _SETTING.match(code.slice(each)):
            break
        last = each
    return last


def workspace(target: Target) -> Fix | None:
    """TDL205"""
    program = target.program
    if program is None:
        return None
    if target.variant == "value":
        return _better_value(target, program)
    placed = statement_at(target.code, target.start)
    environment = target.named("os.environ")
    if placed is None or environment is None:
        return None
    line = f'{environment.text}["{CUBLAS_NAME}"] = "{WORKSPACE}"'
    if target.variant == "missing":
        edit = target.code.lines_before(placed.start, (line,), lift=False)
        return fix(f"set {CUBLAS_NAME}", "unsafe", [edit], [environment])
    found = head(target.facts, target.code, [program.hits["matmul-unset"]])
    if found is None:
        return None
    environment = target.named("os.environ", found.placed.start)
    late = _late_setting(target, program, found.placed)
    mode = _mode_beside(target, program, late)
    lines = [line, *(target.code.slice(each) for each in mode)]
    cuts = [target.code.cut(each) for each in (*late, *mode)]
    if not all(cuts) or sum(len(target.code.around(each.start)[-1].block) <= len(cuts) for each in late):
        lines, cuts = [line], []
    return fix(f"set {CUBLAS_NAME} first", "unsafe", [found.insert(target.code, lines), *_joined(cuts)], [environment])


def _joined(cuts: list[Edit | None]) -> list[Edit]:
    return sorted((cut for cut in cuts if cut is not None), key=lambda cut: cut.start)


def _late_setting(target: Target, program: ProgramFacts, early: Placed) -> list[Placed]:
    """The line that comes too late, where it says the same and nothing else. In another function it stays: others may call
    that, and it belongs to what stands beside it.
    """
    setting, code = program.hits.get(f"mode:{CUBLAS}"), target.code
    if setting is None or setting.event.site.path != code.path:
        return []
    placed = statement_at(code, offset_of(code, setting.event.site)[0])
    written = code.slice(placed) if placed is not None else ""
    if placed is None or not isinstance(placed.statement, ir.Assign) or WORKSPACE not in written:
        return []
    return [placed] if code.function(placed.start) == code.function(early.start) else []


def _mode_beside(target: Target, program: ProgramFacts, late: list[Placed]) -> list[Placed]:
    """The line that enables strict mode, where it stands next to the late one: they move together."""
    mode, code = program.hits.get("mode:strict"), target.code
    if not late or mode is None or mode.event.site.path != code.path:
        return []
    level = code.around(late[0].start)[-1]
    beside = level.block[max(level.index - 1, 0) : level.index + 2]
    start = offset_of(code, mode.event.site)[0]
    return [
        each
        for each in beside
        if isinstance(each.statement, ir.Do)
        and each.start <= start < each.end
        and abs(code.position(each.start)[0] - code.position(late[0].start)[0]) == 1
    ]


def _better_value(target: Target, program: ProgramFacts) -> Fix | None:
    setting = program.hits.get(f"mode:{CUBLAS}")
    if setting is None or setting.event.site.path != target.code.path:
        return None
    start, end = offset_of(target.code, setting.event.site)
    for node, base in target.code.nodes(start, end):
        value = node.value if isinstance(node, ir.Assign) else None
        if isinstance(node, ir.Call) and len(node.args) == 2:
            value = node.args[1].value
        if isinstance(value, ir.Const) and isinstance(value.value, str):
            quote = target.code.text[base + value.span[0]]
            edit = target.code.edit(base + value.span[0], base + value.span[1], f"{quote}{WORKSPACE}{quote}")
            return fix(f"set it to {WORKSPACE}", "unsafe", [edit])
    return None

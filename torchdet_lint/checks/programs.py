"""TDL203, 205: what a program that trains on an accelerator leaves unset."""

from __future__ import annotations

from collections.abc import Iterator

from torchdet_lint.analysis.modes import CUBLAS, good_cublas
from torchdet_lint.analysis.state import FAMILIES
from torchdet_lint.analysis.trace import events
from torchdet_lint.analysis.values import Known, Truth, truth
from torchdet_lint.checks.emit import at_hit, call_text
from torchdet_lint.checks.facts import Facts, ProgramFacts
from torchdet_lint.finding import Finding

CUDNN = "mode:torch.backends.cudnn.deterministic"


def check_programs(facts: Facts) -> Iterator[Finding]:
    for program in facts.programs:
        yield from _mode_missing(facts, program)
        yield from _workspace_missing(facts, program)


def _mode_missing(facts: Facts, program: ProgramFacts) -> Iterator[Finding]:
    hits = program.hits
    cuda, backward = hits.get("cuda"), hits.get("backward")
    if cuda is None or backward is None or any(f"strict-{how}" in hits for how in ("on", "warn", "unknown")):
        return
    if not any(f"seed:{family}" in hits for family in FAMILIES):
        variant = "unseeded"
    elif CUDNN in hits and truth(hits[CUDNN].event.value) in (Truth.YES, Truth.LIKELY):
        variant = "cudnn-only"
    else:
        variant = "never"
    yield at_hit(
        facts,
        "TDL203",
        variant,
        backward,
        program.program.path,
        last="the backward pass",
        where=evidence(facts, program),
        call="",
    )


def evidence(facts: Facts, program: ProgramFacts) -> str:
    """What names an accelerator in the program."""
    named = [event.api for event in events(program.trace) if event.kind == "cuda"]
    plain = [api for api in named if api.startswith(("'", ".cuda", ".to("))]
    return plain[0] if plain else program.hits["cuda"].event.api


def _workspace_missing(facts: Facts, program: ProgramFacts) -> Iterator[Finding]:
    hits = program.hits
    strict = hits.get("strict-on")
    if strict is None or "cuda" not in hits:
        return
    setting = hits.get(f"mode:{CUBLAS}") or hits.get("mode:cublas-workspace")
    where, value = evidence(facts, program), ""
    if setting is None:
        variant = "missing"
    elif not good_cublas(setting.event.value):
        variant = "value"
        held = setting.event.value
        value = repr(held.value) if isinstance(held, Known) else "set"
    elif "matmul-unset" in hits and "cublas" in hits:
        variant, where = "late", call_text(facts, hits["matmul-unset"].event.site)
    else:
        return
    yield at_hit(
        facts, "TDL205", variant, strict, program.program.path, last="strict mode", where=where, value=value, call=""
    )

"""Seeds that somebody meant to be used: a dead parameter or option seeds what was drawn without it (TDL011, TDL001–003)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from torchdet_lint import ir
from torchdet_lint.analysis.fold import Hit
from torchdet_lint.analysis.trace import Enter
from torchdet_lint.analysis.values import Site
from torchdet_lint.checks.facts import Facts, find_call, nested
from torchdet_lint.checks.seed_names import dead_parameters
from torchdet_lint.checks.seed_options import REPEATED
from torchdet_lint.checks.seed_reads import AttributeReads
from torchdet_lint.finding import Fix
from torchdet_lint.fixes.arguments import replace
from torchdet_lint.fixes.code import Code
from torchdet_lint.fixes.generators import compare_with_none
from torchdet_lint.fixes.places import offset_of
from torchdet_lint.fixes.seeds import PLAIN_SEEDERS, SEEDERS, seeds_before
from torchdet_lint.fixes.target import Target, fix

ORDER = ("python", "numpy", "torch")


class Meant(NamedTuple):
    """A function that draws, and the dead seed that it has: how it is written there, and whether it may be None."""

    code: Code
    function: ir.Function
    base: int
    text: str
    optional: bool


def seed_from_parameter(target: Target, missing: dict[str, Hit], own: str) -> Fix | None:
    """The function on the way to the draw that has a dead seed seeds with it."""
    for site in reversed(missing[own].sites):
        meant = _meant(target.facts, site)
        if meant is not None:
            families = [family for family in ORDER if family in missing and _passes(missing[family], meant)]
            return _seeded(target, meant, families)
    return None


def read_seed(target: Target) -> Fix | None:
    """TDL011: the dead seed seeds what is drawn without one where it is in sight; a seed of 0 is a seed."""
    if target.variant == "zero":
        return compare_with_none(target)
    return _dead_option(target) or _dead_parameter(target)


def _dead_parameter(target: Target) -> Fix | None:
    missing: dict[str, Hit] = {}
    for program in target.facts.programs:
        for family in ORDER:
            hit = program.hits.get(f"unseeded:{family}")
            if hit is not None:
                missing.setdefault(family, hit)
    for family, hit in missing.items():
        for site in reversed(hit.sites):
            meant = _meant(target.facts, site)
            if meant is not None and _is_of(target, meant):
                return seed_from_parameter(target, missing, family)
    return None


def _is_of(target: Target, meant: Meant) -> bool:
    """Whether a finding about a parameter is about what a function would seed with."""
    name = meant.text.removeprefix("self.")
    return meant.code.path == target.code.path and target.text == name


def _meant(facts: Facts, site: Site) -> Meant | None:
    """The function around a place, where it has a seed that nothing reads."""
    if not facts.context.wants(site.path):
        return None
    code = Code.of(facts.project, site.path)
    start = facts.project.modules[site.path].source.units[site.unit].start + site.span[0]
    found = code.function(start) if code is not None else None
    if code is None or found is None or found[0].name in REPEATED:
        return None
    function, base = found
    body = facts.project.body(site.path, site.unit)
    dead = list(dead_parameters(facts.names(site.path), body))
    for each in dead:
        if each.stored is None and each.param in function.params:
            return Meant(code, function, base, each.param.name, _is_none(each.param.default))
    reads = AttributeReads(facts.project)
    for cls in (node for node in nested(body) if isinstance(node, ir.Class) and function in node.body):
        inits = [each for each in cls.body if isinstance(each, ir.Function) and each.name == "__init__"]
        for each in dead:
            stored = each.stored
            if stored is None or not inits or each.param not in inits[0].params or reads.reads_stored(stored, each.cls):
                continue
            if function.name != "__init__" and function.params and function.params[0].name == "self":
                return Meant(code, function, base, f"self.{stored}", _is_none(each.param.default))
    return None


def _is_none(default: ir.Expr | None) -> bool:
    return isinstance(default, ir.Const) and default.value is None


def _passes(hit: Hit, meant: Meant) -> bool:
    """Whether a draw is made by a function, or by what it calls."""
    for step in hit.steps:
        site = step.node.site if isinstance(step.node, Enter) else hit.event.site
        if site.path == meant.code.path:
            start = offset_of(meant.code, site)[0]
            around = meant.code.function(start)
            if around is not None and around[0] == meant.function:
                return True
    return False


def _seeded(target: Target, meant: Meant, families: list[str]) -> Fix | None:
    code, function = meant.code, meant.function
    if not function.body:
        return None
    start = meant.base + function.body[0].span[0]
    there = Target(target.finding, target.facts, code, start, start, ())
    names = [there.named(SEEDERS[family], start) for family in families]
    lines = [f"{name.text}({meant.text})" for name in names if name is not None]
    if meant.optional:
        step = "\t" if "\t" in code.indent(start) else "    "
        lines = [f"if {meant.text} is not None:", *(step + line for line in lines)]
    edit = code.lines_before(start, lines) if code.line_start(start) > meant.base + function.span[1] else None
    return fix(f"seed with `{meant.text}`", "unsafe", [edit], names)


def _dead_option(target: Target) -> Fix | None:
    """A seeder that gets a constant gets the option, where the parsed options are in sight."""
    options = {event.api for event in target.events if event.kind == "option"}
    edits = []
    for code, value, base in _constant_seeders(target) if options else ():
        seed = next(
            (
                each
                for each in seeds_before(target.facts, code, base + value.span[0])
                if each.text.rpartition(".")[2].rstrip(")") in options
            ),
            None,
        )
        if seed is not None and not seed.optional:
            edits.append(replace(code, base, value, seed.text))
    return fix("seed with the option", "unsafe", edits)


def _constant_seeders(target: Target) -> Iterator[tuple[Code, ir.Const, int]]:
    """The constants that global generators are seeded with."""
    facts = target.facts
    said = set()
    for event in facts.events("seed"):
        call = find_call(facts.project, event.site) if event.api in PLAIN_SEEDERS else None
        if call is None or event.site in said or len(call.args) != 1 or not facts.context.wants(event.site.path):
            continue
        said.add(event.site)
        value = call.args[0].value
        code = Code.of(facts.project, event.site.path)
        if code is not None and isinstance(value, ir.Const) and type(value.value) is int:
            yield code, value, code.source.units[event.site.unit].start


# Draws while a file is imported


def draw_when_called(target: Target, hit: Hit) -> Fix | None:
    """A default that is drawn when the function is defined is drawn when it is called, after the program has seeded."""
    facts, site = target.facts, hit.event.site
    code = Code.of(facts.project, site.path) if facts.context.wants(site.path) else None
    if code is None:
        return None
    base = code.source.units[site.unit].start
    for function in nested(facts.project.body(site.path, site.unit)):
        if not isinstance(function, ir.Function):
            continue
        for param in function.params:
            default = param.default
            if default is None or not default.span[0] <= site.span[0] < site.span[1] <= default.span[1]:
                continue
            start = base + function.body[0].span[0] if function.body else base
            step = "\t" if "\t" in code.indent(start) else "    "
            text = code.written(base, default.span)
            if "\n" in text or code.line_start(start) <= base + function.span[0]:
                return None
            lines = [f"if {param.name} is None:", f"{step}{param.name} = {text}"]
            edits = [replace(code, base, default, "None"), code.lines_before(start, lines)]
            return fix(f"draw `{param.name}` when it is needed", "unsafe", edits)
    return None

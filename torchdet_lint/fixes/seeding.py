"""TDL001–003: the missing seeding lines, once for all families of a program; TDL006: seeding that comes too late, moved up."""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.analysis.fold import Hit
from torchdet_lint.analysis.state import FAMILIES
from torchdet_lint.analysis.trace import Enter, Event
from torchdet_lint.analysis.values import Site
from torchdet_lint.checks.emit import family_name
from torchdet_lint.checks.facts import Facts, ProgramFacts, find_call, nested
from torchdet_lint.checks.seed_names import is_seed_name
from torchdet_lint.checks.seeding import seeded_after
from torchdet_lint.finding import Edit, Fix
from torchdet_lint.fixes.code import Around, Code, Placed
from torchdet_lint.fixes.imports import Named
from torchdet_lint.fixes.meant import ORDER, draw_when_called, seed_from_parameter
from torchdet_lint.fixes.places import frames, head, in_loop, offset_of, precedes, process_of, statement_at
from torchdet_lint.fixes.seeds import CONSTANT, PLAIN_SEEDERS, SEEDERS, is_pure
from torchdet_lint.fixes.target import Target, fix

OWN = {"TDL001": "torch", "TDL002": "numpy", "TDL003": "python"}


def seed_program(target: Target) -> Fix | None:
    """TDL001, 002, 003"""
    program = target.program
    if program is None or target.variant == "unknown-seeder":
        return None
    missing = _missing(program, target)
    if not missing:
        return None
    own = OWN[target.finding.code]
    meant = seed_from_parameter(target, missing, own) or draw_when_called(target, missing[own])
    return meant or _beside_others(target, program, missing) or _at_the_head(target, missing)


def _missing(program: ProgramFacts, target: Target) -> dict[str, Hit]:
    """The first draw of each family that the program never seeds, and of the one that the finding is about."""
    own = OWN[target.finding.code]
    found = {}
    for family in ORDER:
        hit = program.hits.get(f"unseeded:{family}")
        if hit is None and (family == own or target.variant != "main-process"):
            hit = program.hits.get(f"weak:{family}")
        if hit is not None and seeded_after(hit, family) is None:
            found[family] = hit
    return found if own in found else {}


def _title(missing: dict[str, Hit], value: str) -> str:
    names = [family_name(family) for family in ORDER if family in missing]
    listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"seed {listed} with `{value}`"


def _lines(target: Target, missing: dict[str, Hit], value: str, at: int) -> tuple[list[str], list[Named | None]]:
    names = [target.named(SEEDERS[family], at) for family in ORDER if family in missing]
    return [f"{name.text}({value})" for name in names if name is not None], names


def _at_the_head(target: Target, missing: dict[str, Hit], *, constant: bool = True) -> Fix | None:
    """`constant`: whether a constant will do where no seed is in sight."""
    code = target.code
    found = head(target.facts, code, list(missing.values()))
    if found is None or (found.seed is None and not constant):
        return None
    value = (found.seed or CONSTANT).argument
    lines, names = _lines(target, missing, value, found.placed.start)
    return fix(_title(missing, value), "unsafe", [found.insert(code, lines)], names)


def _beside_others(target: Target, program: ProgramFacts, missing: dict[str, Hit]) -> Fix | None:
    """Below the line that seeds another family before anything is drawn, with the same seed."""
    if any(
        isinstance(step.node, Enter) and step.node.kind == "spawn" for hit in missing.values() for step in hit.steps
    ):
        return None  # what a process draws is seeded in that process
    keys = [*(f"seed:{family}" for family in FAMILIES if family not in missing), "seed:cuda-only"]
    seedings = [program.hits[key] for key in keys if key in program.hits]
    # What a process draws is seeded in that process.
    before = [
        hit
        for hit in seedings
        if all(precedes(hit, draw) and process_of(hit) == process_of(draw) for draw in missing.values())
    ]
    for hit in before:
        last = _last_seeding(target, hit.event)
        found = _after_seeding(target, last.site, missing) if last.api in PLAIN_SEEDERS else None
        found = found or _after_helper(target, hit, missing)
        if found is not None:
            return found
    return None


def _after_helper(target: Target, hit: Hit, missing: dict[str, Hit]) -> Fix | None:
    """Below the call of a helper that seeds another family, with the seed that it is given."""
    calls = [step.node for step in hit.steps if isinstance(step.node, Enter) and step.node.kind == "call"]
    return _after_seeding(target, calls[-1].site, missing) if calls else None


def _last_seeding(target: Target, event: Event) -> Event:
    """The last of the seeding calls that stand in one block with this one, so that none depends on a further condition."""
    code = Code.of(target.facts.project, event.site.path)
    if code is None:
        return event
    near = [
        each
        for each in target.facts.events("seed")
        if (each.site.path, each.site.unit, each.site.scope) == (event.site.path, event.site.unit, event.site.scope)
        and each.api in PLAIN_SEEDERS
        and _block_of(code, each) == _block_of(code, event)
    ]
    return max(near, key=lambda each: each.site.span) if near else event


def _block_of(code: Code, event: Event) -> int:
    """Where the block begins that an event stands in."""
    around = code.around(offset_of(code, event.site)[0])
    return around[-1].block[0].start if around else -1


def _after_seeding(target: Target, site: Site, missing: dict[str, Hit]) -> Fix | None:
    """Below a call that takes a seed and little else."""
    call = find_call(target.facts.project, site)
    if call is None or not call.args or not _is_seed(call.args[0].value, alone=len(call.args) == 1):
        return None
    if site.path == target.code.path:
        code = target.code
    elif target.facts.context.wants(site.path) and (other := Code.of(target.facts.project, site.path)) is not None:
        code = other
    else:
        return None
    placed = statement_at(code, offset_of(code, site)[0])
    if placed is None or not isinstance(placed.statement, ir.Do) or in_loop(code, placed):
        return None
    if _seeds_apart(target.facts, code, placed, missing):
        return None
    there = Target(target.finding, target.facts, code, placed.start, placed.end, ())
    value = code.written(code.source.units[site.unit].start, call.args[0].value.span)
    lines, names = _lines(there, missing, value, placed.start)
    return fix(_title(missing, value), "unsafe", [code.lines_after(placed, lines)], names)


def _is_seed(value: ir.Expr, *, alone: bool) -> bool:
    """Whether an argument is a seed that may be written twice; beside others it has to look like one."""
    if alone:
        return is_pure(value)
    return isinstance(value, ir.Const) and type(value.value) is int or is_seed_name(ir.last_name(value))


def _seeds_apart(facts: Facts, code: Code, placed: Placed, missing: dict[str, Hit]) -> bool:
    """Whether the function around a seeding line seeds one family and no other on purpose: it seeds the missing one elsewhere (on
    a condition that did not hold), or it is registered under a name, so that others are its neighbours.
    """
    found = code.function(placed.start)
    if found is None:
        return False
    function = found[0]
    names = facts.names(code.path)
    called = {names.dotted(node.func) for node in nested(function.body) if isinstance(node, ir.Call)}
    if any(SEEDERS[family] in called for family in missing):
        return True
    return len(function.body) == 1 and any(isinstance(decorator, ir.Call) for decorator in function.decorators)


def move_up(target: Target) -> Fix | None:
    """TDL006"""
    program = target.program
    if program is None or target.variant not in ("late", "import"):
        return None
    for family in FAMILIES:
        hit = program.hits.get(f"unseeded:{family}")
        if hit is None or seeded_after(hit, family) is None:
            continue
        if target.finding.message.find(family_name(family)) < 0:
            continue
        called = draw_when_called(target, hit)
        if called is not None or target.variant == "import":
            return called
        moved = _moved(target, hit, family)
        return moved or _at_the_head(target, {family: hit}, constant=not _gives_seed(target, hit))
    return None


def _gives_seed(target: Target, hit: Hit) -> bool:
    """Whether what is drawn is to be a seed, for programs that are given none."""
    code = Code.of(target.facts.project, hit.event.site.path)
    placed = statement_at(code, offset_of(code, hit.event.site)[0]) if code is not None else None
    statement = placed.statement if placed is not None else None
    names = [getattr(each, "id", getattr(each, "name", "")) for each in getattr(statement, "targets", ())]
    return isinstance(statement, ir.Assign) and any(is_seed_name(str(name)) for name in names)


def _moved(target: Target, hit: Hit, family: str) -> Fix | None:
    code = target.code
    way = frames(code, hit)
    late = _late_statement(target, hit, family)
    if way is None or late is None:
        return None
    for frame in way:
        for level in code.around(frame.at):
            at = next((index for index, each in enumerate(level.block) if each.start == late.start), -1)
            if at > level.index and _can_move(code, level, at):
                first, last = _run(target.facts, code, level.block, at)
                return _move(code, level, first, last)
    return None


def _late_statement(target: Target, hit: Hit, family: str) -> Placed | None:
    """The statement of this file that seeds the family after the draw."""
    from torchdet_lint.checks.seeding import seeding_node

    for step in reversed(hit.steps):
        for node in step.trace[step.place + 1 :]:
            found = seeding_node(node, family)
            if found is None:
                continue
            site = node.site if isinstance(node, Enter | Event) else found.site
            if site.path != target.code.path:
                return None
            return statement_at(target.code, offset_of(target.code, site)[0])
    return None


def _run(facts: Facts, code: Code, block: tuple[Placed, ...], at: int) -> tuple[int, int]:
    """The statements around one that seed something too, without a gap."""
    sites = [event.site for event in facts.events("seed") if event.site.path == code.path]
    seeding = {code.line_start(offset_of(code, site)[0]) for site in sites}
    first = last = at
    while first > 0 and code.line_start(block[first - 1].start) in seeding and _is_simple(block[first - 1]):
        first -= 1
    while last + 1 < len(block) and code.line_start(block[last + 1].start) in seeding and _is_simple(block[last + 1]):
        last += 1
    return first, last


def _is_simple(placed: Placed) -> bool:
    return isinstance(placed.statement, ir.Do)


def _can_move(code: Code, level: Around, at: int) -> bool:
    """Whether a seeding statement needs nothing that is made between the draw and it."""
    late = level.block[at]
    if not _is_simple(late):
        return False
    needed = {node.id for node in nested(late.statement) if isinstance(node, ir.Name)}
    between = level.block[level.index : at]
    made = {
        node.id
        for each in between
        for node in nested(each.statement)
        if isinstance(node, ir.Name) and _is_target(each.statement, node)
    }
    return not needed & made


def _is_target(statement: ir.Stmt, name: ir.Name) -> bool:
    return any(
        any(name == found for target in node.targets for found in nested(target))
        for node in nested(statement)
        if isinstance(node, ir.Assign)
    ) or any(name == found for node in nested(statement) if isinstance(node, ir.For) for found in nested(node.target))


def _move(code: Code, level: Around, first: int, last: int) -> Fix | None:
    begin, end = code.head_of(level.block[first].start), code.line_end(level.block[last].end)
    lines = code.text[begin:end]
    above, below = code.cut(level.block[first]), code.cut(level.block[last])
    if above is None or below is None:
        return None
    if code.indent(level.block[first].start) != code.indent(level.here.start):
        return None
    place = code.lines_before(level.here.start, ("",))
    if place is None:
        return None
    cut: Edit = code.edit(begin, below.end, "")
    return fix("seed before anything is drawn", "unsafe", [place._replace(text=lines + code.newline), cut])

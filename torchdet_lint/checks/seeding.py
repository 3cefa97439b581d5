"""TDL001–003, 006, 007, 010: who draws before who seeds, program by program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from torchdet_lint.analysis.fold import Hit, drawing, is_far_fetched
from torchdet_lint.analysis.state import FAMILIES
from torchdet_lint.analysis.trace import Branch, Enter, Event, Node, Repeat, events
from torchdet_lint.analysis.values import Truth
from torchdet_lint.checks.emit import at_hit, call_text, family_name
from torchdet_lint.checks.facts import Facts, ProgramFacts
from torchdet_lint.finding import Finding

UNSEEDED = {"torch": "TDL001", "numpy": "TDL002", "python": "TDL003"}


def check(facts: Facts) -> Iterator[Finding]:
    for program in facts.programs:
        for family in FAMILIES:
            yield from _family(facts, program, family)
        yield from _third_party(facts, program)


def _family(facts: Facts, program: ProgramFacts, family: str) -> Iterator[Finding]:
    entry, hits = program.program.path, program.hits
    if (hit := hits.get(f"unseeded:{family}")) is not None and not is_far_fetched(hit, family):
        found = _unseeded(facts, program, family, hit)
        yield replace(found, confidence="medium") if found.confidence == "high" and _is_chance(hit, family) else found
    if (optional := hits.get(f"optional:{family}")) is not None:
        yield from _optional(facts, program, family, optional)
    elif hit is None and (hit := hits.get(f"weak:{family}")) is not None:
        yield at_hit(facts, UNSEEDED[family], "main-process", hit, entry, last="draws here", seeder="", where="")


def _is_chance(hit: Hit, family: str) -> bool:
    """Whether the draw is behind a call that may have one of several callees, not all of which draw."""
    return any(
        isinstance(step.node, Branch) and step.node.choices > drawing(step.trace, step.node, family) > 0
        for step in hit.steps
    )


def _unseeded(facts: Facts, program: ProgramFacts, family: str, hit: Hit) -> Finding:
    entry = program.program.path
    late = seeded_after(hit, family)
    if late is not None:
        variant = "import" if _in_import(hit) else "worker" if _through_workers(hit, family) else "late"
        return at_hit(
            facts, "TDL006", variant, hit, entry, last="draws here", family=family_name(family),
            seeder=call_text(facts, late.site), where=_imported(hit),
        )  # fmt: skip
    variant, seeder, where = "never", "", ""
    unknown = program.hits.get("unknown-seeder")
    accelerator = program.hits.get("seed:cuda-only")
    if family == "torch" and accelerator is not None:
        variant, seeder = "accelerator-only", call_text(facts, accelerator.event.site)
    elif unknown is not None:
        variant, seeder = "unknown-seeder", call_text(facts, unknown.event.site)
    elif (spawn := _spawn(hit)) is not None and program.hits.get(f"seed:{family}") is not None:
        variant, where = "process", call_text(facts, spawn.site)
    elif _through_workers(hit, family):
        variant = "worker"
    return at_hit(facts, UNSEEDED[family], variant, hit, entry, last="draws here", seeder=seeder, where=where)


def _through_workers(hit: Hit, family: str) -> bool:
    """Whether the draw takes from another family, which torch's generator seeds in the workers of a loader."""
    return family == "torch" and family not in hit.event.families


def _spawn(hit: Hit) -> Enter | None:
    return next((s.node for s in hit.steps[:-1] if isinstance(s.node, Enter) and s.node.kind == "spawn"), None)


def _in_import(hit: Hit) -> bool:
    return any(isinstance(step.node, Enter) and step.node.kind == "import" for step in hit.steps[:-1])


def _imported(hit: Hit) -> str:
    names = [s.node.summary.path for s in hit.steps[:-1] if isinstance(s.node, Enter) and s.node.kind == "import"]
    return names[0] if names else ""


def seeded_after(hit: Hit, family: str) -> Event | None:
    """The seeding of the family that comes after a draw on the same path, if any."""
    for step in reversed(hit.steps):
        for node in step.trace[step.place + 1 :]:
            found = seeding_node(node, family)
            if found is not None:
                return found
        if isinstance(step.node, Enter) and step.node.kind == "spawn":
            return None
    return None


def seeding_node(node: Node, family: str) -> Event | None:
    """The event of a node's part that seeds the family in this process."""
    if isinstance(node, Enter) and node.kind == "spawn":
        return None
    return next((e for e in events((node,), elsewhere=False) if e.kind == "seed" and family in e.families), None)


def _optional(facts: Facts, program: ProgramFacts, family: str, draw: Hit) -> Iterator[Finding]:
    """The only seeding so far stands under a condition that is false by default."""
    seed = program.hits.get(f"seed:{family}")
    if seed is None:
        return
    label = condition_of(seed)
    if label:
        where = Hit(seed.event, seed.steps)
        yield at_hit(
            facts, "TDL007", "condition", where, program.program.path, last="seeds here", family=family_name(family),
            option=label.strip("`"), call=call_text(facts, draw.event.site),
        )  # fmt: skip


def condition_of(seed: Hit) -> str:
    """The option under which a seeding stands."""
    labels = [
        step.node.label
        for step in seed.steps[:-1]
        if isinstance(step.node, Branch) and step.node.test in (Truth.UNLIKELY, Truth.LIKELY) and step.node.label
    ]
    return labels[-1] if labels else "a condition"


def _served(hit: Hit, family: str) -> bool:
    """Whether the draw stands in a loop that seeds the family too: as in a process that does what it is told, when it is told."""
    loops = [step.node for step in hit.steps[:-1] if isinstance(step.node, Repeat)]
    return any(
        event.kind == "seed" and family in event.families
        for loop in loops
        for event in events(loop.body, elsewhere=False)
    )


def _third_party(facts: Facts, program: ProgramFacts) -> Iterator[Finding]:
    for key, hit in sorted(program.hits.items()):
        kind, _, family = key.partition(":")
        if kind == "unseeded" and family not in FAMILIES and family != "cuda-only" and not _served(hit, family):
            variant = "space" if family == "gym-space" else "never"
            yield at_hit(
                facts, "TDL010", variant, hit, program.program.path, last="draws here", family=family_name(family)
            )

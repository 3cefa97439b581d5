"""TDL004, 005, 008, 013: private generators and what they are seeded with."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdet_lint import ir
from torchdet_lint.analysis.conditions import argument, redirected
from torchdet_lint.analysis.state import Status
from torchdet_lint.analysis.trace import Event
from torchdet_lint.analysis.values import (
    Identity,
    Known,
    Made,
    Mark,
    Option,
    Site,
    Truth,
    Value,
    alternatives,
    is_none,
    marks,
    usual,
)
from torchdet_lint.checks.emit import at_site, call_text, family_name, source_text
from torchdet_lint.checks.facts import LIBRARY, Facts, by_site, find_call, nested, program_first
from torchdet_lint.checks.studies import only_looked_at
from torchdet_lint.finding import Finding


def check(facts: Facts) -> Iterator[Finding]:
    yield from _unseeded(facts)
    yield from _entropy(facts)
    yield from _unrepeatable(facts)
    yield from _constant(facts)


def seed_of(facts: Facts, event: Event) -> Value | None:
    """The seed that a private RNG object was given."""
    made = event.made
    row = facts.machine.api(event.api)
    if made is None or row is None or not row.seed:
        return None
    return argument(made, row.seed)


def _unseeded(facts: Facts) -> Iterator[Finding]:
    """TDL004"""
    reseeded = _reseeded(facts)
    for site, events in by_site(facts.uses("rng")).items():
        row = facts.machine.api(events[0].api)
        if row is None or row.missing != "entropy":
            continue
        if all(event.made is not None and row.unless and redirected(event.made, row) for event in events):
            continue
        if any(event.made is not None and event.made.open for event in events):
            continue
        if row.returns == "optuna.Study" and only_looked_at(facts.project, site):
            continue
        if all(event.made is not None and event.made.identity in reseeded for event in events):
            continue
        seeds = [(event, seed_of(facts, event)) for event in program_first(facts, events)]
        if all(seed is not None and not _may_be_none(seed) for _, seed in seeds):
            continue
        call = find_call(facts.project, site)
        written = _written_seed(call, row.seed)
        if written is None:
            yield at_site(facts, "TDL004", "unseeded", site, option="")
        elif isinstance(written, ir.Const):
            yield at_site(facts, "TDL004", "none", site, option="")
        else:
            text = source_text(facts, site.path, site.unit, written.span)
            yield at_site(facts, "TDL004", "parameter", site, option=text)


def _reseeded(facts: Facts) -> set[Identity]:
    """The private generators that a method seeds before anything is drawn from them: how they started does not matter."""
    found: set[Identity] = set()
    drawn: set[Identity] = set()
    for event in facts.visits:
        if event.made is None or event.made.identity in drawn:
            continue
        if event.kind == "rng-draw":
            drawn.add(event.made.identity)
        elif event.kind == "seeded" and not _may_be_none(event.value) and not _is_entropy(event.value):
            found.add(event.made.identity)
    return found


def _is_entropy(seed: Value) -> bool:
    return any(mark.kind == "entropy" for mark in marks((seed,)))


def _may_be_none(seed: Value) -> bool:
    return any(is_none(option) in (Truth.YES, Truth.LIKELY) for option in alternatives(seed))


def _written_seed(call: ir.Call | None, spec: str) -> ir.Expr | None:
    """The expression that stands for the seed."""
    if call is None:
        return None
    name, _, position = spec.partition("@")
    for arg in call.args:
        if arg.star == "=" and arg.name == name:
            return arg.value
    plain = [arg.value for arg in call.args if arg.star == ""]
    return plain[int(position)] if position and int(position) < len(plain) else None


def _entropy(facts: Facts) -> Iterator[Finding]:
    """TDL005"""
    said: set[Site] = set()
    rngs = [(event, seed_of(facts, event)) for event in facts.uses("rng")]
    seeders = [(event, event.value) for event in (*facts.events("seed"), *facts.events("seeded"))]
    for event, value in sorted([*rngs, *seeders], key=lambda item: item[0].site):
        if value is None or event.site in said:
            continue
        found = _worst(facts, event, _without_asking(facts, value), call_text(facts, event.site))
        if found is not None:
            said.add(event.site)
            yield found


def _without_asking(facts: Facts, seed: Value) -> frozenset[Mark]:
    """Where the seed may come from unless the user asks for that: an option with a value of its own is not None by itself."""
    defaults = [each for option in alternatives(seed) if isinstance(option, Option) for each in usual(option)]
    given = any(isinstance(default, Known) and default.value is not None for default in defaults)
    return frozenset(
        mark
        for mark in marks((seed,))
        if mark.site is None or not ((given or _is_optional(facts, mark.site)) and _only_for_none(facts, mark.site))
    )


def _is_optional(facts: Facts, site: Site) -> bool:
    """Whether what is drawn there is drawn only where the user chooses something else than the defaults."""
    visits = [visit for event in facts.events("draw") if event.site == site for visit in facts.visits[event]]
    return bool(visits) and all(visit.around.optional for visit in visits)


def _only_for_none(facts: Facts, site: Site) -> bool:
    """Whether a place is reached only where something is None: `if seed is None: seed = …`."""
    for node in nested(facts.project.body(site.path, site.unit)):
        if not isinstance(node, ir.If | ir.Choice) or not isinstance(node.test, ir.Compare):
            continue
        test = node.test
        if test.ops not in (("is",), ("is not",)) or not (
            isinstance(test.values[0], ir.Const) and test.values[0].value is None
        ):
            continue
        body, orelse = (node.body, node.orelse) if isinstance(node, ir.If) else ((node.then,), (node.other,))
        arm = body if test.ops == ("is",) else orelse
        if any(part.span[0] <= site.span[0] < part.span[1] for part in nested(arm) if hasattr(part, "span")):
            return True
    return False


def _worst(facts: Facts, event: Event, found: frozenset[Mark], call: str) -> Finding | None:
    for mark in sorted(found, key=repr):
        if mark.kind == "entropy":
            if mark.site is None:
                return at_site(facts, "TDL005", "entropy", event.site, value="", reason="", family="")
            value = call_text(facts, mark.site)
            if mark.what == "hash()":
                hashed = find_call(facts.project, mark.site)
                if hashed is not None and all(_is_int(arg.value) for arg in hashed.args):
                    continue
                return at_site(facts, "TDL005", "hash", event.site, value=value, reason="", family="")
            return at_site(facts, "TDL005", "value", event.site, value=value, reason=_reason(mark.what), family="")
        if mark.kind == "draw" and mark.site is not None and _unseeded_at(facts, event, mark):
            family = family_name(mark.what)
            return at_site(
                facts, "TDL005", "draw", event.site, value=call_text(facts, mark.site), family=family, reason=""
            )
    return None


INT_CALLS = frozenset(("int", "len", "ord", "round", "tolist", "size", "item", "numel", "dim", "tuple", "sum", "abs"))


COUNTED = re.compile(
    r"(?:^|_)(?:seeds?|epoch|step|iteration|iter|updates?|num_updates|index|idx|rank|worker_id|index_sum|offset|count)$"
)
"""Names of what is counted, and of seeds, which are whole numbers wherever they are computed with."""


def _is_int(expr: ir.Expr) -> bool:
    """Whether an expression can only be an int, or a tuple of ints: their hashes are the same in every process."""
    if isinstance(expr, ir.Const):
        return isinstance(expr.value, int | float)
    if isinstance(expr, ir.Attr):
        return expr.name in ("shape", "size", "ndim") or COUNTED.search(expr.name) is not None
    if isinstance(expr, ir.Name):
        return COUNTED.search(expr.id) is not None
    if isinstance(expr, ir.Starred):
        return _is_int(expr.value)
    if isinstance(expr, ir.Sequence):
        return all(_is_int(item) for item in expr.items)
    if isinstance(expr, ir.Binary):
        return _is_int(expr.left) and _is_int(expr.right)
    if isinstance(expr, ir.Call):
        name = (
            expr.func.name if isinstance(expr.func, ir.Attr) else expr.func.id if isinstance(expr.func, ir.Name) else ""
        )
        inner = all(_is_int(arg.value) for arg in expr.args) if name == "tuple" else True
        return name in INT_CALLS and inner
    return False


def _reason(what: str) -> str:
    if what.startswith(("time.", "datetime.")):
        return "the clock"
    if what.startswith(("os.getpid", "os.getppid", "multiprocessing.")):
        return "the number of the process"
    return "an address" if what == "id()" else "random numbers of the operating system"


def _unseeded_at(facts: Facts, event: Event, mark: Mark) -> bool:
    """Whether some program is certain to make a draw, or to use it as a seed, before it seeds the family."""
    draws = [each for each in facts.events("draw") if each.site == mark.site]
    return any(
        visit.program != LIBRARY and visit.state.status(mark.what) is Status.UNSEEDED and not visit.around.worker
        for each in (event, *draws)
        for visit in facts.visits[each]
    )


def _unrepeatable(facts: Facts) -> Iterator[Finding]:
    """TDL008"""
    said: set[Site] = set()
    for event in (*facts.uses("unrepeatable"), *_shuffles(facts)):
        if event.site not in said:
            said.add(event.site)
            yield at_site(facts, "TDL008", "default", event.site)


def _shuffles(facts: Facts) -> Iterator[Event]:
    """Where a program that trains puts something in an order that no seed can fix."""
    for event in facts.uses("entropy"):
        if event.api.endswith(".SystemRandom.shuffle"):
            programs = (facts.program(visit.program) for visit in facts.visits[event])
            if any(program is not None and "backward" in program.hits for program in programs):
                yield event


def _constant(facts: Facts) -> Iterator[Finding]:
    """TDL013"""
    seeded = {event.made.identity for event in facts.events("seeded") if event.made is not None}
    used = _handed_over(facts)
    said: set[Site] = set()
    for event in facts.uses("generator"):
        made = event.made
        if made is None or event.site in said or made.identity in seeded or made.identity not in used:
            continue
        if any(made.identity[0] == identity[0] for identity in seeded):
            continue
        said.add(event.site)
        yield at_site(facts, "TDL013", "constant", event.site)
    for event in facts.events("seed"):
        made = event.made
        if event.api == "torch.manual_seed" and made is not None and made.identity in used and event.site not in said:
            said.add(event.site)
            yield at_site(facts, "TDL013", "global", event.site)


def _handed_over(facts: Facts) -> set[Identity]:
    """Generators that some call draws from."""
    found: set[Identity] = set()
    for event in facts.visits:
        made = event.made
        if made is None or event.kind not in ("draw", "use", "iterate", "private-draw"):
            continue
        for name, value in made.named:
            if name in ("generator", "rng"):
                found |= {option.identity for option in alternatives(value) if isinstance(option, Made)}
        if event.kind == "use":
            found |= {
                v.identity
                for arg in made.args
                for v in alternatives(arg)
                if isinstance(v, Made) and v.cls == "torch.Generator"
            }
    return found

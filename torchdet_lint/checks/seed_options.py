"""TDL011, 012: seeds that change nothing, and seeds that change everything back."""

from __future__ import annotations

from collections.abc import Iterator

from torchdet_lint import ir
from torchdet_lint.analysis.calls import parameter_label
from torchdet_lint.analysis.fold import Visit
from torchdet_lint.analysis.tensors.scopes import place_of
from torchdet_lint.analysis.trace import Event
from torchdet_lint.analysis.triggers import SEED_WORD, holds_seed_name
from torchdet_lint.analysis.values import Known, Option, Site, Value
from torchdet_lint.checks.emit import at_site, call_text, family_name, finding, locate, source_text
from torchdet_lint.checks.facts import Facts, find_call, nested
from torchdet_lint.checks.seed_names import dead_parameters, texts_in, zero_tests
from torchdet_lint.checks.seed_reads import AttributeReads
from torchdet_lint.finding import Finding

REPEATED = ("forward", "__getitem__", "__call__", "training_step", "__getitems__")
"""Methods that are called again and again."""

_ENVIRONMENT = frozenset(("environ", "getenv"))

OF_OBJECTS = frozenset(("gym", "gym-space", "albumentations"))
"""Families of which each object has a generator of its own: a loop may seed one after the other."""

FUNCTION_NAMES = frozenset(("f", "fn", "func", "function", "wrapped", "method"))
"""What a decorator calls the function that it is handed."""


def check(facts: Facts) -> Iterator[Finding]:
    reads = AttributeReads(facts.project)
    for path, module in sorted(facts.project.modules.items()):
        if not facts.context.wants(path):
            continue
        for unit in module.source.units:
            if unit.kind not in ("import", "from") and holds_seed_name(unit):
                body = facts.project.body(path, unit.index)
                yield from _parameters(facts, path, unit.index, body, reads)
                yield from _zero(facts, path, unit.index, body)
    yield from _options(facts, reads)
    yield from _reseeded(facts)


def _parameters(facts: Facts, path: str, unit: int, body: ir.Body, reads: AttributeReads) -> Iterator[Finding]:
    """Parameters that nothing reads, or that are only stored where nothing reads them."""
    for dead in dead_parameters(facts.names(path), body):
        name, stored = dead.param.name, dead.stored
        place = locate(facts, Site(path, unit, dead.param.span, ""))
        if stored is None:
            yield finding(facts, "TDL011", "unread", place, option=name, where="", value="")
        elif not reads.reads_stored(stored, dead.cls):
            yield finding(facts, "TDL011", "stored", place, option=name, where=f"self.{stored}", value="")


def _zero(facts: Facts, path: str, unit: int, body: ir.Body) -> Iterator[Finding]:
    """`if seed:` and `seed or default`"""
    for span, text_span in zero_tests(body, _module_texts(facts, path)):
        value = source_text(facts, path, unit, text_span)
        yield finding(
            facts, "TDL011", "zero", locate(facts, Site(path, unit, span, "")), value=value, option="", where=""
        )


def _module_texts(facts: Facts, path: str) -> frozenset[str]:
    """The names of a module that hold text from the environment."""
    units = facts.project.modules[path].source.units
    found = (
        texts_in(facts.project.body(path, unit.index))
        for unit in units
        if unit.kind == "assign" and not _ENVIRONMENT.isdisjoint(unit.words)
    )
    return frozenset().union(*found)


def _options(facts: Facts, reads: AttributeReads) -> Iterator[Finding]:
    """Command-line options that no code reads."""
    said: set[Site] = set()
    for event in facts.events("option"):
        name = event.api
        if not SEED_WORD.search(name) or event.site in said or _is_flag(event.value) or reads.reads_option(name):
            continue
        if _kept(facts, event.site):
            continue
        said.add(event.site)
        flag = next((str(a.value) for a in (event.made.args if event.made else ()) if isinstance(a, Known)), name)
        yield finding(facts, "TDL011", "unread", locate(facts, event.site), option=flag, where="", value="")


def _kept(facts: Facts, site: Site) -> bool:
    """Whether the option is read from what defines it: `_SEED = flags.DEFINE_integer(…)`, `_SEED.value`."""
    body = facts.project.body(site.path, site.unit)
    return any(
        isinstance(node, ir.Assign) and node.value is not None and node.value.span == site.span for node in nested(body)
    )


def _is_flag(value: Value) -> bool:
    return isinstance(value, Known) and value.kind == "bool"


def _reseeded(facts: Facts) -> Iterator[Finding]:
    """TDL012"""
    said: set[Site] = set()
    for event in facts.events("seed"):
        if event.site in said or not _constant(event.value) or "cuda-only" in event.families or _chosen(facts, event):
            continue
        if OF_OBJECTS.issuperset(event.families):
            continue
        if _told_by_caller(facts, event):
            continue
        visits = facts.reached(event)
        family = family_name(event.families[0])
        method = event.site.scope.rpartition(".")[2]
        if _called_again(facts, event, method) and not all(_undone(visit, event) for visit in visits):
            said.add(event.site)
            yield _again(facts, event, "method", where=event.site.scope, family=family)
        elif visits and any(_in_loop(visit) and not _undone(visit, event) for visit in visits):
            said.add(event.site)
            yield _again(facts, event, "loop", where="", family=family)


def _called_again(facts: Facts, event: Event, method: str) -> bool:
    """Whether this is a method that is called for each batch or sample. A `__call__` that is handed no data is not: it is a
    seeder, or stands in the place of a function that it decorates.
    """
    if method != "__call__":
        return method in REPEATED
    place = place_of(facts.project.body(event.site.path, event.site.unit), event.site.span)
    if place is None or not place.functions:
        return True
    params = [param for param in place.functions[-1].params[1:] if param.kind not in ("*", "**")]
    return any(param.name not in FUNCTION_NAMES for param in params)


def _chosen(facts: Facts, event: Event) -> bool:
    """Whether the seeder is one of several that a loop goes through."""
    call = find_call(facts.project, event.site)
    names = facts.names(event.site.path)
    return call is not None and isinstance(call.func, ir.Name) and names.symbol(call.func) is None


def _told_by_caller(facts: Facts, event: Event) -> bool:
    """Whether each call may bring another seed: it is a parameter of the function, and nobody is known to leave it out."""
    if not isinstance(event.value, Option):
        return False
    if not event.value.label:
        return True  # `seeder(**given)`
    place = place_of(facts.project.body(event.site.path, event.site.unit), event.site.span)
    if place is None or place.loops or not place.functions:
        return False
    given = {node.id for arg in place.call.args for node in nested(arg.value) if isinstance(node, ir.Name)}
    return any(
        param.name in given and event.value.label == parameter_label(param.name) for param in place.functions[-1].params
    )


def _in_loop(visit: Visit) -> bool:
    """Whether a seeder runs again and again, other than where a parameter asks for it that nobody is known to give."""
    asked = visit.around.optional.startswith(parameter_label("").rstrip("`"))
    return visit.around.loop == "loop" and not (visit.around.worker or asked)


def _undone(visit: Visit, event: Event) -> bool:
    """Whether the generators get back the state that they had before the seeder."""
    return visit.around.local or all(visit.state.given_back(family) for family in event.families)


def _again(facts: Facts, event: Event, variant: str, **values: str) -> Finding:
    return at_site(facts, "TDL012", variant, event.site, seeder=call_text(facts, event.site), **values)


def _constant(value: Value) -> bool:
    """A seed that is the same every time: a number, or an option of the program."""
    return (isinstance(value, Known) and value.value is not None) or isinstance(value, Option)

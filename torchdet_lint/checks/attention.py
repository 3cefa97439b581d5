"""TDL301–304: attention kernels whose backward pass may differ."""

from __future__ import annotations

from collections.abc import Iterator

from torchdet_lint.analysis.flash import ATTRIBUTES, chosen
from torchdet_lint.analysis.fold import Visit
from torchdet_lint.analysis.iteration import element, known_items
from torchdet_lint.analysis.trace import Event
from torchdet_lint.analysis.values import FALSE, TRUE, UNKNOWN, Made, Truth, Value, alternatives, truth
from torchdet_lint.checks.emit import at_site, source_text
from torchdet_lint.checks.facts import LIBRARY, Facts, by_site
from torchdet_lint.finding import Finding
from torchdet_lint.project.modules import External

FUSED = {
    "FLASH_ATTENTION": "FLASH_ATTENTION", "EFFICIENT_ATTENTION": "EFFICIENT_ATTENTION", "CUDNN_ATTENTION": "CUDNN_ATTENTION",
}  # fmt: skip
OLD_ARGUMENTS = {
    "enable_flash": "FLASH_ATTENTION",
    "enable_mem_efficient": "EFFICIENT_ATTENTION",
    "enable_cudnn": "CUDNN_ATTENTION",
}
"""Arguments of the old `sdp_kernel`, and the backend that each one enables when it is not given."""

NO_SWITCH = ("xformers.", "flash_attn.flash_attn_triton.")


def check(facts: Facts) -> Iterator[Finding]:
    yield from _unrestricted(facts)
    yield from _implicit(facts)
    yield from _contexts(facts)
    yield from _flash(facts)


def _visits(facts: Facts, events: list[Event]) -> list[Visit]:
    """All visits of programs to a place, or those of nobody."""
    found = [visit for event in events for visit in facts.visits[event]]
    programs = [visit for visit in found if visit.program != LIBRARY]
    return programs or found


def may_be_fused(visit: Visit) -> bool:
    """Whether fused backends may run, with gradients, outside strict mode."""
    math_only = {"flash", "efficient"} <= visit.state.sdp_off
    return not (visit.around.no_grad or visit.around.sdpa or visit.state.strict == "on" or math_only)


def _unrestricted(facts: Facts) -> Iterator[Finding]:
    for site, events in by_site(facts.uses("sdpa")).items():
        if any(may_be_fused(visit) for visit in _visits(facts, events)):
            yield at_site(facts, "TDL301", "default", site)


def _implicit(facts: Facts) -> Iterator[Finding]:
    for site, events in by_site(facts.uses("attention", "call")).items():
        wanted = [event for event in events if _reaches_sdpa(event)]
        loose = [visit for visit in _visits(facts, wanted) if may_be_fused(visit)] if wanted else []
        if not loose:
            continue
        accelerated = any(
            (program := facts.program(visit.program)) is not None and "cuda" in program.hits for visit in loose
        )
        yield at_site(facts, "TDL302", "accelerator" if accelerated else "layer", site)


def _reaches_sdpa(event: Event) -> bool:
    """Transformer layers always; `MultiheadAttention` only when it is called without weights."""
    if event.note == "attention":
        return not event.api.endswith("MultiheadAttention")
    if event.api == "torch.nn.MultiheadAttention.__call__" and event.made is not None:
        return event.made.get("need_weights", 4) == FALSE
    return False


def _contexts(facts: Facts) -> Iterator[Finding]:
    for site, events in by_site(facts.uses("sdpa-context")).items():
        made = events[0].made
        if made is None:
            continue
        backends, named = admitted(facts, made)
        fused = [name for name in FUSED if name in backends]
        if not fused:
            continue
        strict = [visit.state.strict == "on" for visit in _visits(facts, events)]
        if all(strict):
            if backends == {"CUDNN_ATTENTION"}:
                yield at_site(facts, "TDL303", "cudnn-strict", site, value="")
            continue
        yield at_site(facts, "TDL303", "admits" if named else "unnamed", site, value=" and ".join(fused))


def admitted(facts: Facts, made: Made) -> tuple[set[str], bool]:
    """The backends that the context admits, as far as they are known, and whether they are named one by one."""
    if made.cls.endswith("sdp_kernel"):
        if made.open:
            return set(), False
        found = set()
        for position, (name, backend) in enumerate(OLD_ARGUMENTS.items()):
            value = made.get(name, (0, 2, 3)[position])
            if value is None or truth(value) is Truth.YES:
                found.add(backend)
        named = any(made.get(name) == TRUE for name in OLD_ARGUMENTS)
        return found, named
    backends = made.get("backends", 0)
    if backends is None:
        return set(), True
    items = known_items(facts.machine, backends)
    values: tuple[Value, ...] = items if items is not None else (backends, element(facts.machine, backends))
    found = set()
    for value in values:
        for option in alternatives(value):
            if isinstance(option, External):
                found.add(option.path.rpartition(".")[2])
            elif option == UNKNOWN and items is not None:
                return set(), True
    return found, True


def _flash(facts: Facts) -> Iterator[Finding]:
    for site, events in by_site(facts.uses("flash")).items():
        made = events[0].made
        if made is None or _all_quiet(facts, events):
            continue
        if events[0].api.startswith(NO_SWITCH):
            yield at_site(facts, "TDL304", "unrepeatable", site, option="")
        elif not any(name == "deterministic" and value != FALSE for name, value in made.named) and not made.open:
            yield at_site(facts, "TDL304", "call", site, option="")
    for site, events in by_site((*facts.uses("flash-option"), *_assigned(facts))).items():
        if not all(visit.state.flash for visit in _visits(facts, events)):
            text = source_text(facts, site.path, site.unit, site.span) if events[0].kind == "set" else events[0].api
            yield at_site(facts, "TDL304", "transformers", site, option=text)


def _assigned(facts: Facts) -> list[Event]:
    """`config._attn_implementation = "flash_attention_2"`"""
    return [
        event for event in facts.events("set") if event.api.endswith(ATTRIBUTES) and chosen(event.value) is not None
    ]


def _all_quiet(facts: Facts, events: list[Event]) -> bool:
    """Whether nothing that reaches the call keeps gradients."""
    return all(visit.around.no_grad for visit in _visits(facts, events))

"""TDL207: kernels that are chosen by timing."""

from __future__ import annotations

from collections.abc import Iterator

from torchdet_lint.analysis.iteration import known_items
from torchdet_lint.analysis.trace import Event
from torchdet_lint.analysis.values import Box, Known, Made, Truth, Value, alternatives, truth, usual
from torchdet_lint.checks.emit import at_site, finding, locate, source_text
from torchdet_lint.checks.facts import Facts
from torchdet_lint.finding import Finding

CONFIG = ("max_autotune", "max_autotune_gemm", "max_autotune_pointwise", "coordinate_descent_tuning")
TRAINERS = ("transformers.", "trl.")
COMPILERS = ("torch.compile", "accelerate.", *TRAINERS)
"""What hands a mode of `torch.compile` on: transformers/training_args.py@5.0, accelerate/utils/dataclasses.py@1.12."""

STRICT_SWITCHES_IT_OFF = "torch>=2.10"
"""From here on strict mode turns inductor's autotuning off (pytorch/pytorch#174711)."""


def check_tuning(facts: Facts) -> Iterator[Finding]:
    said = set()
    for event in facts.uses("call"):
        if event.site in said or event.made is None:
            continue
        found = (
            _compile(facts, event, event.made) or _patch(facts, event, event.made) or _triton(facts, event, event.made)
        )
        if found is not None:
            said.add(event.site)
            yield found
    for event in facts.events("mode"):
        name = event.api.rpartition(".")[2]
        wanted = event.api == "inductor-autotune" or ("inductor" in event.api and name in CONFIG)
        if (
            wanted
            and truth(event.value) in (Truth.YES, Truth.LIKELY)
            and event.site not in said
            and not _quiet(facts, event)
        ):
            said.add(event.site)
            text = source_text(facts, event.site.path, event.site.unit, event.site.span)
            variant = "optional" if _under_option(facts, event) else "config"
            yield finding(facts, "TDL207", variant, locate(facts, event.site), option=text, call="", value="", where="")


def _quiet(facts: Facts, event: Event) -> bool:
    """Strict mode of a torch that then tunes nothing."""
    recent = facts.context.torch(event.site.path).newest_satisfies(STRICT_SWITCHES_IT_OFF)
    return recent and all(visit.state.strict == "on" for visit in facts.reached(event))


def _compile(facts: Facts, event: Event, made: Made) -> Finding | None:
    if not event.api.startswith(COMPILERS) or _quiet(facts, event):
        return None
    likely, shown = _tuned(facts, made, "torch_compile_mode" if event.api.startswith(TRAINERS) else "mode")
    if not shown:
        return None
    optional = _under_option(facts, event)
    if not likely or optional:
        return at_site(facts, "TDL207", "optional", event.site, option=optional or shown, value="", where="")
    return at_site(facts, "TDL207", "compile", event.site, value=shown, option="", where="")


def _tuned(facts: Facts, made: Made, argument: str) -> tuple[bool, str]:
    """Whether tuning is on by default, and the argument that asks for it ("" when none does)."""
    for option in usual(made.get(argument)):
        if isinstance(option, Known) and str(option.value).startswith("max-autotune"):
            return True, f'{argument}="{option.value}"'
    name = _switched_on(facts, made.get("options"))
    return bool(name), f'options={{"{name}": True}}' if name else ""


def _switched_on(facts: Facts, settings: Value | None) -> str:
    """The setting of a dictionary that turns tuning on, "" when none does."""
    boxes = alternatives(settings)
    for name in CONFIG:
        values = [facts.machine.heap.read(box.identity, name) if isinstance(box, Box) else None for box in boxes]
        if values and all(_on(value) for value in values):
            return name
    return ""


def _on(value: Value | None) -> bool:
    return value is not None and truth(value) in (Truth.YES, Truth.LIKELY)


def _patch(facts: Facts, event: Event, made: Made) -> Finding | None:
    """`torch._inductor.config.patch(max_autotune=True)`, or with a dictionary."""
    if event.api != "torch._inductor.config.patch" or _quiet(facts, event):
        return None
    name = _switched_on(facts, made.get("", 0)) or next((name for name in CONFIG if _on(made.get(name))), "")
    if not name:
        return None
    optional = _under_option(facts, event)
    if optional:
        return at_site(facts, "TDL207", "optional", event.site, option=optional, value="", where="")
    return at_site(facts, "TDL207", "config", event.site, option=f"{name} = True", value="", where="")


def _under_option(facts: Facts, event: Event) -> str:
    labels = {visit.around.optional for visit in facts.reached(event)}
    return "" if "" in labels or not labels else min(labels).strip("`")


def _triton(facts: Facts, event: Event, made: Made) -> Finding | None:
    if event.api != "triton.autotune":
        return None
    configs: Value | None = made.get("configs", 0)
    items = known_items(facts.machine, configs) if configs is not None else None
    if items is not None and len(items) < 2:
        return None
    return at_site(facts, "TDL207", "triton", event.site, where="this kernel", value="", option="")

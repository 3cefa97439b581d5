"""TDL009, 201–205, 207–209: switches of torch that decide which kernels run."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from torchdet_lint import ir
from torchdet_lint.analysis.modes import strict_of
from torchdet_lint.analysis.trace import Event
from torchdet_lint.analysis.values import Known, Made, Site, Truth, Value, join, truth, usual
from torchdet_lint.checks.emit import at_site, finding, locate, source_text
from torchdet_lint.checks.facts import Facts, find_call, nested
from torchdet_lint.checks.programs import check_programs
from torchdet_lint.checks.tuning import check_tuning
from torchdet_lint.finding import Finding

BENCHMARK = ("torch.backends.cudnn.benchmark", "cudnn.benchmark")
DETERMINISTIC = ("torch.backends.cudnn.deterministic", "cudnn.deterministic")
FLAGS = "torch.backends.cudnn.flags"
TF32 = ("torch.backends.cuda.matmul.allow_tf32", "torch.backends.cudnn.allow_tf32", "tf32")
CONFIGURED = "cudnn_benchmark"
"""The key of mmengine's runtime configuration."""

REDUCED = "torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp"
PRECISIONS = ("high", "medium")


def check(facts: Facts) -> Iterator[Finding]:
    for site, events in _by_site(facts.events("mode")).items():
        yield from _switch(facts, site, events)
    said: set[Site] = set()
    for event in facts.uses("call"):
        if event.api == FLAGS and event.made is not None and event.site not in said:
            said.add(event.site)
            yield from _flags(facts, event.site, event.made)
    yield from _configured(facts)
    yield from check_tuning(facts)
    yield from check_programs(facts)


def _configured(facts: Facts) -> Iterator[Finding]:
    """`cudnn_benchmark = True` in a configuration file of mmengine, or `env_cfg = dict(cudnn_benchmark=True)`."""
    for path, module in sorted(facts.project.modules.items()):
        for unit in module.source.units if facts.context.wants(path) else ():
            if unit.kind != "assign" or CONFIGURED not in unit.words:
                continue
            for node in nested(facts.project.body(path, unit.index)):
                if span := _configured_span(node):
                    site = Site(path, unit.index, span, "")
                    yield finding(
                        facts, "TDL201", "option", locate(facts, site), option=f"{CONFIGURED}=True", call="", value=""
                    )


def _configured_span(node: object) -> ir.Span | None:
    """Where a node of a configuration sets the key to true."""
    if isinstance(node, ir.Assign) and isinstance(node.value, ir.Const) and node.value.value is True:
        named = any(isinstance(target, ir.Name) and target.id == CONFIGURED for target in node.targets)
        return node.span if named else None
    if isinstance(node, ir.Call):
        for arg in node.args:
            if arg.name == CONFIGURED and isinstance(arg.value, ir.Const) and arg.value.value is True:
                return arg.value.span
    if isinstance(node, ir.Mapping):
        for key, value in node.items:
            if (
                isinstance(key, ir.Const)
                and key.value == CONFIGURED
                and isinstance(value, ir.Const)
                and value.value is True
            ):
                return value.span
    return None


def _by_site(events: tuple[Event, ...]) -> dict[tuple[Site, str], list[Event]]:
    found: dict[tuple[Site, str], list[Event]] = defaultdict(list)
    for event in events:
        found[event.site, event.api].append(event)
    return found


def _switch(facts: Facts, place: tuple[Site, str], events: list[Event]) -> Iterator[Finding]:
    site, api = place
    if any(event.made is not None and event.made.cls == FLAGS for event in events):
        return  # judged as a whole by `_flags`
    value = join(*(event.value for event in events))
    if api in BENCHMARK:
        yield from _turned(facts, "TDL201", site, value, events[0], bad=True)
    elif api in DETERMINISTIC:
        yield from _turned(facts, "TDL202", site, value, events[0], bad=False)
    elif api == "os.environ[PYTHONHASHSEED]":
        yield finding(facts, "TDL009", "default", locate(facts, site))
    elif api in ("strict", "debug-mode"):
        yield from _strict(facts, site, events)
    elif api in TF32 and truth(value) in (Truth.YES, Truth.LIKELY):
        yield _precision(facts, site, "TF32")
    elif api in ("precision", REDUCED):
        for option in usual(value):
            if isinstance(option, Known) and (option.value in PRECISIONS or (api == REDUCED and option.value is True)):
                yield _precision(facts, site, "reduced precision")
                return


def _precision(facts: Facts, site: Site, value: str) -> Finding:
    text = source_text(facts, site.path, site.unit, site.span)
    return finding(facts, "TDL209", "default", locate(facts, site), option=text, value=value)


def _turned(facts: Facts, code: str, site: Site, value: Value, event: Event, *, bad: bool) -> Iterator[Finding]:
    """A switch that should not be `bad`: certainly so, or set to something that is not known."""
    found = truth(value)
    wrong = (Truth.YES, Truth.LIKELY) if bad else (Truth.NO, Truth.UNLIKELY)
    right = Truth.NO if bad else Truth.YES
    text = source_text(facts, site.path, site.unit, site.span)
    if found in wrong:
        by_option = event.made is not None and code == "TDL201"
        variant = "option" if by_option else ("on" if bad else "off")
        yield finding(
            facts, code, variant, locate(facts, site), option=_option_text(text, "benchmark"), call=text, value=""
        )
    elif found is not right:
        shown = ASSIGNS.split(text, 1)[-1].strip() if event.made is None else _option_text(text, "benchmark")
        yield finding(facts, code, "unknown", locate(facts, site), value=shown, option="", call=text)


ASSIGNS = re.compile(r"(?<![=!<>])=(?!=)")
"""The sign that assigns, and none that compares."""


def _option_text(text: str, name: str) -> str:
    start = text.find(name)
    return text[start:].split(",", maxsplit=1)[0].rstrip(")") if start >= 0 else text


def _flags(facts: Facts, site: Site, made: Made) -> Iterator[Finding]:
    """`cudnn.flags(...)` sets what it is not given to False."""
    benchmark = made.get("benchmark", 2)
    if benchmark is not None and truth(benchmark) in (Truth.YES, Truth.LIKELY):
        yield at_site(facts, "TDL201", "on", site, option="", value="")
    deterministic = made.get("deterministic", 3)
    enabled = made.get("enabled", 0)
    if enabled is not None and truth(enabled) is Truth.NO:
        return  # no kernel of cuDNN runs inside
    if deterministic is None and not made.open:
        yield at_site(facts, "TDL202", "context", site, value="")
    elif deterministic is not None and truth(deterministic) in (Truth.NO, Truth.UNLIKELY):
        yield at_site(facts, "TDL202", "off", site, value="")


def _strict(facts: Facts, site: Site, events: list[Event]) -> Iterator[Finding]:
    found = {strict_of(event) for event in events}
    if "warn" in found:
        debug = events[0].api == "debug-mode"
        value = _argument_text(facts, site)
        yield at_site(facts, "TDL204", "debug-mode" if debug else "warn-only", site, value=value)
    elif found == {"off"} and not _through_option(events):
        undone = any(visit.state.strict == "on" and visit.program for event in events for visit in facts.visits[event])
        first = _enabling(facts, events) if undone else ""
        yield at_site(facts, "TDL208", "undone" if undone else "off", site, where=first)


def _argument_text(facts: Facts, site: Site) -> str:
    """The first argument of a call, as written."""
    call = find_call(facts.project, site)
    return source_text(facts, site.path, site.unit, call.args[0].value.span) if call is not None and call.args else ""


def _through_option(events: list[Event]) -> bool:
    """`Trainer(deterministic=False)` and the like leave the mode alone."""
    return any(event.made is None or "deterministic" in dict(event.made.named) for event in events) and not any(
        event.made is not None and event.made.cls.startswith("torch.") for event in events
    )


def _enabling(facts: Facts, events: list[Event]) -> str:
    for event in facts.events("mode"):
        if strict_of(event) == "on":
            return source_text(facts, event.site.path, event.site.unit, event.site.span)
    return ""

"""Which probe a finding gets."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from torchdet_lint.finding import Evidence, Finding
from torchdet_lint.verify.probe import attention, generators, loaders, memory, orders
from torchdet_lint.verify.probe.evidence import Trial, Unprobed, needs_cuda, unprobed
from torchdet_lint.verify.probe.place import Case, Places

_PROBES: Mapping[str, Callable[[Case], Trial | Evidence]] = {
    "TDL004": generators.unseeded,
    "TDL005": generators.entropy_seed,
    "TDL013": generators.constant_start,
    "TDL101": loaders.shuffling,
    "TDL102": loaders.workers,
    "TDL103": loaders.drawing,
    "TDL104": loaders.worker_copies,
    "TDL105": orders.listing,
    "TDL106": orders.set_order,
    "TDL301": attention.call,
    "TDL302": attention.layer,
    "TDL303": attention.context,
    "TDL501": memory.read,
}

_CHECKS = {
    "TDL201": ("cudnn-benchmark", "convolutions with the benchmark on and off, in fresh processes"),
    "TDL202": ("cudnn-deterministic", "convolutions, forward and backward, with the flag on and off"),
    "TDL203": ("strict-alerts", "the program's operations, each run twice on the same inputs"),
    "TDL204": (
        "strict-alerts",
        "the program's operations in strict mode, which tells of each that has no deterministic kernel",
    ),
    "TDL205": ("cublas-workspace", "a matrix product in strict mode without the variable, in a fresh process"),
    "TDL304": ("flash-attn-repeat", "backward passes of flash attention, repeated on the same inputs"),
}
"""Rules whose finding is about CUDA alone: the check, and what it would run."""


def plan(finding: Finding, places: Places) -> Trial | Evidence:
    """The trial for a finding, or what there is to say without one."""
    probe = _PROBES.get(finding.code)
    if probe is not None:
        try:
            return probe(places.case(finding))
        except Unprobed as reason:
            return unprobed(str(reason))
    if finding.code in _CHECKS:
        check, text = _CHECKS[finding.code]
        return needs_cuda(check, f"{text}: takes a GPU to see")
    if finding.effect == "cuda":
        return needs_cuda("replay", "the operation, run twice on the same inputs: takes a GPU to see")
    if finding.program is not None:
        return unprobed("it is about a whole program; `torchdet-lint verify -- COMMAND` runs one")
    return unprobed("there is no probe for this rule")

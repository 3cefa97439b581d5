"""From a finding to edits of its file: one function a rule, each `(Target) -> Fix | None`.

Places come from the IR, whose spans libcst gave at lowering; what is between them (commas, comments, indentation) comes
from the text itself. Nothing is parsed again, so a fix costs about as much as its message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from torchdet_lint.analysis.trace import Event
from torchdet_lint.checks.facts import Facts
from torchdet_lint.finding import Finding, Fix
from torchdet_lint.fixes.code import Code
from torchdet_lint.fixes.target import Target

BUILDERS: Mapping[str, str] = {
    "TDL001": "seeding.seed_program",
    "TDL002": "seeding.seed_program",
    "TDL003": "seeding.seed_program",
    "TDL004": "generators.give_seed",
    "TDL005": "generators.fixed_seed",
    "TDL006": "seeding.move_up",
    "TDL011": "meant.read_seed",
    "TDL101": "loading.give_generator",
    "TDL102": "loading.seed_workers",
    "TDL103": "loading.give_generator",
    "TDL105": "ordering.sort",
    "TDL106": "ordering.sort",
    "TDL108": "epochs.tell_epoch",
    "TDL201": "switches.benchmark",
    "TDL202": "switches.deterministic",
    "TDL203": "strict.enable",
    "TDL204": "switches.raise_instead",
    "TDL205": "strict.workspace",
    "TDL207": "switches.no_tuning",
    "TDL208": "switches.strict_again",
    "TDL209": "switches.precise",
    "TDL301": "attention.math_only",
    "TDL303": "attention.only_math",
    "TDL304": "attention.flash_deterministic",
    "TDL501": "memory.zeros",
}
"""The function that fixes each rule's findings, by module of this room: one is imported when there is something to fix. TDL900,
which needs no analysis, has its own."""

UNUSED = "TDL900"
FIXABLE = frozenset((*BUILDERS, UNUSED))
"""The rules of which some findings have a fix."""


def builder(code: str) -> Callable[[Target], Fix | None]:
    """The function that fixes findings of a rule in `BUILDERS`."""
    module, _, name = BUILDERS[code].partition(".")
    found: Callable[[Target], Fix | None] = getattr(import_module(f"{__name__}.{module}"), name)
    return found


class Fixer:
    """Makes fixes for the findings of one evaluated project."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._codes: dict[str, Code | None] = {}
        self._at: dict[tuple[str, int, int], list[Event]] | None = None

    def fix(self, finding: Finding, start: int, end: int) -> Fix | None:
        """What makes the finding, at a span of its file's text, go away; None where that is not certain enough."""
        path = finding.location.path
        if finding.code not in BUILDERS:
            return None
        if path not in self._codes:
            self._codes[path] = Code.of(self._facts.project, path)
        code = self._codes[path]
        if code is None:
            return None
        return builder(finding.code)(Target(finding, self._facts, code, start, end, self._events(path, start, end)))

    def _events(self, path: str, start: int, end: int) -> tuple[Event, ...]:
        """The events at exactly this place."""
        if self._at is None:
            self._at = {}
            modules = self._facts.project.modules
            for event in self._facts.visits:
                site = event.site
                base = modules[site.path].source.units[site.unit].start
                self._at.setdefault((site.path, base + site.span[0], base + site.span[1]), []).append(event)
        return tuple(self._at.get((path, start, end), ()))


__all__ = ["FIXABLE", "Fixer"]

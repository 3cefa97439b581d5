"""The state of a running program as the fold sees it: who is seeded, which modes are on."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from torchdet_lint.analysis.values import Identity, Truth


class Status(IntEnum):
    """How far an RNG family is fixed on the path so far. MAYBE: seeded on some paths that cannot be told apart."""

    UNSEEDED = 0
    OPTIONAL = 1
    MAYBE = 2
    SEEDED = 3


FAMILIES = ("torch", "numpy", "python")

SEEDED_BY = {"imgaug": "numpy"}
"""Families that take their first seed from another one where nobody seeds them (imgaug/random.py@0.4.0, `get_global_rng`)."""


class Kept(NamedTuple):
    """The state of a generator that was read and will come back: for which families, and who was seeded then."""

    identity: Identity
    families: tuple[str, ...]
    rng: tuple[tuple[str, Status], ...]


class State(NamedTuple):
    """What has been set up when a node of the trace is reached. `rng` maps families to statuses, sorted by family.

    `strict`: "off", "on", "warn", "unknown". `cublas`: whether CUBLAS_WORKSPACE_CONFIG holds a deterministic value.
    `sdp_off`: SDPA backends that are switched off for the process. `evals`: modules in evaluation mode.
    `kept`: states of generators that were read and will come back.
    """

    rng: tuple[tuple[str, Status], ...] = ()
    strict: str = "off"
    cublas: bool = False
    flash: bool = False
    sdp_off: frozenset[str] = frozenset()
    evals: frozenset[Identity] = frozenset()
    kept: tuple[Kept, ...] = ()

    def status(self, family: str) -> Status:
        for name, status in self.rng:
            if name == family:
                return status
        return self.status(SEEDED_BY[family]) if family in SEEDED_BY else Status.UNSEEDED

    def given_back(self, family: str) -> bool:
        """Whether the family will get back a state of before: a seed of now is gone then."""
        return any(family in kept.families for kept in self.kept)

    def seeded(self, families: tuple[str, ...]) -> State:
        found = dict(self.rng)
        found.update(dict.fromkeys(families, Status.SEEDED))
        return self._replace(rng=tuple(sorted(found.items())))


class Around(NamedTuple):
    """What surrounds a node dynamically: contexts of `with` statements and decorators, loops, workers.

    `worker`: "" (main process), "yes", "some" (a number of workers that is not known), with `fixed` when the loader has its
    own generator and `seeded` for the families that the loader itself seeds for its items.
    `forgiven`: initial draws do not matter here. `sdpa`: 1 inside a context that restricts SDPA.
    `loop`: the innermost kind of repetition ("", "loop", "rebuild" for a loop that builds a model in each turn, "call" for a
    method that is called again and again, "fit"). `local`: inside `fork_rng`. `optional`: the option, off by default, that
    leads here.
    """

    no_grad: bool = False
    sdpa: bool = False
    worker: str = ""
    fixed: bool = False
    seeded: tuple[str, ...] = ()
    forgiven: bool = False
    frozen: bool = False
    loop: str = ""
    evaluating: bool = False
    local: bool = False
    optional: str = ""


def merge_status(test: Truth, then: Status, other: Status) -> Status:
    """The status after a branch."""
    if then == other:
        return then
    usual = then if test in (Truth.YES, Truth.LIKELY) else other
    if test in (Truth.LIKELY, Truth.UNLIKELY):
        return Status.MAYBE if usual >= Status.MAYBE else Status.OPTIONAL
    return Status.MAYBE if max(then, other) >= Status.MAYBE else Status.OPTIONAL


def merge(test: Truth, then: State | None, other: State | None) -> State | None:
    """The state after a branch; None where a path has ended."""
    if then is None or other is None:
        return then if other is None else other
    if then == other:
        return then
    names = {name for name, _ in (*then.rng, *other.rng)}
    rng = tuple(sorted((name, merge_status(test, then.status(name), other.status(name))) for name in names))
    return State(
        rng,
        _merge_strict(test, then.strict, other.strict),
        then.cublas or other.cublas,
        then.flash or other.flash,
        then.sdp_off & other.sdp_off,
        then.evals & other.evals,
        then.kept if then.kept == other.kept else tuple(dict.fromkeys((*then.kept, *other.kept))),
    )


def _merge_strict(test: Truth, then: str, other: str) -> str:
    """Strict mode under a version test counts as on; under a flag that is off by default it does not."""
    if then == other:
        return then
    if test in (Truth.LIKELY, Truth.UNLIKELY):
        return then if test is Truth.LIKELY else other
    return "unknown"

"""Program cards: what an entry point does about its random numbers and modes, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from torchdet_lint.finding import Location, Related


class FamilyCard(NamedTuple):
    """What a program does with one family of random numbers.

    `state` is one of "seeded", "optional" (seeded under a condition that is off by default), "late" (drawn before it is
    seeded), "entropy" (seeded from the clock or the like), "unseeded", "unused". `text` says it in a few words, such as
    "args.seed, default 0". `seeders` and `draws` are the places, first ones first.
    """

    family: str
    state: str
    text: str = ""
    seeders: tuple[Related, ...] = ()
    draws: tuple[Related, ...] = ()


class LoaderCard(NamedTuple):
    """A data loader that a program builds; each part in a few words ("shuffles", "4 workers", "no generator")."""

    place: Location
    call: str
    facts: tuple[str, ...] = ()


class ModeCard(NamedTuple):
    """A switch that decides which kernels run: `value` as people say it ("on", "off", "not set", "args.det").

    `state` is "good", "bad" or "open" (not known, or of no consequence here); `place` is where it is set, if anywhere.
    """

    name: str
    value: str
    state: str
    place: Location | None = None


@dataclass(frozen=True, slots=True)
class ProgramCard:
    """One entry point: who seeds what, where, who draws, which modes are on, and what is missing for a repeatable run.

    `kind` is "script", "guarded script", "entry point" or "notebook"; `name` is `package.module:function` for an entry
    point and "" otherwise. `traits` are further words for the head of the card ("trains", "uses CUDA"). `missing` are the
    steps that would make it repeatable, one line each, in the order in which to take them. `order` has the places that the other
    fields name, in the order in which the program first comes by them.
    """

    path: str
    kind: str
    name: str = ""
    traits: tuple[str, ...] = ()
    families: tuple[FamilyCard, ...] = ()
    loaders: tuple[LoaderCard, ...] = ()
    modes: tuple[ModeCard, ...] = ()
    missing: tuple[str, ...] = ()
    order: tuple[Location, ...] = ()

"""What a probe has to say about a finding."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

CONFIRMED, HIDDEN = "confirmed", "confirmed-hidden"
REFUTED, NOTHING = "refuted-on-this-torch", "no-effect-seen"
CUDA, UNPROBED = "needs-cuda", "unprobed"
VERDICTS = (CONFIRMED, HIDDEN, REFUTED, NOTHING, CUDA, UNPROBED)

Seen: TypeAlias = Mapping[str, Any]
"""What a trial has measured in one process."""


@dataclass(frozen=True)
class Evidence:
    """`verdict` is one of `VERDICTS`. `text` says in one line what was run and seen, or why nothing was. `factor` names what the
    two sides differed in, `check` the check that a machine with CUDA would run.

    `confirmed`: seen at work. `confirmed-hidden`: seen only after something was changed that two plain runs have in common.
    `refuted-on-this-torch`: what the finding claims was tried, and is not so in this version. `no-effect-seen`: tried, and
    nothing was seen, which proves nothing.
    """

    verdict: str
    text: str
    factor: str = ""
    check: str = ""


class Unprobed(Exception):
    """There is no probe for a finding; the text is the reason."""


class Trial(NamedTuple):
    """A tiny program: the body of a function that returns what it measures (see `Seen`), with `modules` imported. It is run in
    two fresh processes; `judge` compares what it measured in them.
    """

    body: str
    modules: tuple[str, ...]
    judge: Callable[[Seen, Seen], Evidence]


def unprobed(reason: str) -> Evidence:
    return Evidence(UNPROBED, reason)


def needs_cuda(check: str, text: str) -> Evidence:
    return Evidence(CUDA, text, check=check)

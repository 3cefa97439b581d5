"""What a probe has to say about a finding."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from torchdet_lint.finding import CONFIRMING, Evidence

CONFIRMED, HIDDEN = CONFIRMING
REFUTED, NOTHING = "refuted-on-this-torch", "no-effect-seen"
CUDA, UNPROBED = "needs-cuda", "unprobed"

Seen: TypeAlias = Mapping[str, Any]
"""What a trial has measured in one process."""


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

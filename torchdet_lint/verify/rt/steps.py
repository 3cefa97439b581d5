"""Optimizer steps: counted, sampled, and the place where a sample stops."""

from __future__ import annotations

import sys
from functools import wraps
from importlib import import_module
from typing import Any

from .digest import Digests
from .state import Runtime

_SAMPLED = 4
"""Parameters of which values are kept with a step, for how the difference grows."""


class Steps:
    """Counts the steps of one process."""

    def __init__(self, torch: Any, run: Runtime) -> None:
        self._digests = Digests(torch, run.ledger.facts)
        self._run = run
        self.taken = 0

    def took(self, name: str, place: str, some: list[Any]) -> None:
        """A step of an optimizer with such a name, and some parameters."""
        self.taken += 1
        run = self._run
        stream = run.streams.current()
        if not stream.name.startswith("rank"):
            return
        values = " ".join(filter(None, (self._digests.read(0, parameter)[1] for parameter in some)))
        stream.event("STEP", name, place, str(self.taken), "", values)
        saved = run.orders.until_saved and run.ledger.facts.get("saved-at", self.taken) < self.taken
        if self.taken >= run.orders.steps or saved:
            run.stop("steps")


def watch(torch: Any, run: Runtime) -> None:
    """After each step of any optimizer: an event, and the end of the sample when there were enough."""
    steps, optim = Steps(torch, run), import_module("torch.optim.optimizer")

    def stepped(optimizer: Any, _args: Any, _kwargs: Any) -> None:
        some = [p for group in optimizer.param_groups for p in group["params"]][:_SAMPLED]
        steps.took(type(optimizer).__name__, run.places.nearest(sys._getframe(1)), some)

    register = getattr(optim, "register_optimizer_step_post_hook", None)
    if register is None:
        run.ledger.facts["no-step-hook"] = True
    else:
        register(stepped)
    _watch_saving(torch, run, steps)
    _watch_backward(torch, run, steps, optim.Optimizer)


def _watch_backward(torch: Any, run: Runtime, steps: Steps, base: Any) -> None:
    """A program that makes no optimizer updates its parameters itself, if at all: its steps are its backward passes."""
    real, make, made = torch.autograd.backward, base.__init__, [False]

    @wraps(make)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        made[0] = True
        make(self, *args, **kwargs)

    @wraps(real)
    def backward(*args: Any, **kwargs: Any) -> Any:
        result = real(*args, **kwargs)
        if not made[0]:
            steps.took("backward", run.places.nearest(sys._getframe(1)), [])
        return result

    base.__init__, torch.autograd.backward = init, backward


def _watch_saving(torch: Any, run: Runtime, steps: Steps) -> None:
    """Notes how often something is saved, and after which step first, not counting what is saved before any step."""
    real = torch.save

    @wraps(real)
    def save(*args: Any, **kwargs: Any) -> Any:
        result = real(*args, **kwargs)
        run.ledger.facts["saves"] = run.ledger.facts.get("saves", 0) + 1
        if steps.taken:
            run.ledger.facts.setdefault("saved-at", steps.taken)
        return result

    torch.save = torch.serialization.save = save

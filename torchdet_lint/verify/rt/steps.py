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


def watch(torch: Any, run: Runtime) -> None:
    """After each step of any optimizer: an event, and the end of the sample when there were enough."""
    digests, taken = Digests(torch, run.ledger.facts), [0]

    def stepped(optimizer: Any, _args: Any, _kwargs: Any) -> None:
        taken[0] += 1
        if not run.streams.current().name.startswith("rank"):
            return
        place = run.places.nearest(sys._getframe(1))
        some = [p for group in optimizer.param_groups for p in group["params"]][:_SAMPLED]
        values = " ".join(filter(None, (digests.read(0, parameter)[1] for parameter in some)))
        run.streams.current().event("STEP", type(optimizer).__name__, place, str(taken[0]), "", values)
        if taken[0] >= run.orders.steps or (
            run.orders.until_saved and run.ledger.facts.get("saved-at", taken[0]) < taken[0]
        ):
            run.stop("steps")

    _watch_saving(torch, run, taken)
    register = getattr(import_module("torch.optim.optimizer"), "register_optimizer_step_post_hook", None)
    if register is None:
        run.ledger.facts["no-step-hook"] = True
    else:
        register(stepped)


def _watch_saving(torch: Any, run: Runtime, taken: list[int]) -> None:
    """Notes after which step something is saved first, not counting what is saved before any step."""
    real = torch.save

    @wraps(real)
    def save(*args: Any, **kwargs: Any) -> Any:
        result = real(*args, **kwargs)
        if taken[0]:
            run.ledger.facts.setdefault("saved-at", taken[0])
        return result

    torch.save = torch.serialization.save = save

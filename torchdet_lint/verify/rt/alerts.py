"""What torch says of operations without a deterministic implementation, when it is told to warn and not to raise."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

from .state import Runtime

_ALERT = (
    r"(?:(?P<name>[\w:. ]+?) does not have a deterministic implementation"
    r"|Deterministic behavior was enabled .* it uses (?P<library>CuBLAS))"
)
"""`Context::alertNotDeterministic` and `Context::alertCuBLASConfigNotDeterministic` in `aten/src/ATen/Context.cpp`."""


def watch(torch: Any, run: Runtime) -> None:
    """Switches strict mode on so that it warns, and writes an event for each alert. Memory is not filled, which would change what
    kernels see; programs that filter warnings do not keep us from hearing these.
    """
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        deterministic: Any = import_module("torch.utils.deterministic")
        deterministic.fill_uninitialized_memory = False
    except ImportError:  # an early torch, which fills nothing
        pass
    _listen(run)
    for name in ("filterwarnings", "simplefilter"):
        setattr(warnings, name, _insisting(getattr(warnings, name)))


def _listen(run: Runtime) -> None:
    real = warnings.showwarning

    def show(message: Any, *args: Any, **kwargs: Any) -> None:
        found = re.match(_ALERT, str(message))
        if found is None:
            real(message, *args, **kwargs)
            return
        place = run.places.nearest(sys._getframe(1))
        run.streams.current().event("ALERT", found["name"] or found["library"], place, "1")

    warnings.showwarning = show
    _insist(warnings.filterwarnings)


def _insist(add: Callable[..., None]) -> None:
    add("always", message=_ALERT)


def _insisting(add: Callable[..., None]) -> Callable[..., None]:
    """A function that adds a filter, after which ours stands first again."""
    real = warnings.filterwarnings if add is not warnings.filterwarnings else add

    def adding(*args: Any, **kwargs: Any) -> None:
        add(*args, **kwargs)
        _insist(real)

    return adding

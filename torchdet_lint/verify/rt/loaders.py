"""Which loader an order is drawn for: samplers draw where a loader is iterated, and a file may iterate many on one line."""

from __future__ import annotations

import sys
import weakref
from functools import wraps
from types import FrameType
from typing import Any

from .places import USER
from .state import Runtime

_ORDERS = ("randperm", "multinomial", "randint")
"""Operations that samplers draw an order with (`torch/utils/data/sampler.py`)."""


class Loaders:
    """Keeps for each sampler the line that made its loader."""

    def __init__(self, torch: Any, run: Runtime) -> None:
        self._places = run.places
        self._facts = run.ledger.facts
        self._made: dict[int, tuple[weakref.ref[Any], str]] = {}
        self._wrap(torch.utils.data.DataLoader)

    def made_by(self, operation: str, frame: FrameType | None) -> str:
        """The line that made the loader for which an operation draws an order, or nothing."""
        if not any(order in operation for order in _ORDERS):
            return ""
        while frame is not None and self._places.owner(frame.f_code.co_filename) != USER:
            if frame.f_code.co_name == "__iter__":
                sampler = frame.f_locals.get("self")
                known = self._made.get(id(sampler))
                if known is not None and known[0]() is sampler:
                    return known[1]
            frame = frame.f_back
        return ""

    def _wrap(self, base: Any) -> None:
        real = base.__init__

        @wraps(real)
        def init(loader: Any, *args: Any, **kwargs: Any) -> None:
            real(loader, *args, **kwargs)
            self._note(loader, sys._getframe(1))

        base.__init__ = init

    def _note(self, loader: Any, frame: FrameType | None) -> None:
        """The first loader of a sampler counts: libraries wrap loaders by making others around the same sampler."""
        inner = self._places.nearest(frame)
        while frame is not None and frame.f_code.co_name == "__init__" and _first(frame) is loader:
            frame = frame.f_back  # of a class made from it, whose lines are not those that make this loader
        outer = self._places.nearest(frame)
        for sampler in (getattr(loader, "sampler", None), getattr(loader, "batch_sampler", None)):
            known = self._made.get(id(sampler))
            if outer and (known is None or known[0]() is not sampler):
                try:
                    self._made[id(sampler)] = weakref.ref(sampler), outer
                except TypeError:  # a list, for one: nothing that draws
                    continue
        if outer != inner:
            self._facts.setdefault("made-within", {})[outer] = inner


def _first(frame: FrameType) -> Any:
    """The first argument of a function that runs."""
    code = frame.f_code
    return frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None

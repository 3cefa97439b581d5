"""The generators of Python and NumPy, and torch's seeding functions: who seeds, who draws, and what a pin gives them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from types import FrameType
from typing import Any

from .digest import of_value
from .sources import LOGGED, Sources
from .state import Runtime

_PINNED = (20_231_117, 911_003_551, 77_003_911, 1_302_377)
"""What an unseeded global generator is started with, by variant."""


_SHIFT = 7919
"""What is added to seeds that a program chooses, to see whether another seed changes anything."""


def _of_worker(frame: FrameType) -> bool:
    """Whether a loader's worker seeds itself: its seed has been drawn, and is nobody's choice."""
    return "utils/data/_utils/" in frame.f_code.co_filename.replace("\\", "/")


def pinned_seed(variant: int) -> int:
    """The seed of a variant."""
    return _PINNED[variant % len(_PINNED)]


class Randomness:
    """Wraps what the modules offer. Generators made of C cannot be wrapped; their entropy can (see `sources`)."""

    def __init__(self, run: Runtime, sources: Sources) -> None:
        self._run = run
        self._sources = sources

    def on_random(self, module: Any) -> None:
        """After `import random`."""
        instance: Any = module._inst
        self._wrap_python_seed(module)
        if "python" in self._run.held:
            instance.seed(pinned_seed(self._run.held["python"]))

        def state(_result: Any) -> str:
            return of_value(instance.getstate())

        for name in dir(module):
            value = getattr(module, name)
            if getattr(value, "__self__", None) is instance and name not in ("seed", "getstate", "setstate"):
                self._wrap_draw(module, name, "python", "RNGPY", state)
        self._wrap_seed(module, "seed", "python", "random.seed")
        self._wrap_seed(module, "setstate", "python", "random.setstate")

    def on_numpy(self, module: Any) -> None:
        """After `import numpy.random`."""
        instance = module.mtrand._rand
        if "numpy" in self._run.held:
            instance.seed(pinned_seed(self._run.held["numpy"]))
        for name in dir(module):
            value = getattr(module, name)
            if getattr(value, "__self__", None) is instance and name not in ("seed", "get_state", "set_state"):
                self._wrap_draw(module, name, "numpy", "RNGNP", of_value if name != "shuffle" else None)
        self._wrap_seed(module, "seed", "numpy", "numpy.random.seed")
        self._wrap_seed(module, "set_state", "numpy", "numpy.random.set_state")

    def on_torch(self, torch: Any) -> None:
        """After `import torch`."""
        if "torch" in self._run.held:
            torch.default_generator.manual_seed(pinned_seed(self._run.held["torch"]))
        for module, name in ((torch.random, "manual_seed"), (torch.random, "set_rng_state")):
            self._wrap_seed(module, name, "torch", f"torch.{name}")
            setattr(torch, name, getattr(module, name))
        self._wrap_torch_entropy(torch)

    def _wrap_draw(self, module: Any, name: str, family: str, kind: str, digest: Callable[[Any], str] | None) -> None:
        real, run = getattr(module, name), self._run

        @wraps(real)
        def draw(*args: Any, **kwargs: Any) -> Any:
            result = real(*args, **kwargs)
            place = run.places.nearest(sys._getframe(1))
            if run.ledger.draw(family, place) <= LOGGED:
                value = digest(result) if digest is not None else of_value(args[0] if args else None)
                run.streams.current().event(kind, f"{module.__name__}.{name}", place, value)
            return result

        draw.__module__, draw.__qualname__ = module.__name__, name
        setattr(module, name, draw)

    def _wrap_seed(self, module: Any, name: str, family: str, call: str) -> None:
        real, run = getattr(module, name), self._run

        @wraps(real)
        def seed(*args: Any, **kwargs: Any) -> Any:
            if "seed" in run.held and args and type(args[0]) is int and not _of_worker(sys._getframe(1)):
                args = (args[0] % 2**31 + _SHIFT * run.held["seed"], *args[1:])
            result = real(*args, **kwargs)
            if "shift" in run.held and call == "torch.manual_seed" and not _of_worker(sys._getframe(1)):
                self._draw_one_more()
            given = args[0] if args else next(iter(kwargs.values()), None)
            if given is not None:
                place = run.places.nearest(sys._getframe(1))
                run.ledger.seed(family, place)
                value = str(given) if type(given) is int else ""
                run.streams.current().event("SEED", call, place, of_value(given), "", value)
            return result

        seed.__module__, seed.__qualname__ = module.__name__, name
        setattr(module, name, seed)

    def _draw_one_more(self) -> None:
        """Something unrelated that draws: what is left out of the record."""
        before = self._run.streams.silence()
        try:
            sys.modules["torch"].rand(1)
        finally:
            self._run.streams.resume(before)

    def _wrap_python_seed(self, module: Any) -> None:
        """`Random(None)` takes its entropy inside of C, where no wrapper sees it."""
        real, sources = module.Random.seed, self._sources

        def seed(self: Any, a: Any = None, version: int = 2) -> None:
            if a is None:
                place = sources.asks_entropy(1)
                if place:
                    data = sources.entropy("random.Random", place, 32)
                    real(self, None if data is None else int.from_bytes(data, "big"), version)
                    sources.note("ENT", "random.Random", place, of_value(self.getstate()))
                    return
            real(self, a, version)

        seed.__qualname__ = "Random.seed"
        module.Random.seed = seed
        module.seed = module._inst.seed

    def _wrap_torch_entropy(self, torch: Any) -> None:
        """`torch.seed()` takes entropy inside of C++."""
        real, sources = torch.random.seed, self._sources

        @wraps(real)
        def seed() -> int:
            place = sources.asks_entropy(1)
            data = sources.entropy("torch.seed", place, 7) if place else None
            if data is None:
                value: int = real()
            else:
                value = int.from_bytes(data, "big")
                torch.random.manual_seed.__wrapped__(value)
            if place:
                sources.note("ENT", "torch.seed", place, of_value(value))
            return value

        torch.random.seed = torch.seed = seed

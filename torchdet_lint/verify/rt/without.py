"""A part of the program that is run as if it were not there: it leaves no events, and if so wished no trace in generators."""

from __future__ import annotations

import sys
from fnmatch import fnmatchcase
from types import CodeType, FrameType
from typing import Any

from .places import USER
from .state import Runtime
from .streams import Stream


class Without:
    """Watches the main thread's calls of functions of the user's whose name matches a pattern."""

    def __init__(self, torch: Any, run: Runtime) -> None:
        self._torch = torch
        self._run = run
        self._pattern = run.orders.without
        self._known: dict[CodeType, bool] = {}
        self._inside: FrameType | None = None
        self._before: tuple[Stream, list[tuple[Any, Any]]] | None = None

    def install(self) -> None:
        """From now on."""
        if self._pattern:
            sys.setprofile(self._profile)

    def _profile(self, frame: FrameType, event: str, _arg: Any) -> None:
        if event == "call" and self._inside is None and self._matches(frame.f_code):
            self._run.ledger.facts["left-out"] = self._run.ledger.facts.get("left-out", 0) + 1
            self._inside, self._before = frame, (self._run.streams.silence(), self._states())
        elif event == "return" and frame is self._inside and self._before is not None:
            stream, states = self._before
            self._inside = self._before = None
            self._run.streams.resume(stream)
            if self._run.held.get("restore"):
                for restore, state in states:
                    restore(state)

    def _matches(self, code: CodeType) -> bool:
        known = self._known.get(code)
        if known is None:
            name = getattr(code, "co_qualname", code.co_name)
            fits = fnmatchcase(code.co_name, self._pattern) or fnmatchcase(name, self._pattern)
            known = self._known[code] = fits and self._run.places.owner(code.co_filename) == USER
        return known

    def _states(self) -> list[tuple[Any, Any]]:
        """The states of the global generators, and what sets each."""
        generator = self._torch.default_generator
        states = [(generator.set_state, generator.get_state())]
        random, numpy = sys.modules.get("random"), sys.modules.get("numpy.random")
        if random is not None:
            instance: Any = random._inst
            states.append((instance.setstate, instance.getstate()))
        if numpy is not None:
            instance = numpy.mtrand._rand
            states.append((instance.set_state, instance.get_state()))
        return states

"""Copies to the host that do not wait: are their bytes there when the copy returns?"""

from __future__ import annotations

import sys
from typing import Any

from .device import Dispatch
from .digest import Digests
from .state import Runtime

_COPIES = ("_to_copy", "copy_")


class Races:
    """Stands around the recorder; reads what a copy has left in main memory before and after waiting for the device."""

    def __init__(self, torch: Any, run: Runtime) -> None:
        self._run = run
        self._digests = Digests(torch, {})
        self._wait = _waiting(torch, run.orders.accelerator)

    def around(self, inner: Dispatch) -> Dispatch:
        """The dispatch function that watches copies."""

        def dispatch(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            if not self._copies(function, args, kwargs):
                return inner(function, args, kwargs)
            result = function(*args, **kwargs)
            at_once = self._digests.add(0, result)
            self._wait()
            if self._digests.add(0, result) != at_once:
                place = self._run.places.nearest(sys._getframe(1))
                self._run.streams.current().event("RACE", function._schema.name.replace("::", "."), place, "1")
            return result

        return dispatch

    def _copies(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether this is a copy from the accelerator to the host that does not wait."""
        name = function._schema.name.rpartition("::")[2]
        if name not in _COPIES:
            return False
        source = args[1] if name == "copy_" else args[0]
        target = args[0].device.type if name == "copy_" else getattr(kwargs.get("device"), "type", "")
        waits = not (kwargs.get("non_blocking") or (name == "copy_" and len(args) > 2 and args[2]))
        return not waits and bool(source.device.type == self._run.orders.accelerator) and target == "cpu"


def _waiting(torch: Any, accelerator: str) -> Any:
    """What waits for everything that a device still does."""
    module = getattr(torch, accelerator, None)
    return getattr(module, "synchronize", lambda: None)

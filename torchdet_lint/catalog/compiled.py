"""The bundled tables in a form that is read at once.

They are written as TOML for people; to parse and check them takes longer than most hooks have to work. So what comes out is
kept like Python keeps its modules: in `__pycache__` beside this one, for exactly these files and this Python.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from torchdet_lint.cache import folder as folders
from torchdet_lint.cache.record import packed, unpacked
from torchdet_lint.cache.stamp import stamp


def compiled(name: str, make: Callable[[], Any]) -> Any:
    """What `make` gives, from an earlier process where nothing has changed since; it must be plain (see `cache.record`).

    What cannot be kept is made each time, as Python does with modules; `-B` and `PYTHONDONTWRITEBYTECODE` count here too.
    """
    folder = _folder()
    file = f"{name}.{sys.implementation.cache_tag}.tables"
    found = unpacked(stamp(), folders.read(folder, file)) if folder else None
    if found is not None:
        return found
    made = make()
    if folder and not sys.dont_write_bytecode and os.path.isdir(folder):
        folders.write(folder, file, packed(stamp(), made))
    return made


def _folder() -> str:
    """Where Python keeps this module compiled; "" where it does not."""
    spec = sys.modules[__name__].__spec__
    return os.path.dirname(spec.cached) if spec is not None and spec.cached else ""

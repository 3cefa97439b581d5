"""Which module is at work: `Net.blocks.0.mlp`, the class of the outermost one and the names from there.

Calls are followed by what stands in `Module.__call__`, not by hooks: with hooks torch takes other ways through some layers.
"""

from __future__ import annotations

import threading
import weakref
from functools import wraps
from typing import Any

_MANY = 100_000
"""Modules whose paths are remembered; a program that makes new ones all the time must not fill the memory."""


class Inside(threading.local):
    """The modules of this thread that are being called, outermost first, and the path of the innermost."""

    def __init__(self) -> None:
        self.stack: list[tuple[Any, str]] = []


class Modules:
    """Follows calls of modules."""

    def __init__(self, torch: Any) -> None:
        self._inside = Inside()
        self._paths: dict[tuple[int, int], tuple[weakref.ref[Any], str]] = {}
        self._wrap(torch.nn.Module)

    def current(self) -> str:
        """The path of the innermost module at work, or nothing."""
        stack = self._inside.stack
        return stack[-1][1] if stack else ""

    def _wrap(self, base: Any) -> None:
        real, inside, path_of = base.__call__, self._inside, self._path

        @wraps(real)
        def call(module: Any, *args: Any, **kwargs: Any) -> Any:
            stack = inside.stack
            stack.append((module, path_of(stack, module)))
            try:
                return real(module, *args, **kwargs)
            finally:
                stack.pop()

        base.__call__ = call

    def _path(self, stack: list[tuple[Any, str]], module: Any) -> str:
        root = stack[0][0] if stack else module
        key = (id(root), id(module))
        known = self._paths.get(key)
        if known is None or known[0]() is not module:
            if len(self._paths) > _MANY:
                self._paths.clear()
            known = self._paths[key] = (weakref.ref(module), _named(root, module, stack))
        return known[1]


def _named(root: Any, module: Any, stack: list[tuple[Any, str]]) -> str:
    """The path from the outermost module; through the caller where the outermost does not hold it."""
    name = next((name for name, each in root.named_modules() if each is module), None)
    if name is not None:
        return f"{type(root).__name__}.{name}" if name else type(root).__name__
    return f"{stack[-1][1]}({type(module).__name__})"

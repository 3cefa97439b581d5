"""The dispatch table of the walk: libcst node type → the function that lowers it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import libcst as cst

from torchdet_lint.lowering.cursor import Handlers

Handler = TypeVar("Handler", bound=Callable[..., Any])

HANDLERS: Handlers = {}
"""Filled by the modules of handlers as they are imported."""


def lowers(*kinds: str) -> Callable[[Handler], Handler]:
    """Register a handler for libcst's node types of these names; versions of libcst that lack one never make it."""

    def register(handler: Handler) -> Handler:
        for kind in kinds:
            if hasattr(cst, kind):
                HANDLERS[getattr(cst, kind)] = handler
        return handler

    return register

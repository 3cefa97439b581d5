"""The switches that decide which kernel runs, at the moment of use."""

from __future__ import annotations

import os
from typing import Any

_ASKED = (
    ("benchmark", "_get_cudnn_benchmark"),
    ("cudnn.deterministic", "_get_cudnn_deterministic"),
    ("deterministic", "_get_deterministic_algorithms"),
    ("warn-only", "_get_deterministic_algorithms_warn_only"),
    ("flash", "_get_flash_sdp_enabled"),
    ("efficient", "_get_mem_efficient_sdp_enabled"),
    ("cudnn-sdp", "_get_cudnn_sdp_enabled"),
    ("math", "_get_math_sdp_enabled"),
)


class Switches:
    """Reads them. A torch that lacks one is not asked for it."""

    def __init__(self, torch: Any) -> None:
        self._asked = tuple((name, getattr(torch._C, call)) for name, call in _ASKED if hasattr(torch._C, call))
        self._known: dict[tuple[object, ...], str] = {}
        environment: Any = os.environ
        self._environment, self._key = environment._data, environment.encodekey("CUBLAS_WORKSPACE_CONFIG")

    def state(self) -> str:
        """Those that are on, as words, and the workspace setting of cuBLAS."""
        values = tuple(ask() for _, ask in self._asked)
        text = self._known.get(values)
        if text is None:
            on = [name for (name, _), value in zip(self._asked, values, strict=True) if value]
            text = self._known[values] = " ".join(on)
        workspace = self._workspace()
        return f"{text} workspace={workspace}" if workspace else text

    def _workspace(self) -> str:
        """What the environment says now: `os.environ` itself encodes and decodes each time."""
        value = self._environment.get(self._key)
        return str(os.environ.decodevalue(value)) if value else ""

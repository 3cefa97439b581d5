"""Modes of torch: how events and contexts change them."""

from __future__ import annotations

from typing import Any

from torchdet_lint.analysis.state import State
from torchdet_lint.analysis.trace import Event
from torchdet_lint.analysis.values import FALSE, TRUE, Known, Option, Truth, Value, truth

CUBLAS = "os.environ[CUBLAS_WORKSPACE_CONFIG]"
FLASH_NAME = "FLASH_ATTENTION_DETERMINISTIC"
FLASH = f"os.environ[{FLASH_NAME}]"
GOOD_CUBLAS = (":4096:8", ":16:8")
SDP = "sdp."
"""What the modes begin with that say of each SDPA backend whether it may be used in the process."""
DEBUG_LEVELS = {0: "off", "default": "off", 1: "warn", "warn": "warn", 2: "on", "error": "on"}


def strict_of(event: Event) -> str | None:
    """What a mode event does to the strict mode: "on", "warn", "off", "unknown", or None when it is about something else."""
    if event.api == "strict":
        found = truth(event.value)
        if isinstance(event.value, Known) and event.value.value == "warn":
            return "warn"
        if found in (Truth.YES, Truth.LIKELY):
            warn = event.made.get("warn_only") if event.made is not None else None
            return "warn" if warn is not None and truth(warn) is Truth.YES else "on"
        return "off" if found in (Truth.NO, Truth.UNLIKELY) else "unknown"
    if event.api == "debug-mode":
        value = event.value.default if isinstance(event.value, Option) else event.value
        return DEBUG_LEVELS.get(value.value, "unknown") if isinstance(value, Known) else "unknown"
    return None


def apply(event: Event, state: State) -> State:
    """The state after a mode event."""
    strict = strict_of(event)
    if strict is not None:
        return state._replace(strict=strict)
    if event.api in ("cublas-workspace", CUBLAS):
        return state._replace(cublas=good_cublas(event.value))
    if event.api in ("flash-deterministic", FLASH):
        return state._replace(flash=event.value != FALSE)
    if event.api.startswith(SDP):
        backend = frozenset((event.api.removeprefix(SDP),))
        off = truth(event.value) in (Truth.NO, Truth.UNLIKELY)
        return state._replace(sdp_off=state.sdp_off | backend if off else state.sdp_off - backend)
    return state


def good_cublas(value: Value) -> bool:
    """Whether a workspace setting is one of the two that make cuBLAS repeatable; an unknown value gets the benefit."""
    if isinstance(value, Option):
        value = value.default
    return not isinstance(value, Known) or value == TRUE or value.value in GOOD_CUBLAS


def keys(event: Event) -> tuple[str, ...]:
    """Keys for first hits."""
    strict = strict_of(event)
    if strict is not None:
        return (f"strict-{strict}",)
    return ("cublas",) if event.api in ("cublas-workspace", CUBLAS) and good_cublas(event.value) else ()


def around(kind: str) -> dict[str, Any]:
    """What a context changes in what surrounds its body."""
    return _AROUND.get(kind, {})


_AROUND: dict[str, dict[str, Any]] = {
    "no-grad": {"no_grad": True},
    "grad": {"no_grad": False},
    "sdpa": {"sdpa": True},
    "init-empty": {"frozen": True},
    "fork-rng": {"local": True},
}

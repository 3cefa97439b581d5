"""Settings as text, for `--show-settings`."""

from __future__ import annotations

from typing import Any

from torchdet_lint.config.globs import Anchored
from torchdet_lint.config.settings import OPTIONS, Option, PerFile, Settings, Table


def show(settings: Settings, scope: str | None = None) -> str:
    """One `key = value` line a key, in TOML's form, each with who set it ("default" where nobody did)."""
    lines = []
    for name, option in OPTIONS.items():
        if scope in (None, option.scope):
            value = getattr(settings, option.key)
            text = toml(value) if value != () else empty(option)
            lines.append(f"{name} = {text}  # {settings.origin(option.key)}\n")
    return "".join(lines)


def empty(option: Option) -> str:
    """What a configuration file would write for a list or table that holds nothing."""
    return "{}" if option.kind in ("ignores", "severities", "table") else "[]"


def toml(value: Any) -> str:
    """A value of `Settings` the way a configuration file would write it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Anchored):
        return toml(value.text)
    if isinstance(value, str):
        import json

        return json.dumps(value, ensure_ascii=False)
    if value is None:
        return "(not set)"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{toml(key)} = {toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, tuple | list):
        return _many(value)
    return str(value)


def _many(value: tuple[Any, ...] | list[Any]) -> str:
    if value and isinstance(value[0], PerFile):
        return toml({each.glob.text: each.selectors for each in value})
    if value and isinstance(value[0], Table):
        return "; ".join(toml(each.values) for each in value)
    if value and isinstance(value[0], tuple) and not isinstance(value[0], Anchored):
        return toml(dict(value))
    return "[" + ", ".join(toml(item) for item in value) + "]"

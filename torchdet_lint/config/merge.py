"""Layers of configuration, from low to high, as one `Settings`.

Upper layers replace what lower ones say, key by key, with these exceptions: `extend-…` keys and `apis` add to what is
below, tables (`severity`, `per-file-ignores`) are merged entry by entry, and the selection goes by layers: `select`
drops everything that lower layers select and ignore, while `ignore` and `extend-select` alone add to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from torchdet_lint.config.globs import Anchored
from torchdet_lint.config.settings import DEFAULTS, OPTIONS, Settings
from torchdet_lint.config.validate import Layer

_ADDED = ("extend_exclude", "extend_rules", "extend_apis", "apis")
_SELECTION = ("select", "extend_select", "ignore")
_OPPOSITE = {"extend_select": "ignore", "ignore": "extend_select"}


def merge(layers: Iterable[Layer], root: str, config_file: str | None = None) -> Settings:
    """The settings of `layers`, lowest first.

    The paths and globs among the defaults are relative to the absolute folder `root`; `config_file` is remembered as the
    file that the settings come from.
    """
    values: dict[str, Any] = {key: _anchored(default, root) for key, default in DEFAULTS.items()}
    origins: dict[str, tuple[str, ...]] = {}
    for layer in layers:
        if "select" in layer.values:
            for key in _SELECTION:
                values[key] = DEFAULTS[key]
                origins.pop(key, None)
        for key, value in layer.values.items():
            merged = _merged(key, values[key], value)
            kept = origins.get(key, ()) if merged != value else ()
            values[key], origins[key] = merged, (*kept, layer.origin)
        for key, other in _OPPOSITE.items():
            if key in layer.values and other not in layer.values:
                values[other] = tuple(item for item in values[other] if item not in layer.values[key])
    return Settings(**values, origins=tuple(origins.items()), config_file=config_file)


def _anchored(default: Any, root: str) -> Any:
    if isinstance(default, tuple):
        return tuple(Anchored(root, item.text) if isinstance(item, Anchored) else item for item in default)
    return default


def _merged(key: str, below: Any, value: Any) -> Any:
    if key in _ADDED or key in _OPPOSITE:
        return below + tuple(item for item in value if item not in below)
    if key == "severity":
        return tuple({**dict(below), **dict(value)}.items())
    if key == "per_file_ignores":
        return tuple({**{each.glob: each for each in below}, **{each.glob: each for each in value}}.values())
    return value


def for_project(settings: Settings, project: Settings) -> Settings:
    """`settings` with every project-wide value, and its origin, taken from `project`."""
    from dataclasses import replace

    keys = {option.key for option in OPTIONS.values() if option.scope == "project"}
    origins = [pair for pair in settings.origins if pair[0] not in keys]
    origins += [pair for pair in project.origins if pair[0] in keys]
    return replace(settings, origins=tuple(origins), **{key: getattr(project, key) for key in keys})

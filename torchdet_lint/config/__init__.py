"""Configuration: files, keys, and which value holds where.

`SettingsFor(cwd, paths, …)` answers what holds for a file or for the run; `Settings` lists every key. What settings mean for
findings is in `torchdet_lint.config.policy`, which is imported by name since it needs the catalogue.
"""

from __future__ import annotations

from torchdet_lint.config.errors import ConfigError
from torchdet_lint.config.globs import Anchored, any_matches
from torchdet_lint.config.resolve import SettingsFor, inline
from torchdet_lint.config.settings import OPTIONS, OUTPUT_FORMATS, Settings
from torchdet_lint.config.show import show
from torchdet_lint.config.validate import Layer, layer, nearest

__all__ = [
    "OPTIONS", "OUTPUT_FORMATS", "Anchored", "ConfigError", "Layer", "Settings", "SettingsFor", "any_matches", "inline",
    "layer", "nearest", "show",
]  # fmt: skip

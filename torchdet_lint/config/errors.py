"""The one exception of this package."""

from __future__ import annotations


class ConfigError(Exception):
    """A configuration that cannot be used. The text is one line: where, what, and what to do."""

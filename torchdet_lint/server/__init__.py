"""The language server, `torchdet-lint server`. What it needs beyond the standard library comes with the extra `lsp`."""

from __future__ import annotations


def missing() -> str:
    """The package that is not installed, "" where all are."""
    from importlib.util import find_spec

    return next((name for name in ("pygls", "lsprotocol") if find_spec(name) is None), "")

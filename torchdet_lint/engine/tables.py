"""The API tables of a project: the bundled ones and what its configuration adds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torchdet_lint.catalog.apis import Apis, load_apis
from torchdet_lint.catalog.errors import CatalogError
from torchdet_lint.catalog.rules import read_text
from torchdet_lint.config import ConfigError, Settings
from torchdet_lint.config.policy import named_files
from torchdet_lint.config.settings import Table

_INLINE = "[tool.torchdet-lint.apis]"
"""How `load_apis` names a table that stands in no file of its own."""


def apis_for(settings: Settings) -> Apis:
    """The bundled tables, those in the files of `extend-apis`, and those under the `apis` of every configuration file in
    force; later ones add to earlier ones.

    Raises ConfigError or CatalogError that names the file in which the wrong row stands.
    """
    layers = [table.values for table in settings.apis]
    extra = [Path(path) for path in named_files(settings, "extend_apis")]
    try:
        return load_apis(extra, layers[0] if len(layers) == 1 else _folded(layers))
    except CatalogError:
        for table in settings.apis:
            _check(table)
        raise


def written_tables(settings: Settings) -> list[tuple[str, str]]:
    """The files of `extend-apis` with their texts: verdicts depend on what stands in them."""
    return [(path, read_text(Path(path))) for path in named_files(settings, "extend_apis")]


def _check(table: Table) -> None:
    """Raises ConfigError when the table is wrong by itself."""
    try:
        load_apis(inline=table.values)
    except CatalogError as error:
        reason = str(error).removeprefix(_INLINE).lstrip(": ")
        raise ConfigError(f"{table.origin}: `apis`: {reason}") from None


def _folded(layers: list[Mapping[str, Any]]) -> Mapping[str, Any]:
    """One table for all layers: each one's defaults hold for its own rows only."""
    if not layers:
        return {}
    if any(not _is_table(layer) for layer in layers):
        raise CatalogError(f"{_INLINE}: has keys or values of a wrong kind")
    rows: list[Mapping[str, Any]] = []
    aliases: dict[str, Any] = {}
    for layer in layers:
        rows += [{**layer.get("defaults", {}), **row} for row in layer.get("api", [])]
        aliases.update(layer.get("aliases", {}))
    return {"api": rows, "aliases": aliases}


def _is_table(layer: Mapping[str, Any]) -> bool:
    rows = layer.get("api", [])
    return (
        set(layer) <= {"api", "aliases", "defaults"}
        and isinstance(rows, list)
        and all(isinstance(row, dict) for row in rows)
        and all(isinstance(layer.get(key, {}), dict) for key in ("aliases", "defaults"))
    )

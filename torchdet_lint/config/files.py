"""Configuration files: where they are, reading them, and the chain of `extend`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from torchdet_lint import disk
from torchdet_lint.config.errors import ConfigError
from torchdet_lint.config.validate import Layer, layer

NAMES = ("torchdet-lint.toml", ".torchdet-lint.toml", "pyproject.toml")
"""The first of these in a folder is its configuration; a `pyproject.toml` without the table is none."""

SECTION = "[tool.torchdet-lint]"


def find(folder: str) -> str | None:
    """The configuration file that stands in the absolute `folder` itself."""
    for name in NAMES:
        path = os.path.join(folder, name)
        # The substring test spares the import of a TOML parser where a project configures other tools only.
        if disk.is_file(path) and (name != "pyproject.toml" or (b"torchdet-lint" in _bytes(path) and _section(path))):
            return path
    return None


def chain(path: str, cwd: str) -> tuple[Layer, ...]:
    """The layers of the file and of those that it extends, base first. Raises ConfigError."""
    return _chain(path, cwd, ())


def shown(path: str, cwd: str) -> str:
    """How messages name a file: relative to the working directory where it is inside."""
    relative = path[len(cwd.rstrip(os.sep)) + 1 :] if path.startswith(cwd.rstrip(os.sep) + os.sep) else path
    return relative.replace(os.sep, "/")


def parse(text: str, origin: str) -> dict[str, Any]:
    """A TOML document. Raises ConfigError with the line."""
    import sys

    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        import re

        reason, at = str(error), re.search(r" \(at line (\d+), column (\d+)\)$", str(error))
        if at:
            raise ConfigError(f"{origin}:{at[1]}:{at[2]}: invalid TOML: {reason[: at.start()]}") from None
        raise ConfigError(f"{origin}:{len(text.splitlines()) or 1}: invalid TOML: {reason}") from None
    except (ValueError, RecursionError):  # numbers of thousands of digits, thousands of brackets
        raise ConfigError(f"{origin}: a number or a nesting in it is too large to be read") from None


def _chain(path: str, cwd: str, below: tuple[str, ...]) -> tuple[Layer, ...]:
    origin = shown(path, cwd)
    path = os.path.realpath(path)
    if path in below:
        circle = " → ".join(shown(each, cwd) for each in (*below[below.index(path) :], path))
        raise ConfigError(f"{origin}: `extend` goes round in a circle: {circle}")
    pyproject = os.path.basename(path) == "pyproject.toml"
    table = dict(_section(path, origin) if pyproject else parse(_text(path, origin), origin))
    origin += f": {SECTION}" if pyproject else ""
    if not pyproject and set(table) == {"tool"}:
        raise ConfigError(f"{origin}: keys stand at the top level here; remove {SECTION}")
    base, own = table.pop("extend", None), layer(origin, os.path.dirname(path), table)
    if base is None:
        return (own,)
    return (*_chain(_extended(base, path, origin), cwd, (*below, path)), own)


def _extended(base: Any, path: str, origin: str) -> str:
    if not isinstance(base, str) or not base:
        raise ConfigError(f'{origin}: `extend` must be the path of one file; write extend = "../base.toml"')
    target = os.path.normpath(os.path.join(os.path.dirname(path), os.path.expanduser(base)))
    if not disk.is_file(target):
        raise ConfigError(f"{origin}: `extend` names {base}, and there is no such file")
    return target


def _section(path: str, origin: str = "") -> Mapping[str, Any]:
    """The table of a `pyproject.toml`; empty where there is none."""
    origin = origin or path
    tool = parse(_text(path, origin), origin).get("tool", {})
    table = tool.get("torchdet-lint", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise ConfigError(f"{origin}: `tool.torchdet-lint` must be a table; write {SECTION}")
    return table


def _bytes(path: str) -> bytes:
    try:
        return disk.read(path)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None


def _text(path: str, origin: str) -> str:
    try:
        return _bytes(path).decode("utf-8-sig")  # some editors begin every file with a mark
    except UnicodeDecodeError as error:
        raise ConfigError(f"{origin}: not UTF-8 (byte {error.start}); TOML files must be") from None

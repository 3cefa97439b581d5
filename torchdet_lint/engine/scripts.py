"""Entry points that a project declares: scripts in its metadata, and `entry-points` of the configuration."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from posixpath import dirname, join, normpath
from typing import Any

from torchdet_lint import disk
from torchdet_lint.catalog.errors import CatalogError
from torchdet_lint.catalog.tables import parse_toml
from torchdet_lint.config import Anchored, ConfigError, Settings
from torchdet_lint.project.modules import Definition, Project

Script = tuple[str, str]
"""A file of the project, by key, and the function in it; "" for the file itself."""

_OBJECT = re.compile(r"\s*([\w.]+)\s*:\s*([\w.]+)\s*(?:\[[^\]]*\])?\s*")


def scripts(root: str, project: Project, settings: Settings, sources: Sequence[str]) -> tuple[Script, ...]:
    """Every declared entry point that is a file of the project; `sources` are further folders of imports, by key.

    Raises ConfigError for an entry of `entry-points` that names nothing.
    """
    files = project.modules.keys()
    found: dict[Script, None] = {}
    for folder in _folders(files):
        for declared in _declared(os.path.join(root, folder)):
            script = _function(declared, project, (folder, join(folder, "src"), *sources))
            if script is not None:
                found[script] = None
    for entry in settings.entry_points:
        configured = tuple(_configured(entry, root, project, sources))
        if not configured:
            raise ConfigError(
                f"{settings.origin('entry_points')}: `entry-points` names {entry.text}, and the project has no such "
                f"{'function' if ':' in entry.text else 'file'}"
            )
        found.update(dict.fromkeys(configured))
    return tuple(found)


def _configured(entry: Anchored, root: str, project: Project, sources: Sequence[str]) -> Iterator[Script]:
    if ":" in entry.text:
        base = os.path.relpath(entry.base, root).replace(os.sep, "/")
        script = _function(entry.text, project, (base, join(base, "src"), *sources))
        if script is not None:
            yield script
    else:
        for path in project.modules:
            if entry.matches(os.path.normpath(os.path.join(root, path))):
                yield path, ""


def _function(declared: str, project: Project, folders: Iterable[str]) -> Script | None:
    """The file and the function that `package.module:function` means, looked for from each of the folders.

    Where the module only imports the function, it is the file that defines it.
    """
    named = _OBJECT.fullmatch(declared)
    if named is None:
        return None
    module, function = named[1].replace(".", "/"), named[2]
    for folder in folders:
        for path in (f"{module}.py", f"{module}/__init__.py"):
            file = normpath(join(folder, path))
            if file in project.modules:
                symbol = project.lookup(file, function)
                if isinstance(symbol, Definition):
                    return symbol.path, symbol.name
                return (file, function) if symbol is not None else None
    return None


def _folders(files: Collection[str]) -> list[str]:
    """The folders that hold files of the project, directly or further down, the root first."""
    found = {""}
    for path in files:
        folder = dirname(path)
        while folder not in found and not folder.startswith(".."):
            found.add(folder)
            folder = dirname(folder)
    return sorted(found)


def _declared(folder: str) -> Iterator[str]:
    """What the metadata in a folder declares; files that cannot be read declare nothing."""
    text = _text(os.path.join(folder, "pyproject.toml"))
    if "scripts" in text:
        try:
            document = parse_toml(text, "pyproject.toml").data
        except CatalogError:
            document = {}
        project, poetry = _table(document, "project"), _table(_table(document, "tool"), "poetry")
        for table in (_table(project, "scripts"), _table(project, "gui-scripts"), _table(poetry, "scripts")):
            for value in table.values():
                yield from (each for each in (value, *_callables(value)) if isinstance(each, str))
    text = _text(os.path.join(folder, "setup.cfg"))
    if "_scripts" in text:
        yield from _setup_cfg(text)
    text = _text(os.path.join(folder, "setup.py"))
    if "_scripts" in text:
        yield from _setup_py(text)


def _callables(value: Any) -> tuple[Any, ...]:
    """Poetry writes a script as a string, or as a table with `reference` (or `callable`)."""
    return (value.get("reference"), value.get("callable")) if isinstance(value, dict) else ()


def _setup_cfg(text: str) -> Iterator[str]:
    import configparser  # rarely needed

    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
    except configparser.Error:
        return
    for key in ("console_scripts", "gui_scripts"):
        for line in parser.get("options.entry_points", key, fallback="").splitlines():
            yield line.partition("=")[2]


_ENTRY_POINTS = re.compile(r"(?:console|gui)_scripts\b[\"']?\s*(?:[:=]\s*[\[(]|\])([^\])]*)")
"""The scripts that a `setup.py` writes out: a list in a dictionary or a call, or a text like that of an `entry_points.txt`."""

_ENTRY_POINT = re.compile(r"=\s*([\w.]+\s*:\s*[\w.]+)")


def _setup_py(text: str) -> Iterator[str]:
    for section in _ENTRY_POINTS.finditer(text):
        yield from _ENTRY_POINT.findall(section[1])


def _table(table: dict[str, Any], key: str) -> dict[str, Any]:
    value = table.get(key)
    return value if isinstance(value, dict) else {}


def _text(path: str) -> str:
    try:
        return disk.read(path).decode("utf-8", "replace")
    except OSError:
        return ""

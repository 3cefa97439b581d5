"""Which versions of libraries a project asks for, read from its dependency files."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from torchdet_lint import disk
from torchdet_lint.catalog.errors import CatalogError, VersionError
from torchdet_lint.catalog.tables import parse_toml
from torchdet_lint.catalog.versions import (
    ANY,
    NEWEST_TORCH,
    Interval,
    exactly,
    parse_interval,
    parse_requirement,
    parse_version,
    series,
)

_CONDA_NAMES = {"pytorch": "torch", "pytorch-cpu": "torch", "pytorch-gpu": "torch"}
_CONDA_LINE = re.compile(r"""^\s*-\s+["']?(?:[\w.-]+::)?([^"'#]+?)["']?\s*(?:#.*)?$""")


def bounds(folder: str | os.PathLike[str], stop_at: str | os.PathLike[str]) -> dict[str, Interval]:
    """The versions that a project allows, by normalised distribution name, as seen from `folder`.

    For each library the nearest folder that bounds it counts, from `folder` up to `stop_at` (included; when it is not
    above `folder`, only `folder` is read). Files of one folder are taken together; when they contradict each other
    (a file for each CUDA version), all that any of them allows is allowed. Libraries without a bound are left out, and
    so are files that cannot be read. The files are read at each call; keep the answer.
    """
    here, last = Path(folder).absolute(), Path(stop_at).absolute()
    found: dict[str, Interval] = {}
    for level in (here, *here.parents) if last in (here, *here.parents) else (here,):
        for name, interval in _folder_bounds(level).items():
            found.setdefault(name, interval)
        if level == last:
            break
    return found


def torch_interval(target: str | None, project: Mapping[str, Interval]) -> Interval:
    """The torch versions to judge for: the configured target, else the project's bound, else the installed torch, else
    the newest that the tables know. Raises `VersionError` for a target that is no version.
    """
    if target is not None:
        return series(target)
    return project.get("torch") or installed("torch") or series(NEWEST_TORCH)


def installed(distribution: str) -> Interval | None:
    """The installed version of a distribution, from the name of its metadata folder; None when there is none.

    `importlib.metadata` would say the same, and costs more to import than most runs take for anything.
    """
    folder = re.compile(rf"{re.escape(distribution)}-([^-]+)\.dist-info", re.IGNORECASE)
    for place in sys.path:
        try:
            found = [match[1] for name in disk.names(place or ".") if (match := folder.fullmatch(name))]
        except OSError:
            continue
        if found:
            try:
                return exactly(parse_version(found[0]))
            except VersionError:
                return None
    return None


def _folder_bounds(folder: Path) -> dict[str, Interval]:
    found: dict[str, Interval] = {}
    for path in _dependency_files(folder):
        for name, interval in _read(path):
            if interval == ANY:
                continue
            common = found.get(name, ANY) & interval
            if not interval.empty:
                found[name] = common if not common.empty else found[name] | interval
    return found


def _dependency_files(folder: Path) -> list[Path]:
    names = _names(folder)
    files = [folder / name for name in names if fnmatch(name, "requirements*.txt")]
    files += [folder / name for name in ("pyproject.toml", "setup.cfg") if name in names]
    files += [folder / name for name in names if fnmatch(name, "environment*.y*ml")]
    if "requirements" in names:
        files += [folder / "requirements" / name for name in _names(folder / "requirements") if name.endswith(".txt")]
    return files


def _names(folder: Path) -> list[str]:
    try:
        return disk.names(str(folder))
    except OSError:
        return []


def _read(path: Path) -> list[tuple[str, Interval]]:
    try:
        text = disk.read(str(path)).decode("utf-8-sig")
        if path.name == "pyproject.toml":
            return list(_pyproject(text))
        if path.name == "setup.cfg":
            return list(_requirements(_setup_cfg(text)))
        if path.suffix in (".yml", ".yaml"):
            return list(_environment(text))
        return list(_requirements(text.splitlines()))
    except (OSError, UnicodeDecodeError, CatalogError):
        return []


def _requirements(lines: Any) -> Iterator[tuple[str, Interval]]:
    for line in lines:
        found = parse_requirement(line) if isinstance(line, str) and not line.lstrip().startswith(("-", "#")) else None
        if found is not None:
            yield found


def _pyproject(text: str) -> Iterator[tuple[str, Interval]]:
    document = parse_toml(text, "pyproject.toml").data
    project = _dict(document.get("project"))
    yield from _requirements(_list(project.get("dependencies")))
    for extra in _dict(project.get("optional-dependencies")).values():
        yield from _requirements(_list(extra))
    for group in _dict(document.get("dependency-groups")).values():
        yield from _requirements(_list(group))
    poetry = _dict(_dict(document.get("tool")).get("poetry"))
    groups = [_dict(group) for group in _dict(poetry.get("group")).values()]
    for table in (poetry, *groups):
        yield from _poetry(_dict(table.get("dependencies")))


def _poetry(dependencies: dict[str, Any]) -> Iterator[tuple[str, Interval]]:
    for name, value in dependencies.items():
        condition = value.get("version") if isinstance(value, dict) else value
        if isinstance(condition, str):
            try:
                yield re.sub(r"[-_.]+", "-", name).lower(), parse_interval(condition)
            except VersionError:
                continue


def _setup_cfg(text: str) -> list[str]:
    import configparser  # rarely needed

    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
    except configparser.Error:
        return []
    lines = parser.get("options", "install_requires", fallback="").splitlines()
    if parser.has_section("options.extras_require"):
        lines += [line for _, value in parser.items("options.extras_require") for line in value.splitlines()]
    return lines


def _environment(text: str) -> Iterator[tuple[str, Interval]]:
    """The dependency lines of a conda environment file, those below `pip:` included; no YAML parser is needed."""
    for line in text.splitlines():
        found = _CONDA_LINE.match(line)
        parsed = parse_requirement(found[1]) if found else None
        if parsed is not None:
            yield _CONDA_NAMES.get(parsed[0], parsed[0]), parsed[1]


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []

"""One configuration table, checked key by key against `OPTIONS`, as values of the types of `Settings`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from torchdet_lint.config.errors import ConfigError
from torchdet_lint.config.globs import Anchored
from torchdet_lint.config.settings import OPTIONS, Option, PerFile, Table

_VERSION = re.compile(r"\d+(\.\d+){0,2}")
_FUNCTION = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


class Layer(NamedTuple):
    """The values that one source sets, by field name. `origin` is how it is named in messages and `--show-settings`."""

    origin: str
    base: str
    values: Mapping[str, Any]


class _Place(NamedTuple):
    origin: str
    base: str


def layer(origin: str, base: str, table: Mapping[str, Any]) -> Layer:
    """The checked values of `table`; relative paths in it are relative to the absolute folder `base`.

    Raises ConfigError for an unknown key, naming the nearest one, and for a value of a wrong kind.
    """
    values = {}
    for name, raw in table.items():
        option = OPTIONS.get(name)
        if option is None:
            raise ConfigError(f"{origin}: unknown key `{name}`{nearest(name, tuple(OPTIONS))}")
        values[option.key] = _READERS[option.kind](option, _Place(origin, base), raw)
    return Layer(origin, base, values)


def nearest(word: str, known: tuple[str, ...]) -> str:
    """`"; did you mean `x`?"` for the known word that is most like `word`, or "" where none is."""
    import difflib

    for match in difflib.get_close_matches(word.replace("_", "-"), known, n=1, cutoff=0.6):
        return f"; did you mean `{match}`?"
    return ""


def _wrong(option: Option, place: _Place, wanted: str, raw: Any) -> ConfigError:
    got = f'"{raw}"' if isinstance(raw, str) else _KINDS.get(type(raw).__name__, str(raw))
    return ConfigError(f"{place.origin}: `{option.name}` must be {wanted}, not {got}; write {option.example}")


_KINDS = {"bool": "true or false", "list": "a list", "dict": "a table"}


def _text(option: Option, place: _Place, raw: Any) -> str:
    if not isinstance(raw, str) or not raw:
        raise _wrong(option, place, "a string", raw)
    return raw


def _flag(option: Option, place: _Place, raw: Any) -> bool:
    if not isinstance(raw, bool):
        raise _wrong(option, place, "true or false", raw)
    return raw


def _count(option: Option, place: _Place, raw: Any) -> int:
    if not isinstance(raw, int) or isinstance(raw, bool) or raw < 0:
        raise _wrong(option, place, "a whole number from 0", raw)
    return raw


def _choice(option: Option, place: _Place, raw: Any) -> str:
    if raw not in option.choices:
        known = ", ".join(f'"{choice}"' for choice in option.choices)
        raise _wrong(option, place, f"one of {known}", raw)
    return str(raw)


def _version(option: Option, place: _Place, raw: Any) -> str:
    if not isinstance(raw, str) or not _VERSION.fullmatch(raw):
        raise _wrong(option, place, 'a version in quotes, such as "2.6" or "2.6.1"', raw)
    return raw


def _texts(option: Option, place: _Place, raw: Any) -> tuple[str, ...]:
    if not isinstance(raw, list):
        raise _wrong(option, place, "a list of strings", raw)
    for item in raw:
        if not isinstance(item, str) or not item:
            raise _wrong(option, place, "a list of strings", item)
    return tuple(raw)


def _anchored(option: Option, place: _Place, raw: Any) -> tuple[Anchored, ...]:
    return tuple(Anchored(place.base, _relative(item, place.base)) for item in _texts(option, place, raw))


def _relative(glob: str, base: str) -> str:
    """An absolute path below the base as one from there; a slash in front of any other only ties it to the base."""
    folder = os.path.join(base, "")
    return glob[len(folder) - 1 :].replace(os.sep, "/") if glob.startswith(folder) else glob


def _path(option: Option, place: _Place, raw: Any) -> Anchored:
    if not isinstance(raw, str) or not raw:
        raise _wrong(option, place, "a path in quotes", raw)
    return Anchored(place.base, raw)


def _entries(option: Option, place: _Place, raw: Any) -> tuple[Anchored, ...]:
    for item in _texts(option, place, raw):
        if ":" in item and not _FUNCTION.fullmatch(item):
            raise _wrong(option, place, "a list of globs or `package.module:function`", item)
    return _anchored(option, place, raw)


def _mapping(option: Option, place: _Place, raw: Any) -> Mapping[str, Any]:
    if not isinstance(raw, dict):
        raise _wrong(option, place, "a table", raw)
    return raw


def _ignores(option: Option, place: _Place, raw: Any) -> tuple[PerFile, ...]:
    items = _mapping(option, place, raw).items()
    return tuple(PerFile(Anchored(place.base, glob), _texts(option, place, selectors)) for glob, selectors in items)


def _severities(option: Option, place: _Place, raw: Any) -> tuple[tuple[str, str], ...]:
    items = _mapping(option, place, raw).items()
    return tuple((selector, _choice(option, place, severity)) for selector, severity in items)


def _table(option: Option, place: _Place, raw: Any) -> tuple[Table, ...]:
    return (Table(place.origin, place.base, _mapping(option, place, raw)),)


_READERS: dict[str, Callable[[Option, _Place, Any], Any]] = {
    "flag": _flag,
    "count": _count,
    "choice": _choice,
    "version": _version,
    "selectors": _texts,
    "globs": _anchored,
    "paths": _anchored,
    "path": _path,
    "entries": _entries,
    "ignores": _ignores,
    "severities": _severities,
    "table": _table,
}

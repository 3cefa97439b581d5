"""Strict reading of TOML tables: every key is asked for by name, and what nobody asked for is an error."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, TypeVar

from torchdet_lint.catalog.errors import CatalogError, suggest

T = TypeVar("T")

_WORDS = {str: "a string", bool: "true or false", int: "a whole number", dict: "a table", list: "a list"}


class _Required:
    """The default of a key that must be there."""


REQUIRED = _Required()


def parse_toml(text: str, where: str) -> Table:
    """The document as a `Table`; raises `CatalogError` with the parser's position when it is not TOML."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    try:
        return Table(tomllib.loads(text), where)
    except tomllib.TOMLDecodeError as error:
        raise CatalogError(f"{where}: not valid TOML: {error}") from error
    except (ValueError, RecursionError):  # numbers of thousands of digits, thousands of brackets
        raise CatalogError(f"{where}: a number or a nesting in it is too large to be read") from None


class Table:
    """A TOML table that is being read.

    Each method takes one key; `finish` then refuses the keys that no method has asked for, naming the nearest of
    those that were. All of them raise `CatalogError`.
    """

    def __init__(self, data: dict[str, Any], where: str) -> None:
        self.where = where
        self.data = data
        self._asked: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def keys(self) -> list[str]:
        return list(self.data)

    def kind(self, key: str) -> type | None:
        """The type of a value without taking it; None when the key is missing."""
        return type(self.data[key]) if key in self.data else None

    def error(self, key: str, problem: str) -> CatalogError:
        return CatalogError(f"{self.where}: `{key}` {problem}")

    def text(self, key: str, default: str | _Required = REQUIRED) -> str:
        return self._take(key, str, default)

    def line(self, key: str, default: str | _Required = REQUIRED) -> str:
        """A string without line breaks that is not blank."""
        value = self.text(key, default)
        if key in self.data and (not value.strip() or "\n" in value):
            raise self.error(key, "must be one line that is not blank")
        return value

    def flag(self, key: str, default: bool | _Required = REQUIRED) -> bool:
        return self._take(key, bool, default)

    def number(self, key: str, default: int | _Required = REQUIRED) -> int:
        return self._take(key, int, default)

    def anything(self, key: str) -> Any:
        self._asked.add(key)
        return self.data.get(key)

    def choice(self, key: str, allowed: Sequence[str], default: str | _Required = REQUIRED) -> str:
        value = self.text(key, default)
        if key in self.data and value not in allowed:
            listed = ", ".join(f'"{word}"' for word in allowed)
            raise self.error(key, f'is "{value}", but must be one of {listed}{suggest(value, allowed)}')
        return value

    def texts(self, key: str, default: Sequence[str] | _Required = REQUIRED) -> tuple[str, ...]:
        """A list of strings; a single string is a list of one."""
        if isinstance(self.data.get(key), str):
            return (self.text(key),)
        values = self._take(key, list, default if isinstance(default, _Required) else list(default))
        if not all(isinstance(value, str) for value in values):
            raise self.error(key, "must hold strings only")
        return tuple(values)

    def mapping(self, key: str) -> dict[str, str]:
        """A table of strings, or an empty one when the key is missing."""
        values = self._take(key, dict, {})
        for name, value in values.items():
            if not isinstance(value, str):
                raise self.error(f"{key}.{name}", "must be a string")
        return dict(values)

    def table(self, key: str) -> Table:
        """The table below `key`, empty when it is missing."""
        return Table(self._take(key, dict, {}), f"{self.where}: [{key}]")

    def tables(self, key: str) -> list[Table]:
        """The array of tables below `key`, empty when it is missing."""
        values = self._take(key, list, [])
        if not all(isinstance(value, dict) for value in values):
            raise self.error(key, f"must be an array of tables, written [[{key}]]")
        return [Table(value, f"{self.where}: [[{key}]] number {at}") for at, value in enumerate(values, 1)]

    def finish(self) -> None:
        for key in self.data:
            if key not in self._asked:
                raise CatalogError(f"{self.where}: unknown key `{key}`{suggest(key, sorted(self._asked))}")

    def _take(self, key: str, kind: type[T], default: T | _Required) -> T:
        self._asked.add(key)
        if key not in self.data:
            if isinstance(default, _Required):
                near = suggest(key, sorted(set(self.data) - self._asked))
                raise CatalogError(f"{self.where}: missing key `{key}`{near}")
            return default
        value = self.data[key]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.error(key, f"must be {_WORDS[kind]}")
        return value

"""Markup that cannot be broken by what it holds: whatever is not markup already is escaped on its way in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from torchdet_lint.report.summary import printable


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


Content: TypeAlias = "str | int | Iterable[Content] | None"
"""What elements are filled with: text, numbers, markup, nothing, or several of these."""

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})
_EMPTY = frozenset(("br", "input", "link", "meta"))


def escaped(text: str) -> str:
    """Text as markup that shows it: on one line, and without what would steer its reader's screen (direction marks)."""
    return printable(text).translate(_ESCAPES)


def join(content: Content) -> Markup:
    """Content as markup, one piece after the other."""
    if isinstance(content, Markup):
        return content
    if isinstance(content, str):
        return Markup(escaped(content))
    if content is None:
        return Markup()
    if isinstance(content, int):
        return Markup(content)
    return Markup("".join(map(join, content)))


def tag(name: str, /, *content: Content, **attributes: str | int | bool | None) -> Markup:
    """An element. An underscore in the name of an attribute stands for a hyphen, and one at its end for nothing (`class_`);
    False and None leave an attribute out, True gives it without a value.
    """
    given = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escaped(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _EMPTY:
        return Markup(f"<{name}{given}>")
    return Markup(f"<{name}{given}>{join(content)}</{name}>")


def prose(text: str) -> Markup:
    """A text in which pieces between back quotes are code."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:  # a back quote without its other half
        return join(text)
    return join(piece if index % 2 == 0 else tag("code", piece) for index, piece in enumerate(pieces))


def link(url: str, *content: Content, **attributes: str | int | bool | None) -> Markup:
    """A link to a page elsewhere. What is no address on the web (or a script, which an address can hold) stays text."""
    if not url.startswith(("https://", "http://")):
        return tag("span", *content, **attributes)
    return tag("a", *content, href=url, rel="noopener noreferrer", **attributes)

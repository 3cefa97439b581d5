"""The findings that a verification is about: from a lint now, or from a JSON report of an earlier one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from torchdet_lint.finding import Finding, Location, Related


class FindingsError(Exception):
    """A findings file cannot be used; the text says why, in one line."""


def from_report(path: str) -> tuple[Finding, ...]:
    """The findings of a JSON report (`check --output-format json`). Raises FindingsError."""
    document = document_in(path, "torchdet-lint check --output-format json")
    try:
        return tuple(_finding(row) for row in document["findings"])
    except (KeyError, TypeError) as error:
        raise FindingsError(f"{path} is no complete report: {type(error).__name__} {error}") from None


def document_in(path: str, writer: str) -> dict[str, Any]:
    """The JSON document of schema 1 in a file; `writer` is the command that writes such. Raises FindingsError."""
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except OSError as error:
        raise FindingsError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError:
        raise FindingsError(f"{path} is no JSON; write it by `{writer}`") from None
    if not isinstance(document, dict) or document.get("schema") != 1:
        raise FindingsError(f"{path} is no report of schema 1; write it by `{writer}`")
    return document


def _finding(row: dict[str, Any]) -> Finding:
    names = ("code", "name", "severity", "confidence", "effect", "message", "program", "help", "url", "fingerprint")
    related = tuple(Related(_place(each), each["label"]) for each in row["related"])
    return Finding(location=_place(row), related=related, **{name: row[name] for name in names})


def _place(row: dict[str, Any]) -> Location:
    return Location(*(row[name] for name in Location._fields))


def still_there(given: Sequence[Finding], now: Sequence[Finding], path: str) -> tuple[tuple[Finding, ...], str]:
    """Those of a file's findings that a lint still finds, where it finds them now; and a line about the others, or nothing.

    Raises FindingsError where none is left.
    """
    known = {finding.fingerprint: finding for finding in now}
    kept = tuple(known[finding.fingerprint] for finding in given if finding.fingerprint in known)
    gone = len(given) - len(kept)
    if given and not kept:
        raise FindingsError(f"{path} is of another revision: none of its {gone} findings is in this code")
    note = f"{path} is of another revision: {gone} of its {len(given)} findings are not in this code" if gone else ""
    return kept, note

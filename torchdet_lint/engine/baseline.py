"""Baselines: findings that are known and put off, by their fingerprints, in a file that can be reviewed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from torchdet_lint import disk
from torchdet_lint.engine import writing
from torchdet_lint.engine.options import Result
from torchdet_lint.finding import Finding

VERSION = 1
DEFAULT_FILE = "torchdet-lint-baseline.json"


class BaselineError(Exception):
    """A baseline file that cannot be used: which, and why, in one line."""


class Entry(NamedTuple):
    """One finding that is put off. Only the fingerprint counts; the rest is for those who read the file."""

    path: str
    code: str
    fingerprint: str
    message: str


def read(path: str) -> tuple[Entry, ...]:
    """The entries of a baseline file. Raises BaselineError."""
    try:
        document = json.loads(disk.read(path))
    except OSError as error:
        raise BaselineError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise BaselineError(f"{path}: no baseline: {' '.join(str(error).split())}") from None
    if not isinstance(document, dict) or not isinstance(document.get("findings"), list):
        raise BaselineError(f"{path}: no baseline: it has no list of findings; `baseline write` makes one")
    if document.get("version") != VERSION:
        raise BaselineError(
            f"{path}: version {document.get('version')!r} of the format is not known, only {VERSION}; write the baseline again"
        )
    found = []
    for index, each in enumerate(document["findings"], 1):
        values = [each.get(key) for key in Entry._fields] if isinstance(each, dict) else [None]
        if not all(isinstance(value, str) for value in values):
            raise BaselineError(f"{path}: entry {index} has not all of {', '.join(Entry._fields)} as texts")
        found.append(Entry(*values))
    return tuple(found)


def write(path: str, entries: Iterable[Entry]) -> None:
    """Replaces a baseline file as a whole. Raises BaselineError."""
    findings = [entry._asdict() for entry in sorted(set(entries))]
    text = json.dumps({"version": VERSION, "findings": findings}, indent=2) + "\n"
    try:
        writing.create(path, text.encode())
    except writing.WriteError as error:
        raise BaselineError(f"{path}: {error}") from None


def entries_of(findings: Iterable[Finding]) -> tuple[Entry, ...]:
    """The entries for findings. What could not be read is never put off."""
    return tuple(
        Entry(each.location.path, each.code, each.fingerprint, each.message)
        for each in findings
        if each.code != "TDL999"
    )


def without_known(result: Result, entries: Iterable[Entry]) -> Result:
    """The result without the findings of a baseline."""
    known = {entry.fingerprint for entry in entries}
    kept = tuple(finding for finding in result.findings if finding.fingerprint not in known)
    return replace(result, findings=kept, known=len(result.findings) - len(kept))


def pruned(entries: Iterable[Entry], result: Result) -> tuple[Entry, ...]:
    """The entries that still stand for a finding, and those of files that were not looked at."""
    found = {finding.fingerprint for finding in result.findings}
    looked_at = set(result.files)
    return tuple(
        entry
        for entry in entries
        if entry.fingerprint in found or (entry.path not in looked_at and os.path.exists(entry.path))
    )

"""Texts in the middle of a change.

Half of what is typed does not parse. Taken as it is, a helper that is being edited would be a helper that does nothing, and
all files that rely on it would flash with findings. So the last text that did parse stands for it, and what is said about the
file itself is only what is wrong with its syntax.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from torchdet_lint.config import Settings
from torchdet_lint.config.policy import catalog_for, policy
from torchdet_lint.engine.places import excerpt
from torchdet_lint.engine.reading import Reading, read
from torchdet_lint.engine.scope import Entry
from torchdet_lint.engine.unreadable import unreadable
from torchdet_lint.finding import Finding, Location


class Sorted(NamedTuple):
    """`texts` are what is analysed, by path; `held` are the files whose own text is not, with what is wrong with it."""

    texts: dict[str, bytes]
    held: dict[str, Reading]


@dataclass
class Texts:
    """What was seen of open files: their last texts, and their last texts that parse."""

    _last: dict[str, tuple[bytes, Reading]] = field(default_factory=dict)
    _good: dict[str, bytes] = field(default_factory=dict)

    def sort(self, contents: Mapping[str, bytes]) -> Sorted:
        """What to do with the texts of all open files. One that has never parsed is analysed as it is, as anywhere."""
        for gone in self._last.keys() - contents.keys():
            del self._last[gone]
            self._good.pop(gone, None)
        found = Sorted({}, {})
        for path, data in contents.items():
            reading = self._read(path, data)
            if reading.fault is None:
                self._good[path] = data
            elif path in self._good:
                found.held[path] = reading
            found.texts[path] = self._good.get(path, data)
        return found

    def _read(self, path: str, data: bytes) -> Reading:
        known = self._last.get(path)
        if known is None or known[0] != data:
            known = self._last[path] = (data, read(Entry(path, path, path, reported=True, data=data)))
        return known[1]


def fault_of(shown: str, path: str, reading: Reading, settings: Settings) -> Finding | None:
    """What is wrong with the syntax of a file, as it is reported; None where nobody wants to know."""
    if reading.fault is None:
        return None
    catalog = catalog_for(settings)
    found = policy(settings, catalog).shown(unreadable(path, reading.fault, reading.source, catalog), path)
    return None if found is None else replace(found, location=found.location._replace(path=shown))


def lines_of(reading: Reading, place: Location) -> tuple[str, ...]:
    """The lines of a place in a text that is held back."""
    return () if reading.source is None else excerpt(reading.source, place)

"""All files of a project, read in this process or in several, from the cache or afresh, with the same outcome."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial

from torchdet_lint import disk, ir
from torchdet_lint.catalog.apis import Apis
from torchdet_lint.engine import workers
from torchdet_lint.engine.kept import Kept, kept_in, key_of
from torchdet_lint.engine.options import Progress
from torchdet_lint.engine.reading import (
    Fault,
    Reading,
    dump,
    dump_body,
    fetch,
    packed,
    read,
    read_ahead,
    remembered,
    to_remember,
    undump,
    undump_body,
    unit_fault,
)
from torchdet_lint.engine.scope import Entry
from torchdet_lint.lowering import LoweringError, lower
from torchdet_lint.source import SourceFile, Unit

FEW_FILES = 300
FEW_BYTES = 4_000_000
"""A project that is below both is read here: to start processes and to send everything back would take longer."""

BATCH_BYTES = 250_000
BATCH_FILES = 25


@dataclass
class Loaded:
    """The files of a project by key: those that have a text, and the first fault of those that have one.

    `lower` is what a `Project` needs: it takes what was lowered ahead or in an earlier run, and lowers what was not. `parsed`
    counts the units that libcst had to parse for it, `known` the files that an earlier run had taken apart.
    """

    sources: dict[str, SourceFile] = field(default_factory=dict)
    faults: dict[str, Fault] = field(default_factory=dict)
    kept: Kept = field(default_factory=lambda: kept_in(None))
    parsed: int = 0
    known: int = 0
    _ahead: dict[tuple[str, int], bytes] = field(default_factory=dict)

    def add(self, key: str, reading: Reading) -> None:
        if reading.source is not None:
            self.sources[key] = reading.source
        if reading.fault is not None:
            self.faults[key] = reading.fault
        for index, body in reading.bodies.items():
            self._ahead[key, index] = body
        self.parsed += len(reading.bodies)

    def take(self, key: str) -> Reading:
        """What came out of a file that has a text; what was lowered ahead of it goes with the reading."""
        source = self.sources[key]
        indices = [unit.index for unit in source.units if (key, unit.index) in self._ahead]
        bodies = {index: self._ahead.pop((key, index)) for index in indices}
        return Reading(source, bodies, self.faults.get(key))

    def lower(self, source: SourceFile, unit: Unit) -> ir.Body:
        """The IR of a unit, () when it cannot be lowered; then the file has a fault."""
        text = source.unit_text(unit)
        keeping = self.kept.keeps
        key = key_of(text) if keeping else b""
        ahead = self._ahead.pop((source.path, unit.index), None)
        if ahead is not None:
            self.kept.put_unit(key, ahead)
        data = self.kept.units.get(key) if keeping and ahead is None else ahead
        if data is not None:
            return undump_body(data)
        try:
            body = lower(text)
            self.parsed += 1
            if keeping:
                self.kept.put_unit(key, dump_body(body))
            return body
        except LoweringError as error:
            found = unit_fault(unit, error)
            known = self.faults.get(source.path)
            # The first in the file, in whatever order units are asked for.
            if known is None or (known.line, known.column) > (found.line, found.column):
                self.faults[source.path] = found
            return ()


def load_all(entries: Sequence[Entry], apis: Apis, jobs: int, progress: Progress, kept: Kept | None = None) -> Loaded:
    """Every file of a project. `jobs` is the number of processes, 0 for as many as there are processors."""
    loaded = Loaded(kept=kept or kept_in(None))
    found: dict[str, Reading] = dict(_remembered(entries, loaded.kept))
    loaded.known = len(found)
    fresh = [entry for entry in entries if entry.key not in found]
    for done, (entry, reading) in enumerate(_readings(fresh, apis, jobs or workers.processors()), loaded.known + 1):
        found[entry.key] = reading
        if loaded.kept.keeps and reading.source is not None:
            loaded.kept.sources.put(*to_remember(entry, reading))
        progress("reading", done, len(entries))
    loaded.kept.sources.spill()  # nobody asks for them again
    for entry in entries:  # in their order, whoever was ready first
        loaded.add(entry.key, found[entry.key])
    return loaded


def _remembered(entries: Sequence[Entry], kept: Kept) -> Iterator[tuple[str, Reading]]:
    """The files whose bytes an earlier run has seen."""
    if not kept.useful:
        return
    for entry in entries:
        try:
            data = fetch(entry)
        except OSError:
            continue  # whoever reads it will say why
        reading = remembered(entry, data, kept.sources)
        if reading is not None:
            yield entry.key, reading


def _readings(entries: Sequence[Entry], apis: Apis, jobs: int) -> Iterator[tuple[Entry, Reading]]:
    looks = [_look(entry) for entry in entries]
    sizes = list(map(_size, entries, looks))
    if jobs == 1 or (len(entries) < FEW_FILES and sum(sizes) < FEW_BYTES):
        for entry in entries:
            yield entry, read(entry)
        return
    with closing(workers.each(_batches(entries, sizes), partial(_task, apis), jobs)) as results:
        for number, result, trouble in results:
            reading = Reading(None, {}, Fault("read", trouble)) if trouble else undump(result)
            if reading.source is None:
                disk.untraceable()
            else:
                disk.seen_file(entries[number].path, looks[number], reading.source.digest)
            yield entries[number], reading


def _task(apis: Apis, entry: Entry) -> bytes:
    return dump(packed(read_ahead(entry, apis)))


def _batches(entries: Sequence[Entry], sizes: Sequence[int]) -> list[list[tuple[int, Entry]]]:
    """Batches of a limited size, the largest files first, so that nobody works on alone at the end."""
    batches: list[list[tuple[int, Entry]]] = []
    room = 0
    for index in sorted(range(len(entries)), key=lambda index: -sizes[index]):
        if room < sizes[index] or len(batches[-1]) == BATCH_FILES:
            batches.append([])
            room = max(BATCH_BYTES, sizes[index])
        batches[-1].append((index, entries[index]))
        room -= sizes[index]
    return batches


def size_of(entry: Entry) -> int:
    """How many bytes a file has; none where that cannot be seen."""
    return _size(entry, None if entry.data is not None else _look(entry))


def _size(entry: Entry, look: os.stat_result | None) -> int:
    return len(entry.data) if entry.data is not None else look.st_size if look else 0


def _look(entry: Entry) -> os.stat_result | None:
    """What the system says of a file; nothing of one that cannot be looked at, and reading it will say why."""
    try:
        return os.stat(entry.path)
    except (OSError, ValueError):
        return None

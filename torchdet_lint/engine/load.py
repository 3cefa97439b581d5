"""All files of a project, read in this process or in several, with the same outcome."""

from __future__ import annotations

import marshal
import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial

from torchdet_lint import ir
from torchdet_lint.catalog.apis import Apis
from torchdet_lint.engine import workers
from torchdet_lint.engine.options import Progress
from torchdet_lint.engine.reading import Fault, Reading, dump, read, read_ahead, undump, unit_fault
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

    `lower` is what a `Project` needs: it takes what was lowered ahead, and lowers what was not.
    """

    sources: dict[str, SourceFile] = field(default_factory=dict)
    faults: dict[str, Fault] = field(default_factory=dict)
    _ahead: dict[tuple[str, int], bytes] = field(default_factory=dict)

    def add(self, key: str, reading: Reading) -> None:
        if reading.source is not None:
            self.sources[key] = reading.source
        if reading.fault is not None:
            self.faults[key] = reading.fault
        for index, body in reading.bodies.items():
            self._ahead[key, index] = body

    def lower(self, source: SourceFile, unit: Unit) -> ir.Body:
        """The IR of a unit, () when it cannot be lowered; then the file has a fault."""
        ahead = self._ahead.pop((source.path, unit.index), None)
        if ahead is not None:
            body: ir.Body = ir.decode(marshal.loads(ahead))  # noqa: S302 (from a process of our own)
            return body
        try:
            return lower(source.unit_text(unit))
        except LoweringError as error:
            found = unit_fault(unit, error)
            known = self.faults.get(source.path)
            # The first in the file, in whatever order units are asked for.
            if known is None or (known.line, known.column) > (found.line, found.column):
                self.faults[source.path] = found
            return ()


def load_all(entries: Sequence[Entry], apis: Apis, jobs: int, progress: Progress) -> Loaded:
    """Every file of a project. `jobs` is the number of processes, 0 for as many as there are processors."""
    jobs = jobs or workers.processors()
    found: dict[str, Reading] = {}
    for done, (entry, reading) in enumerate(_readings(entries, apis, jobs), 1):
        found[entry.key] = reading
        progress("reading", done, len(entries))
    loaded = Loaded()
    for entry in entries:  # in their order, whoever was ready first
        loaded.add(entry.key, found[entry.key])
    return loaded


def _readings(entries: Sequence[Entry], apis: Apis, jobs: int) -> Iterator[tuple[Entry, Reading]]:
    sizes = [_size(entry) for entry in entries]
    if jobs == 1 or (len(entries) < FEW_FILES and sum(sizes) < FEW_BYTES):
        for entry in entries:
            yield entry, read(entry)
        return
    with closing(workers.each(_batches(entries, sizes), partial(_task, apis), jobs)) as results:
        for number, result, trouble in results:
            reading = Reading(None, {}, Fault("read", trouble)) if trouble else undump(result)
            yield entries[number], reading


def _task(apis: Apis, entry: Entry) -> bytes:
    return dump(read_ahead(entry, apis))


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


def _size(entry: Entry) -> int:
    """The size of a file; of one that cannot be looked at, nothing, and reading it will say why."""
    if entry.data is not None:
        return len(entry.data)
    try:
        return os.stat(entry.path).st_size
    except (OSError, ValueError):
        return 0

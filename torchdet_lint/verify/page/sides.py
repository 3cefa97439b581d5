"""Two recorded runs beside each other: the operations around the point where they part, and how the difference grows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from torchdet_lint.verify.compare import Divergence
from torchdet_lint.verify.difference import apart
from torchdet_lint.verify.record import Event, Record, RecordError, Stream, read
from torchdet_lint.verify.verdict import Judgement

BEFORE, AFTER = 5, 11
"""Operations that are shown before and after the first difference."""

MOST_PAIRS = 3


class Row(NamedTuple):
    """The operations of two runs at one place of their streams, `at` counted from 0; None where a run has ended."""

    at: int
    left: Event | None
    right: Event | None

    @property
    def same(self) -> bool:
        """Whether the runs have not parted here."""
        return self.left is not None and self.right is not None and self.left.same_as == self.right.same_as


class Grown(NamedTuple):
    """How far apart the sampled parameters are after an optimizer step (counted from 1), relative to the greater of two
    values; None where there is nothing to compare.
    """

    step: int
    apart: float | None


class Sides(NamedTuple):
    """A pair of runs that part: the names of the runs, what they differ in, where they part, and what stands around it."""

    names: tuple[str, str]
    title: str
    divergence: Divergence
    rows: tuple[Row, ...]
    total: int
    growth: tuple[Grown, ...]


def sides(judgement: Judgement, folder: str) -> tuple[Sides, ...]:
    """The pairs that are worth a look: the two plain runs where they differ; else a pinned run beside each released one that
    differs from it, as far as `folder` holds their records.
    """
    found = []
    for names, title, divergence in _pairs(judgement):
        try:
            left, right = (read(os.path.join(folder, name)) for name in names)
        except (OSError, RecordError):
            continue
        found.append(_beside(names, title, divergence, left, right))
        if len(found) == MOST_PAIRS:
            break
    return tuple(found)


def _pairs(judgement: Judgement) -> Iterator[tuple[tuple[str, str], str, Divergence]]:
    experiment = judgement.experiment
    if experiment.natural.first is not None:
        yield ("natural-1", "natural-2"), "Two plain runs", experiment.natural.first
        return
    guilty = {verdict.factor for verdict in judgement.confirmed}
    for item in sorted(experiment.changing(), key=lambda item: item.factor.name not in guilty):
        if item.divergence is not None:
            title = f"One run, and another with another value of {item.factor.title}"
            yield ("pinned-1", item.run), title, item.divergence


def _beside(names: tuple[str, str], title: str, divergence: Divergence, left: Record, right: Record) -> Sides:
    empty = Stream(divergence.stream, ())
    streams = [record.streams.get(divergence.stream, empty) for record in (left, right)]
    ones, others = ([event for _, event in stream.effects] for stream in streams)
    first, last = max(0, divergence.index - BEFORE), divergence.index + AFTER + 1
    pairs = zip_longest(ones[first:last], others[first:last])
    rows = tuple(Row(index, one, other) for index, (one, other) in enumerate(pairs, first))
    return Sides(names, title, divergence, rows, max(len(ones), len(others)), tuple(_growth(left, right)))


def _growth(left: Record, right: Record) -> Iterator[Grown]:
    """By the stream that takes most steps in both."""
    names = sorted(left.streams.keys() & right.streams.keys())
    steps = [(_steps(left.streams[name]), _steps(right.streams[name])) for name in names]
    ones, others = max(steps, key=lambda pair: min(map(len, pair)), default=([], []))
    for number, (one, other) in enumerate(zip(ones, others, strict=False), 1):
        yield Grown(number, apart(one.values, other.values))


def _steps(stream: Stream) -> list[Event]:
    return [event for event in stream.events if event.kind == "STEP"]

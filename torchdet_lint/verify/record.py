"""Reading a record back: the streams and ledgers that the processes of one run have left in a folder."""

from __future__ import annotations

import json
import os
import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple
from zlib import crc32

from torchdet_lint.verify.rt.streams import HEAD

EFFECTS = frozenset({"OP", "BW", "EXT", "STEP", "OUT"})
"""What a program computed; `OUT` is a line that it printed, where nothing else is known (see `with_output`)."""

SOURCES = frozenset({"SEED", "ENT", "RNG", "RNGPY", "RNGNP", "FS", "TIME", "PID", "CWD", "MEM"})
"""Where it could have got a difference from."""


class RecordError(Exception):
    """A record cannot be read; the text says why, in one line."""


class Event(NamedTuple):
    """One line of a stream. Places are `path:line:function`. `time` is in microseconds and orders the streams of one run.
    `module` is the module at work (`Net.blocks.0.mlp`), of a backward operation that of its forward operation. `forward` is the
    place of a backward operation's forward one; where an order is drawn for a loader, the place where that was made.
    """

    kind: str
    name: str
    place: str
    digest: str
    forward: str
    values: str
    time: int
    module: str = ""

    @property
    def same_as(self) -> tuple[str, str, str, str]:
        """What two runs have in common where they have not parted."""
        return (self.kind, self.name, self.place, self.digest)


@dataclass(frozen=True)
class Stream:
    """The events of one thread of one process."""

    name: str
    events: tuple[Event, ...]

    @cached_property
    def effects(self) -> tuple[tuple[int, Event], ...]:
        """Effects, with their indices among all events."""
        return tuple((index, event) for index, event in enumerate(self.events) if event.kind in EFFECTS)

    @property
    def main(self) -> bool:
        """Whether it is the main thread of a rank."""
        return self.name.startswith("rank") and "/" not in self.name

    @property
    def end(self) -> Event | None:
        """How it ended, where that was written."""
        return self.events[-1] if self.events and self.events[-1].kind == "END" else None


class Draw(NamedTuple):
    """`times` draws from a generator on one line, and the line that had seeded it: empty for never."""

    generator: str
    place: str
    seeded: str
    times: int


@dataclass(frozen=True)
class Ledger:
    """The ledgers of all processes of a run, added up."""

    draws: tuple[Draw, ...] = ()
    seeds: tuple[tuple[str, str, int], ...] = ()
    asked: tuple[tuple[str, str, str, int], ...] = ()
    modes: tuple[tuple[str, str, str, int], ...] = ()
    alerts: tuple[tuple[str, str, int], ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    reached: Mapping[str, frozenset[int]] = field(default_factory=dict)

    def asks(self, kind: str) -> bool:
        """Whether a user line asked for a source of that kind."""
        return any(asked[0] == kind for asked in self.asked)

    def unseeded(self, family: str) -> bool:
        """Whether the user's code drew from a global generator before anybody seeded it."""
        return any(draw.generator == family and draw.place and not draw.seeded for draw in self.draws)


@dataclass(frozen=True)
class Record:
    """What one run left behind. `processes` were reached by the recorder."""

    streams: Mapping[str, Stream]
    ledger: Ledger
    processes: int

    @property
    def effects(self) -> int:
        """How many operations there were, in all streams."""
        return sum(len(stream.effects) for stream in self.streams.values())

    @property
    def steps(self) -> int:
        """Optimizer steps of the rank that took most."""
        counts = (sum(event.kind == "STEP" for event in stream.events) for stream in self.streams.values())
        return max(counts, default=0)

    @property
    def stopped(self) -> bool:
        """Whether the recorder ended the sample, in some process: what becomes of the others says nothing about the program."""
        ends = (stream.end for stream in self.streams.values())
        return any(end is not None and end.name in ("steps", "ops", "seconds") for end in ends)

    def ends(self) -> Record:
        """The record without what happened before the ends of its streams."""
        streams = {name: Stream(name, stream.events[-1:]) for name, stream in self.streams.items()}
        return Record(streams, self.ledger, self.processes)

    @property
    def computes(self) -> bool:
        """Whether a result comes from torch: in a main process, or where an optimizer steps. What pools do may end in Python."""
        return any(
            (stream.main and stream.effects) or any(event.kind == "STEP" for _, event in stream.effects)
            for stream in self.streams.values()
        )

    def with_output(self, text: str) -> Record:
        """The record of a program whose main process does nothing in torch, with the lines that it printed as its effects."""
        before = self.streams.get("rank0", Stream("rank0", ()))
        last = before.end
        events = before.events[:-1] if last is not None else before.events
        time = events[-1].time if events else 0
        printed = tuple(_printed(line, time) for line in text.splitlines())
        stream = Stream("rank0", (*events, *printed, last or Event("END", "exit", "", "", "", "", time)))
        return Record({**self.streams, "rank0": stream}, self.ledger, self.processes)

    @property
    def only_output(self) -> bool:
        """Whether what it printed is all that is known of it."""
        return any(event.kind == "OUT" for _, event in self.streams.get("rank0", Stream("", ())).effects)

    @property
    def end(self) -> Event | None:
        """How the first rank ended."""
        stream = self.streams.get("rank0")
        return stream.end if stream else None


_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])")


def _printed(line: str, time: int) -> Event:
    """A line of output; its first numbers stand for values."""
    digest = f"{crc32(line.encode('utf-8', 'backslashreplace')):08x}"
    return Event("OUT", "print", "", digest, "", " ".join(_NUMBER.findall(line)[:4]), time)


def read(folder: str) -> Record:
    """The record in a folder. Raises RecordError for a format of another version."""
    names = sorted(os.listdir(folder))
    streams = {}
    for name in names:
        if name.endswith(".stream"):
            title = name.removesuffix(".stream").replace("+", "/")
            streams[title] = Stream(title, tuple(_events(os.path.join(folder, name))))
    ledgers = [_json(os.path.join(folder, name)) for name in names if name.endswith(".ledger.json")]
    return Record(streams, _added(ledgers), sum(name.endswith(".beacon") for name in names))


def _events(path: str) -> Iterator[Event]:
    known: dict[str, str] = {}
    same = known.setdefault  # names and places come again and again; one text for all of them
    module = ""
    with open(path, encoding="utf-8", errors="replace", newline="\n") as file:
        head = file.readline()
        if head and head != HEAD:
            raise RecordError(f"{path} is no stream of this version ({head.strip()[:40]!r}, not {HEAD.strip()!r})")
        for line in file:
            fields = line.rstrip("\n").split("\t")
            if len(fields) != 7 or not fields[6].isdigit():  # a process that was ended may leave half a line
                continue
            kind, name, place, digest, forward, values, micros = fields
            name, place, forward = same(name, name), same(place, place), same(forward, forward)
            if kind == "MOD":
                module = name
                continue
            inside = module if kind in _IN_MODULES else ""
            yield Event(same(kind, kind), name, place, digest, forward, _numbers(values), int(micros), inside)


_IN_MODULES = ("OP", "BW")


def _numbers(values: str) -> str:
    """Sampled values as text: streams have their bytes, since only few are ever looked at while many are written. A step has
    those of several parameters, with blanks between.
    """
    if values[1:2] != "=":
        return values
    try:
        samples = [_unpacked(part[0], bytes.fromhex(part[2:])) for part in values.split()]
    except (ValueError, struct.error):
        return ""
    return " ".join([f"{number:.9g}" for sample in samples for number in sample])


def _unpacked(letter: str, data: bytes) -> tuple[float, ...]:
    if letter == "b":  # bfloat16: the upper half of a float32
        data, letter = b"".join([b"\0\0" + data[at : at + 2] for at in range(0, len(data), 2)]), "f"
    return struct.unpack(f"<{len(data) // struct.calcsize(letter)}{letter}", data)


def _json(path: str) -> dict[str, Any]:
    with open(path, encoding="utf-8") as file:
        loaded: dict[str, Any] = json.load(file)
    return loaded


def _added(ledgers: list[dict[str, Any]]) -> Ledger:
    counts: dict[str, dict[tuple[str, ...], int]] = {
        name: {} for name in ("draws", "seeds", "asked", "modes", "alerts")
    }
    facts: dict[str, Any] = {}
    reached: dict[str, set[int]] = {}
    for ledger in ledgers:
        for name, rows in counts.items():
            for *key, count in ledger[name]:
                rows[tuple(key)] = rows.get(tuple(key), 0) + count
        facts.update(ledger["facts"])
        for path, lines in ledger["reached"].items():
            reached.setdefault(path, set()).update(lines)
    return Ledger(
        draws=tuple(Draw(key[0], key[1], key[2], count) for key, count in counts["draws"].items()),
        seeds=tuple((key[0], key[1], count) for key, count in counts["seeds"].items()),
        asked=tuple((key[0], key[1], key[2], count) for key, count in counts["asked"].items()),
        modes=tuple((key[0], key[1], key[2], count) for key, count in counts["modes"].items()),
        alerts=tuple((key[0], key[1], count) for key, count in counts["alerts"].items()),
        facts=facts,
        reached={path: frozenset(lines) for path, lines in reached.items()},
    )

"""What stands in for a source that is held: the same answers in every run of one variant, others in another variant."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar
from zlib import crc32

T = TypeVar("T")

_EPOCH = 1_700_000_000.0
_DAY_AND_A_BIT = 86_461.375


class Entropy:
    """Bytes that look random. They depend on the variant, the line that asks, and how often it has asked: one question more
    elsewhere moves nothing.
    """

    def __init__(self, variant: int) -> None:
        self._variant = variant
        self._asked: dict[str, int] = {}

    def take(self, who: str, count: int) -> bytes:
        """`count` bytes for the next question of `who`."""
        from hashlib import sha256

        number = self._asked[who] = self._asked.get(who, 0) + 1
        data, block = b"", 0
        while len(data) < count:
            data += sha256(f"{self._variant}|{who}|{number}|{block}".encode()).digest()
            block += 1
        return data[:count]


class Clock:
    """A clock that advances by a millisecond a question."""

    def __init__(self, variant: int) -> None:
        self._start = _EPOCH + variant * _DAY_AND_A_BIT
        self._asked = 0

    def seconds(self) -> float:
        """The time, in seconds since 1970."""
        self._asked += 1
        return self._start + self._asked / 1000


def pid(variant: int, real: int, first: int, name: str) -> int:
    """A process number: the main process has always the same one, and so has each worker, by its name. Other processes are told
    apart as the system does.
    """
    own = 1 + crc32(name.encode()) % 20_000 if "/worker" in name else real - first
    return 4242 + variant * 27_095 + own


def ordered(entries: Iterable[T], name: Callable[[T], str], variant: int) -> list[T]:
    """Entries of a folder: sorted in variant 0, backwards in variant 1, else shuffled by their names."""
    if variant < 2:
        return sorted(entries, key=name, reverse=variant == 1)
    return sorted(
        entries, key=lambda entry: (crc32(f"{variant}{name(entry)}".encode("utf-8", "surrogateescape")), name(entry))
    )


def delay(variant: int, number: int) -> float:
    """Seconds before the task of that number starts: later ones later in variant 0, earlier ones later in variant 1."""
    place = number % 7
    return 0.02 * (place if variant == 0 else 6 - place)


def stir_heap(variant: int) -> list[object]:
    """Moves the addresses of what will be made: fills every size of small objects and frees a part. The result must be kept."""
    state, kept = variant * 2_654_435_761 % 2**32, []
    for size in range(16, 513, 16):
        made: list[object] = [bytes(size) for _ in range(64)] + [[None] * (size // 8) for _ in range(32)]
        made += [object() for _ in range(16)]
        for item in made:
            state = (state * 1_664_525 + 1_013_904_223) % 2**32
            if state >> 31:
                kept.append(item)
    kept += [bytearray((state >> 7) % 4096 * 16 + 4096 * number) for number in range(8)]
    return kept

"""The form of every file of the cache: plain values, under a stamp that says for whom they hold, and a checksum."""

from __future__ import annotations

import marshal
from zlib import crc32

TYPE_CHECKING = False  # `typing` takes longer to import than what stands here takes to run
if TYPE_CHECKING:
    from typing import Any

_MAGIC = b"torchdet-lint cache 1\n"


def packed(stamp: bytes, value: Any) -> tuple[bytes, ...]:
    """The pieces of a file that holds a value of plain tuples, lists, dictionaries, texts and numbers."""
    data = marshal.dumps(value)
    return (_MAGIC, stamp, crc32(data).to_bytes(4, "little"), data)


def unpacked(stamp: bytes, data: bytes) -> Any:
    """The value; None where the bytes are damaged, or hold for something else."""
    head = len(_MAGIC) + len(stamp)
    if data[: len(_MAGIC)] != _MAGIC or data[len(_MAGIC) : head] != stamp:
        return None
    body = memoryview(data)[head + 4 :]
    if crc32(body) != int.from_bytes(data[head : head + 4], "little"):
        return None
    try:
        return marshal.loads(body)  # noqa: S302 (the checksum says that this tool wrote it)
    except (ValueError, EOFError, TypeError):
        return None

"""Digests of large blocks of memory, five times as fast as a checksum: sums, which torch computes.

The memory is read as 64-bit numbers and laid out in rows; the digest is that of the sums of rows and of columns, modulo 2^64.
A number that changes or moves changes the sums of its row or its column. What hides from both is a change of four corners of a
rectangle by the same amount, so rows have a length that no tensor's rows have. Of the highest bit a sum keeps only whether
an even number of its terms have it; the sign of a float must not lie there, so the reading starts inside of an element.
"""

from __future__ import annotations

import ctypes
from importlib import import_module
from typing import Any
from zlib import crc32

_ROW = 251
"""Numbers in a row: a prime."""


class Lanes:
    """Digests by torch's own integer arithmetic, which is exact, so that every machine gets the same."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._untouched = import_module("torch._C").DisableTorchFunction

    def digest(self, data: Any, count: int, width: int, before: int) -> int:
        """The digest of `before` and `count` bytes in a `ctypes` array whose elements have `width` bytes."""
        if width not in (4, 8):
            return crc32(data, before)
        # A mode of the user's may want to see functions of torch (a default device is one); these are none of its business.
        with self._untouched():
            return self._sums(data, count, width // 2, before)

    def _sums(self, data: Any, count: int, start: int, before: int) -> int:
        torch = self._torch
        rows = (count - start) // (8 * _ROW)
        lanes = torch.frombuffer(data, dtype=torch.int64, offset=start, count=rows * _ROW).view(rows, _ROW)
        digest = crc32(data[start + 8 * _ROW * rows :], crc32(data[:start], before))
        return crc32(_bytes(lanes.sum(0)), crc32(_bytes(lanes.sum(1)), digest))


def _bytes(sums: Any) -> Any:
    memory = (ctypes.c_char * (8 * sums.numel())).from_address(sums.data_ptr())
    memory._torchdet_owner = sums  # the bytes live as long as the tensor
    return memory

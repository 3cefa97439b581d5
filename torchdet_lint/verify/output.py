"""What is kept of a stream that may be endless: its beginning and its end."""

from __future__ import annotations


class Output:
    """Keeps `limit` bytes of a stream: the first half of them, and the last."""

    def __init__(self, limit: int) -> None:
        self._half = max(1, limit // 2)
        self._head = bytearray()
        self._tail = bytearray()
        self.size = 0

    def add(self, data: bytes) -> None:
        self.size += len(data)
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail += data[room:] if room > 0 else data
        if len(self._tail) > 4 * self._half:  # not each time: moving bytes about costs
            del self._tail[: -self._half]

    @property
    def dropped(self) -> int:
        """How many bytes in the middle are not kept."""
        return max(0, self.size - len(self._head) - self._half)

    @property
    def text(self) -> str:
        """What is kept, with a line for what is not."""
        head = self._head.decode("utf-8", "replace")
        tail = self._tail[-self._half :].decode("utf-8", "replace")
        return f"{head}\n[… {self.dropped:,} bytes are left out here …]\n{tail}" if self.dropped else head + tail

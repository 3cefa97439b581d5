"""One line of progress on a terminal, for runs that last."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

PATIENCE = 1.0
"""Seconds before anything is shown."""

INTERVAL = 0.1
"""Seconds between two drawings."""


class ProgressLine:
    """A `torchdet_lint.engine.options.Progress` that redraws one line of a stream."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._next = clock() + PATIENCE
        self._shown = 0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Shows the stage and how far it is, not more often than `INTERVAL`."""
        now = self._clock()
        if now < self._next:
            return
        self._next = now + INTERVAL
        text = f"{stage} {done}/{total}" if total else f"{stage} {done}" if done else stage
        self._draw(text)

    def clear(self) -> None:
        """Takes the line away."""
        if self._shown:
            self._draw("")
            self._draw("")

    def _draw(self, text: str) -> None:
        self._stream.write("\r" + text + " " * (self._shown - len(text)) + ("\r" if not text else ""))
        self._stream.flush()
        self._shown = len(text)


@contextmanager
def progress(quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """The progress function of a run: a line on standard error when that is a terminal, else nothing."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield lambda _stage, _done, _total: None
        return
    line = ProgressLine(sys.stderr)
    try:
        yield line
    finally:
        line.clear()

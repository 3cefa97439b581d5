"""Being asked to end while programs run."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_ASKING = ("SIGTERM", "SIGHUP")  # Windows has no SIGHUP


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Whoever asks us to end (a CI job that is cancelled, a terminal that is closed) gets what Ctrl-C gets: what has been started
    is ended, and temporary folders go. Nothing happens outside of the main thread, which alone may do this.
    """

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before: list[tuple[int, Any]] = []
    try:
        for name in _ASKING:
            number = getattr(signal, name, None)
            # Who is started by `nohup` ignores the signal, and goes on to do so.
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                before.append((number, signal.signal(number, interrupt)))
    except ValueError:
        pass
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)

"""What the parts of the recorder share in one process."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from .ledger import Ledger
from .orders import Orders
from .places import Places
from .streams import Streams


@dataclass
class Runtime:
    """One process under the recorder. It changes while the program runs, so it is no frozen value."""

    orders: Orders
    streams: Streams
    places: Places
    ledger: Ledger
    reached: dict[str, set[int]] = field(default_factory=dict)
    started: float = 0.0
    ended: bool = False

    @property
    def held(self) -> dict[str, int]:
        """The pins: a variant for each factor that does not run free."""
        return dict(self.orders.pins)

    def write(self) -> None:
        """Brings everything to disk."""
        self.streams.flush()
        reached = {path: sorted(lines) for path, lines in self.reached.items()}
        self.ledger.write(self.orders.folder, self.streams.current().name, reached)

    def end(self, how: str, detail: str = "") -> None:
        """The last event of the process. Later calls change nothing."""
        if self.ended:
            return
        self.ended = True
        self.streams.current().event("END", how, "", "", "", detail)
        self.write()

    def stop(self, why: str) -> None:
        """Ends the sample now. An exception would run the program's handlers, and a bare `except` would swallow it."""
        self.end(why)
        _flush(sys.stdout)
        _flush(sys.stderr)
        os._exit(0)

    def out_of_time(self) -> bool:
        """Whether the sample has taken its seconds; they count from the first operation."""
        if not self.started:
            self.started = monotonic()
        return monotonic() - self.started > self.orders.seconds


def _flush(stream: Any) -> None:
    """What the program has printed must come out, where there is somebody who reads."""
    try:
        stream.flush()
    except (OSError, ValueError, AttributeError):
        pass

"""What a run is told: one environment variable with JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

VARIABLE = "TORCHDET_RT"


@dataclass(frozen=True)
class Orders:
    """What to record, when to stop, and what to hold.

    `folder` is where streams go. `roots` are folders that user lines are given relative to. `pins` holds a variant for each
    factor that does not run free (see `pins` and `device`); where `only` names user lines (`path:line`), sources that others ask
    for stay in variant 0. `lines` are the lines of each file of which is asked whether they are reached, by path from a root.
    `seconds` count from the first operation. Functions whose name matches `without` are not recorded. With `until_saved` the
    sample ends at the first optimizer step after something was saved. `accelerator` is the kind of device whose operations the
    checks of `device` watch.
    """

    folder: str
    roots: tuple[str, ...] = ()
    steps: int = 20
    ops: int = 200_000
    seconds: float = 120.0
    pins: Mapping[str, int] = field(default_factory=dict)
    only: tuple[str, ...] = ()
    lines: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    without: str = ""
    until_saved: bool = False
    accelerator: str = "cuda"

    def text(self) -> str:
        """As the variable's value."""
        return json.dumps(asdict(self))


def read(text: str) -> Orders:
    """The orders in the variable's value."""
    given = json.loads(text)
    given["roots"], given["only"] = tuple(given["roots"]), tuple(given.get("only", ()))
    given["lines"] = {path: tuple(lines) for path, lines in given["lines"].items()}
    return Orders(**given)

"""Checks that only an accelerator needs, each in a run of its own: what is held or watched beside the recorder.

Pins, besides those of `pins`: `replay` (each operation again so many times, `AGAIN` where its bytes differ), `races` (copies that
do not wait, `RACE`), `cudnn` (0: no benchmark and deterministic kernels only), `precision` (0: full float32 products, 1: reduced
ones). The alerts of deterministic mode have a module of their own, since a CPU has some too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from .state import Runtime

Dispatch: TypeAlias = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]
"""Runs an operation with its arguments: what a dispatch mode is given, and what the recorder does with it."""


def around(inner: Dispatch, torch: Any, run: Runtime) -> Dispatch:
    """The recorder's dispatch function with what this run is to watch around it; without any the function itself."""
    note(torch, run)
    held = run.held
    if "cudnn" in held:
        torch.backends.cudnn.benchmark = False
        torch.backends.cudnn.deterministic = True
    if "precision" in held:
        torch.set_float32_matmul_precision("high" if held["precision"] else "highest")
        torch.backends.cudnn.allow_tf32 = bool(held["precision"])
    if "races" in held:
        from .races import Races

        inner = Races(torch, run).around(inner)
    if "replay" in held:
        from .replay import Replay

        inner = Replay(torch, run, held["replay"]).around(inner)
    return inner


def note(torch: Any, run: Runtime) -> None:
    """Writes down which accelerator there is; nothing is initialised for it."""
    if getattr(torch, "cuda", None) is not None and torch.version.cuda is not None and torch.cuda.is_available():
        run.ledger.facts["cuda"] = str(torch.version.cuda)

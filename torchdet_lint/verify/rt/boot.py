"""The start of the recorder in a process."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Mapping
from types import TracebackType
from typing import Any, NoReturn

from . import pins
from .hooks import Waiting
from .ledger import Ledger
from .orders import VARIABLE, Orders, read
from .places import Places
from .randomness import Randomness
from .reach import Reach
from .sources import Sources, standing
from .spread import Spread
from .state import Runtime
from .streams import Streams
from .tasks import Tasks


def start(environment: Mapping[str, str]) -> Runtime:
    """Leaves a beacon, wraps what the program may ask for, and waits for torch."""
    orders = read(environment[VARIABLE])
    _beacon(orders)
    places, own = Places(orders.roots), str(os.getpid())
    run = Runtime(orders, Streams(orders.folder, os.environ.get(_INSIDE, own) != own), places, Ledger())
    if run.held.get("heap"):
        run.ledger.facts["stirred"] = len(_KEPT)
        _KEPT.extend(pins.stir_heap(run.held["heap"]))
    os.environ[_INSIDE] = own
    sources = Sources(run.streams, run.ledger, places, run.held, orders.only)
    sources.install()
    tasks = Tasks(run)
    spread = Spread(run, tasks)
    spread.install()
    randomness = Randomness(run, sources)
    Reach(orders.lines, places, run.reached).install()
    hooks = {
        "datetime": sources.on_datetime,
        "random": randomness.on_random,
        "numpy.random": randomness.on_numpy,
        "concurrent.futures.thread": tasks.on_threads,
        "concurrent.futures.process": tasks.on_processes,
        "multiprocessing.pool": tasks.on_pool,
        "torch": lambda torch: _on_torch(torch, run, randomness, spread),
    }
    Waiting(hooks, lambda name, error: _failed(run, name, error)).start()
    atexit.register(run.end, "exit")
    _watch_errors(run)
    _watch_exits(run)
    return run


_INSIDE = "TORCHDET_RT_INSIDE"
"""The variable that tells the commands which a program starts that they are a part of its run: the number of the process that
starts them. A program that starts itself anew by `exec` keeps its number, and is the same.
"""

_KEPT: list[object] = []
"""What keeps the heap stirred."""


def _beacon(orders: Orders) -> None:
    with open(os.path.join(orders.folder, f"{os.getpid()}.beacon"), "w", encoding="utf-8") as file:
        file.write(f"{sys.version_info[0]}.{sys.version_info[1]}\n{sys.executable}\n")


def _failed(run: Runtime, name: str, error: Exception) -> None:
    run.ledger.facts.setdefault("hooks-failed", {})[name] = f"{type(error).__name__}: {error}"


def _on_torch(torch: Any, run: Runtime, randomness: Randomness, spread: Spread) -> None:
    from . import mode, steps
    from .without import Without

    if "threads" in run.held:
        torch.set_num_threads(max(1, run.held["threads"]))
    randomness.on_torch(torch)
    steps.watch(torch, run)
    spread.use(mode.install(torch, run))
    _note_compiling(torch, run)
    Without(torch, run).install()


def _note_compiling(torch: Any, run: Runtime) -> None:
    """`torch.compile` runs its function uncompiled while a mode is active; the report must say so."""
    real = getattr(torch, "compile", None)
    if real is None:
        return

    def compile(*args: Any, **kwargs: Any) -> Any:  # noqa: A001 (the name of what it stands in for)
        run.ledger.facts["compiled"] = run.places.nearest(sys._getframe(1))
        return real(*args, **kwargs)

    compile.__doc__ = real.__doc__
    torch.compile = compile


def _watch_errors(run: Runtime) -> None:
    before = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        run.end("error", f"{kind.__name__}: {error}".replace("\t", " ").replace("\n", " ")[:300])
        before(kind, error, trace)

    sys.excepthook = hook


def _watch_exits(run: Runtime) -> None:
    """`os._exit` runs no handlers: what is held back is written before."""
    real = os._exit

    def leave(_: object, status: int) -> NoReturn:
        if run.streams.used:
            run.end("exit")
        real(status)

    os._exit = standing(leave, os)

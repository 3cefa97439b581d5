"""The recorder of operations: a dispatch mode that runs each operation as it is, and writes down what came out.

A `TorchFunctionMode` would change which kernels run (an evaluating `TransformerEncoderLayer` leaves its fused path while one is
active), so this is a `TorchDispatchMode`, below everything that chooses.
"""

from __future__ import annotations

import ctypes
import sys
import threading
import weakref
from functools import partial
from importlib import import_module
from typing import Any, ClassVar
from zlib import crc32

from . import device
from .digest import Digests, of_value
from .operations import Operation, describe
from .state import Runtime
from .streams import is_engines
from .switches import Switches

_MANY = 200_000
"""Forward lines that are remembered for backward operations."""


class Storages:
    """Which storages have been seen. Follows the objects, not the addresses: those are used again."""

    def __init__(self) -> None:
        self._seen: dict[int, Any] = {}

    def add(self, tensor: Any) -> bool:
        """Whether the storage of a tensor is new."""
        storage = tensor.untyped_storage()
        key = id(storage)
        known = self._seen.get(key)
        if known is not None and known() is storage:
            return False
        self._seen[key] = weakref.ref(storage, partial(self._drop, key))
        return True

    def _drop(self, key: int, gone: Any) -> None:
        if self._seen.get(key) is gone:
            del self._seen[key]


class Graph(threading.local):
    """The forward lines of this thread's autograd nodes, by sequence number. torch counts these a thread, and gives a node its
    number before it runs the operation: when an operation is seen and the counter has moved, the last number is the operation's.

    Backward passes of an accelerator run in threads of torch's own, which have no forward lines; they get the main thread's.
    """

    of_main: ClassVar[dict[int, str]] = {}

    def __init__(self) -> None:
        self.last = -1
        shares = threading.current_thread() is threading.main_thread() or is_engines()
        self.lines: dict[int, str] = type(self).of_main if shares else {}

    def add(self, number: int, place: str) -> None:
        """The counter has moved to `number`."""
        self.last = number
        if len(self.lines) > _MANY:
            self.lines.clear()
        self.lines[number - 1] = place


class Recorder:
    """Writes events for operations. One for a process; each thread's events go to its own stream."""

    def __init__(self, torch: Any, run: Runtime) -> None:
        self._run = run
        self._torch = torch
        self._tensor = torch.Tensor
        self._generator = torch.Generator
        self._bytes = torch.uint8
        self._digests = Digests(torch, run.ledger.facts)
        self._storages = Storages()
        self._switches = Switches(torch)
        self._known: dict[Any, Operation] = {}
        self._graph = Graph()
        self._node = getattr(torch._C, "_current_autograd_node", lambda: None)
        self._number = getattr(getattr(torch._C, "_autograd", None), "_get_sequence_nr", lambda: 0)
        self._fill = run.held.get("memory")
        self._default_seed = torch.default_generator.initial_seed()
        self._count = 0

    def dispatch(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Runs an operation and records it. Whatever fails in the recording is a note in the stream, and the result stands."""
        operation = self._known.get(function)
        if operation is None:
            operation = self._known[function] = describe(function)
        place = self._run.places.nearest(sys._getframe(2))
        if place == "!":
            return function(*args, **kwargs)
        before = after = None
        try:
            sent = self._inputs(operation, place, args, kwargs)
            before = self._drawn_from(operation, args, kwargs) if operation.draws else None
        except Exception as error:  # noqa: BLE001 (see above)
            sent = 0
            self._failed(operation, error)
        result = function(*args, **kwargs)
        try:
            if before is not None:
                after = self._drawn_from(operation, args, kwargs)
                self._draw(operation, place, before, after)
            self._output(operation, place, result, args, kwargs, sent)
        except Exception as error:  # noqa: BLE001 (see above)
            self._failed(operation, error)
        self._count += 1
        if self._count >= self._run.orders.ops or (self._count % 32 == 1 and self._run.out_of_time()):
            self._limit()
        return result

    def _limit(self) -> None:
        process = sys.modules.get("multiprocessing.process")
        if process is None or process.parent_process() is None:  # a loader's worker that ends would break its parent
            self._run.stop("ops" if self._count >= self._run.orders.ops else "seconds")

    def _failed(self, operation: Operation, error: Exception) -> None:
        self._run.streams.current().event("NOTE", operation.name, "", f"{type(error).__name__}")
        self._run.ledger.facts.setdefault("failures", {})[operation.name] = f"{type(error).__name__}: {error}"[:200]

    def _tensors(self, values: Any) -> list[Any]:
        """The tensors in arguments or results, in order."""
        found: list[Any] = []
        self._collect(values if isinstance(values, tuple | list) else (values,), found)
        return found

    def _collect(self, values: Any, found: list[Any]) -> None:
        for value in values:
            if isinstance(value, self._tensor):
                found.append(value)
            elif isinstance(value, tuple | list):
                self._collect(value, found)

    def _inputs(self, operation: Operation, place: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
        """Records inputs whose storage is new; returns the digest of what a collective sends.

        What an operation writes, looks at through a view, or receives from other ranks may have no contents yet: C++ makes
        such tensors out of sight. They count as inputs when something reads them.
        """
        sent = 0
        if operation.sends:
            for tensor in self._tensors(self._named(operation.sent, args, kwargs)):
                sent = self._digests.add(sent, tensor)
        if operation.view or operation.sends:
            return sent
        written: tuple[int, ...] = ()
        if operation.written:
            written = tuple(id(tensor) for tensor in self._tensors(self._named(operation.written, args, kwargs)))
        for tensor in self._tensors((*args, *kwargs.values()) if kwargs else args):
            new = self._digests.is_plain(tensor) and self._storages.add(tensor)
            # In a task of a pool nothing is an input: which task sees it first is chance.
            if new and id(tensor) not in written and not self._run.streams.in_task:
                digest, values = self._digests.read(0, tensor)
                self._run.streams.current().event("EXT", "input", place, f"{digest:08x}", "", values)
        return sent

    @staticmethod
    def _named(which: tuple[tuple[int, str], ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """Arguments by their positions and names."""
        return [args[i] if i < len(args) else kwargs.get(name) for i, name in which]

    def _output(
        self, operation: Operation, place: str, result: Any, args: tuple[Any, ...], kwargs: dict[str, Any], sent: int
    ) -> None:
        if operation.switched:
            self._run.ledger.mode(operation.name, place, self._switches.state())
        digest, values = sent, ""
        if operation.empty or operation.grows:
            self._uninitialised(place, result)
        elif not operation.sends:
            digest, values = self._digest(operation, result, args, kwargs)
        if not operation.view:
            for tensor in self._tensors(result):
                if self._digests.is_plain(tensor):
                    self._storages.add(tensor)
        kind, forward = self._direction(place)
        self._run.streams.current().event(kind, operation.name, place, f"{digest:08x}", forward, values)

    def _digest(
        self, operation: Operation, result: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[int, str]:
        digests, digest, values = self._digests, 0, ""
        if operation.view:
            for tensor in self._tensors(result):
                digest = digests.add_layout(digest, tensor)
            return digest, values
        changed = self._tensors(self._named(operation.written, args, kwargs) if operation.written else result)
        for tensor in changed:
            if len(changed) > 1 and tensor.dtype is self._bytes:
                continue  # a workspace beside the results (of recurrent layers, of normalisation), not all of it written
            digest, sample = digests.read(digest, tensor, sampled=not values)
            values = values or sample
        if isinstance(result, int | float | bool):
            return crc32(of_value(result).encode()), f"{float(result):.9g}"
        return digest, values

    def _direction(self, place: str) -> tuple[str, str]:
        """Whether a backward pass runs, and the line of the forward operation that the node belongs to."""
        node = self._node()
        if node is not None:
            return "BW", self._graph.lines.get(node._sequence_nr(), "")
        number = self._number()
        if number != self._graph.last:
            self._graph.add(number, place)
        return "OP", ""

    def _uninitialised(self, place: str, result: Any) -> None:
        """Fills memory that has no contents, where the run says with what."""
        self._run.ledger.ask("MEM", "torch.empty", place)
        if self._fill is None:
            return
        for tensor in self._tensors(result):
            if self._digests.is_plain(tensor) and tensor.is_cpu and tensor.is_contiguous():
                size = tensor.numel() * tensor.element_size()
                if size:
                    ctypes.memset(tensor.data_ptr(), 0 if self._fill == 0 else 255, size)

    def _drawn_from(self, operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, int]:
        generator = kwargs.get("generator")
        if generator is None:
            generator = next((value for value in args if isinstance(value, self._generator)), None)
        if generator is None:
            generator = self._torch.default_generator
        return generator, crc32(generator.get_state().numpy())

    def _draw(self, operation: Operation, place: str, before: tuple[Any, int], after: tuple[Any, int]) -> None:
        if before[1] == after[1]:
            return
        generator = before[0]
        name = "torch"
        if generator is self._torch.default_generator:
            seed = generator.initial_seed()
            if seed != self._default_seed:
                self._default_seed = seed
                if "torch" not in self._run.ledger.seeded_by:
                    self._run.ledger.seed("torch", "")  # by a way that is not wrapped
        else:
            name = "torch.Generator"
        self._run.ledger.draw(name, place)
        self._run.streams.current().event("RNG", operation.name, place, f"{before[1]:08x}")


def install(torch: Any, run: Runtime) -> Any:
    """Enters the mode in the current thread, for good. Returns a function that makes further modes for other threads."""
    dispatch = device.around(Recorder(torch, run).dispatch, torch, run)
    base: Any = import_module("torch.utils._python_dispatch").TorchDispatchMode

    class Recording(base):  # type: ignore[misc,valid-type,unused-ignore]
        """The mode that torch calls."""

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return dispatch(func, args, kwargs or {})

    Recording().__enter__()
    run.ledger.facts["torch"] = str(torch.__version__)
    return Recording

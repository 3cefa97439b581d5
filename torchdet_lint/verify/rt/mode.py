"""The recorder of operations: a dispatch mode that runs each operation as it is, and writes down what came out.

A `TorchFunctionMode` would change which kernels run (an evaluating `TransformerEncoderLayer` leaves its fused path while one is
active), so this is a `TorchDispatchMode`, below everything that chooses.
"""

from __future__ import annotations

import sys
import threading
from importlib import import_module
from typing import Any, ClassVar
from zlib import crc32

from . import device
from .alerts import Alerts
from .digest import Digests, of_value
from .empties import Empties
from .loaders import Loaders
from .modules import Modules
from .operations import Operation, describe
from .state import Runtime
from .streams import is_engines
from .switches import Switches

_MANY = 200_000
"""Forward lines that are remembered for backward operations."""


class Graph(threading.local):
    """The forward lines and modules of this thread's autograd nodes, by sequence number. torch counts these a thread, and gives a
    node its number before it runs the operation: when an operation is seen and the counter has moved, the last number is the
    operation's.

    Backward passes of an accelerator run in threads of torch's own, which have no forward lines; they get the main thread's.
    """

    of_main: ClassVar[dict[int, tuple[str, str]]] = {}

    def __init__(self) -> None:
        self.last = -1
        shares = threading.current_thread() is threading.main_thread() or is_engines()
        self.lines: dict[int, tuple[str, str]] = type(self).of_main if shares else {}

    def add(self, number: int, place: str, module: str) -> None:
        """The counter has moved to `number`."""
        self.last = number
        if len(self.lines) > _MANY:
            self.lines.clear()
        self.lines[number - 1] = place, module

    def of(self, node: Any, otherwise: str) -> tuple[str, str]:
        """The forward line and module of a node; nodes of functions in Python have had no number in early versions of torch."""
        number = getattr(node, "_sequence_nr", None)
        return (otherwise, "") if number is None else self.lines.get(number(), (otherwise, ""))


class Recorder:
    """Writes events for operations. One for a process; each thread's events go to its own stream."""

    def __init__(self, torch: Any, run: Runtime, modules: Modules) -> None:
        self._run = run
        self._torch = torch
        self._tensor = torch.Tensor
        self._generator = torch.Generator
        self._bytes = torch.uint8
        self._digests = Digests(torch, run.ledger.facts)
        self._modules = modules
        self._switches = Switches(torch)
        self._known: dict[int, Operation] = {}
        self._graph = Graph()
        self._nearest = run.places.nearest
        self._current = run.streams.current
        self._node = getattr(torch._C, "_current_autograd_node", lambda: None)
        self._number = getattr(getattr(torch._C, "_autograd", None), "_get_sequence_nr", lambda: 0)
        self._empties = Empties(torch, run, self._digests.is_plain)
        self._default_seed = torch.default_generator.initial_seed()
        self._unseeded = torch.Generator().initial_seed()
        self._alerts = Alerts(torch, run)
        self._loaders = Loaders(torch, run)
        self._count = 0

    def dispatch(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Runs an operation and records it. Whatever fails in the recording is a note in the stream, and the result stands."""
        operation = self._known.get(id(function))
        if operation is None:
            operation = self._known[id(function)] = describe(function)
        place = self._nearest(sys._getframe(2))
        if operation.silent or place == "!":
            return function(*args, **kwargs)
        before = after = None
        sent = 0
        try:
            if operation.sends:
                sent = self._sent(operation, args, kwargs)
            elif not operation.view:
                self._inputs(operation, place, args, kwargs)
            before = self._drawn_from(args, kwargs) if operation.draws else None
        except Exception as error:  # noqa: BLE001 (see above)
            self._failed(operation, error)
        if self._alerts.listening:
            result = self._alerts.call(function, args, kwargs, lambda: self._line(place))
        else:
            result = function(*args, **kwargs)
        try:
            if before is not None:
                after = self._drawn_from(args, kwargs)
                self._draw(operation, place, before, after, self._loaders.made_by(operation.name, sys._getframe(2)))
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

    def _sent(self, operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
        """The digest of what a collective sends. What it receives arrives later."""
        sent = 0
        for tensor in self._tensors(self._named(operation.sent, args, kwargs)):
            sent = self._digests.add(sent, tensor)
        return sent

    def _inputs(self, operation: Operation, place: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Records inputs whose storage is new.

        What an operation writes, looks at through a view, or receives from other ranks may have no contents yet: C++ makes
        such tensors out of sight. They count as inputs when something reads them.
        """
        new = self._unseen(args, None)
        if kwargs:
            new = self._unseen(tuple(kwargs.values()), new)
        if new is None and not self._empties.waiting:
            return
        written: tuple[int, ...] = ()
        if operation.written:
            written = tuple(id(tensor) for tensor in self._tensors(self._named(operation.written, args, kwargs)))
        if self._empties.waiting:
            tensors = self._tensors((*args, *kwargs.values()))
            self._empties.read([tensor for tensor in tensors if id(tensor) not in written], place)
        if new is None:
            return
        self._new(new, written, place)

    def _new(self, new: list[Any], written: tuple[int, ...], place: str) -> None:
        for tensor in new:
            # In a task of a pool nothing is an input: which task sees it first is chance.
            if self._mark(tensor) and id(tensor) not in written and not self._run.streams.in_task:
                digest, values = self._digests.read(0, tensor)
                self._run.streams.current().event("EXT", "input", place, f"{digest:08x}", "", values)

    def _unseen(self, values: Any, found: list[Any] | None) -> list[Any] | None:
        """The tensors among values whose storage bears no mark, after those found before; None for none.

        The mark is an attribute of the storage's Python object, which lives as long as the storage. Addresses are used again.
        """
        for value in values:
            if isinstance(value, self._tensor):
                try:
                    value.untyped_storage()._torchdet_seen  # noqa: B018 (asked whether it is there)
                except (AttributeError, RuntimeError):  # RuntimeError: it has no storage
                    found = [value] if found is None else [*found, value]
            elif isinstance(value, tuple | list):
                found = self._unseen(value, found)
        return found

    def _mark(self, tensor: Any) -> bool:
        """Marks the storage of a tensor as seen; whether it is new."""
        if not self._digests.is_plain(tensor):
            return False
        marks = tensor.untyped_storage().__dict__
        new = "_torchdet_seen" not in marks
        marks["_torchdet_seen"] = True
        return new

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
            self._empties.made(self._tensors(result), place)
        elif not operation.sends:
            digest, values = self._digest(operation, result, args, kwargs)
        if operation.fresh:
            for tensor in (result,) if isinstance(result, self._tensor) else self._tensors(result):
                self._mark(tensor)
        self._write(operation, place, digest, values)

    def _write(self, operation: Operation, place: str, digest: int, values: str) -> None:
        """The event of an operation. In a backward pass it bears the line of the forward operation whose node runs."""
        stream = self._current()
        node = self._node()
        if node is not None:
            forward, module = self._graph.of(node, "")
            stream.effect(operation.backward(place), module, digest, forward, values)
            return
        module = self._modules.current()
        number = self._number()
        if number != self._graph.last:
            self._graph.add(number, place, module)
        stream.effect(operation.forward(place), module, digest, "", values)

    def _line(self, place: str) -> str:
        """The user line to blame for what runs now: in a backward pass that of the forward operation."""
        node = self._node()
        return place if node is None else self._graph.of(node, place)[0]

    def _digest(
        self, operation: Operation, result: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[int, str]:
        digests, digest, values = self._digests, 0, ""
        if operation.view:
            for tensor in self._tensors(result):
                digest = digests.add_layout(digest, tensor)
            return digest, values
        if isinstance(result, self._tensor) and len(operation.written) < 2:
            return digests.read(0, result)
        if isinstance(result, int | float | bool):
            return crc32(of_value(result).encode()), f"{float(result):.9g}"
        changed = self._tensors(self._named(operation.written, args, kwargs) if operation.written else result)
        for tensor in changed:
            if len(changed) > 1 and tensor.dtype is self._bytes:
                continue  # a workspace beside the results (of recurrent layers, of normalisation), not all of it written
            digest, sample = digests.read(digest, tensor, sampled=not values)
            values = values or sample
        return digest, values

    def _drawn_from(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, int]:
        generator = kwargs.get("generator")
        if generator is None:
            generator = next((value for value in args if isinstance(value, self._generator)), None)
        if generator is None:
            generator = self._torch.default_generator
        return generator, self._digests.add(0, generator.get_state())

    def _draw(
        self, operation: Operation, place: str, before: tuple[Any, int], after: tuple[Any, int], loader: str
    ) -> None:
        if before[1] == after[1]:
            return
        generator = before[0]
        name = "torch"
        if self._is_default(generator, after[1]):
            seed = generator.initial_seed()
            if seed != self._default_seed:
                self._default_seed = seed
                if "torch" not in self._run.ledger.seeded_by:
                    self._run.ledger.seed("torch", "")  # by a way that is not wrapped
        elif generator.initial_seed() == self._unseeded:
            name = "torch.Generator"
        else:
            name = "a seeded torch.Generator"
            self._run.ledger.seeded_by[name] = "?"
        self._run.ledger.draw(name, place)
        self._run.streams.current().event("RNG", operation.name, place, f"{before[1]:08x}", loader)

    def _is_default(self, generator: Any, after: int) -> bool:
        """Whether it is the global generator, which has moved to the state `after`. Functions that take it for their default hand
        it on, like `random_split`, and then it is another object of Python here.
        """
        default = self._torch.default_generator
        return generator is default or self._digests.add(0, default.get_state()) == after


def install(torch: Any, run: Runtime) -> Any:
    """Enters the mode in the current thread, for good. Returns a function that makes further modes for other threads."""
    recorder = Recorder(torch, run, Modules(torch))
    base: Any = import_module("torch.utils._python_dispatch").TorchDispatchMode
    dispatch = device.around(recorder.dispatch, torch, run)

    class Recording(base):  # type: ignore[misc,valid-type,unused-ignore]
        """The mode that torch calls."""

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return dispatch(func, args, kwargs or {})

    Recording().__enter__()
    run.ledger.facts["torch"] = str(torch.__version__)
    return Recording

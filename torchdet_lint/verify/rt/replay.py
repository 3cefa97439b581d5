"""Each operation on the accelerator run again on the same inputs: kernels that add in any order give other bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .device import Dispatch
from .digest import Digests
from .operations import Operation, describe
from .state import Runtime

_UNDECLARED = ("native_batch_norm", "cudnn_batch_norm", "miopen_batch_norm")
"""Operations that change an argument and do not declare it: their running statistics would move twice."""


class Replay:
    """Stands around the recorder. What a program computes stays what it was: arguments that an operation writes are copied
    before, and generators are put back.
    """

    def __init__(self, torch: Any, run: Runtime, times: int) -> None:
        self._torch = torch
        self._run = run
        self._times = times
        self._digests = Digests(torch, {})
        self._known: dict[Any, Operation] = {}

    def around(self, inner: Dispatch) -> Dispatch:
        """The dispatch function that replays what `inner` records."""

        def dispatch(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            operation = self._known.get(function)
            if operation is None:
                operation = self._known[function] = describe(function)
            if not self._fits(operation, args, kwargs):
                return inner(function, args, kwargs)
            states = self._states(kwargs) if operation.draws else []
            sent = (self._copied(args), self._copied(kwargs)) if operation.written else (args, kwargs)
            result = inner(function, args, kwargs)
            after = [(generator, generator.get_state()) for generator, _ in states]
            try:
                self._compare(operation, function, sent, states, self._outcome(operation, result, args, kwargs))
            except Exception as error:  # noqa: BLE001 (the program matters more than its record)
                self._run.ledger.facts.setdefault("failures", {})[operation.name] = f"{type(error).__name__}: {error}"[
                    :200
                ]
            finally:
                for generator, state in after:
                    generator.set_state(state)
            return result

        return dispatch

    def _fits(self, operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether an operation can be run again and compared: not a view, not a collective, and on the accelerator."""
        if operation.view or operation.empty or operation.grows or operation.sends:
            return False
        if any(name in operation.name for name in _UNDECLARED):
            return False
        wanted = self._run.orders.accelerator
        return any(tensor.device.type == wanted for tensor in self._tensors((args, tuple(kwargs.values()))))

    def _compare(
        self,
        operation: Operation,
        function: Any,
        sent: tuple[Any, Any],
        states: list[tuple[Any, Any]],
        first: list[int],
    ) -> None:
        """Runs it again and counts how often anything is different; the event stands right behind the operation's own."""
        if not first:
            return
        differing = 0
        for _ in range(self._times):
            for generator, state in states:
                generator.set_state(state)
            args, kwargs = (self._copied(sent[0]), self._copied(sent[1])) if operation.written else sent
            result = function(*args, **kwargs)
            differing += self._outcome(operation, result, args, kwargs) != first
        facts = self._run.ledger.facts
        facts["replayed"] = facts.get("replayed", 0) + 1
        if differing:
            self._run.streams.current().event("AGAIN", operation.name, "", f"{differing}/{self._times}")

    def _outcome(self, operation: Operation, result: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[int]:
        """Digests of what came out. Workspaces and what attention gives beside its result are not all written."""
        if operation.written:
            result = [args[i] if i < len(args) else kwargs.get(name) for i, name in operation.written]
        tensors = self._tensors(result if isinstance(result, tuple | list) else (result,))
        if "attention" in operation.name and "backward" not in operation.name:
            tensors = tensors[:1]
        if len(tensors) > 1:
            tensors = [tensor for tensor in tensors if tensor.dtype is not self._torch.uint8]
        return [self._digests.add(0, tensor) for tensor in tensors]

    def _states(self, kwargs: dict[str, Any]) -> list[tuple[Any, Any]]:
        """The generators that an operation may draw from, with their states."""
        named = kwargs.get("generator")
        cuda = getattr(self._torch, "cuda", None)
        found = [named] if named is not None else [self._torch.default_generator]
        if named is None and cuda is not None and cuda.is_initialized():
            found += cuda.default_generators
        return [(generator, generator.get_state()) for generator in found]

    def _copied(self, values: Any) -> Any:
        """Arguments with copies of their tensors, which keep how they lie in memory."""
        return _mapped(values, self._torch.Tensor, lambda tensor: tensor.clone())

    def _tensors(self, values: Any) -> list[Any]:
        found: list[Any] = []
        _mapped(values, self._torch.Tensor, found.append)
        return found


def _mapped(values: Any, kind: type, change: Callable[[Any], Any]) -> Any:
    """Nested arguments with their tensors changed."""
    if isinstance(values, kind):
        return change(values)
    if isinstance(values, list):
        return [_mapped(value, kind, change) for value in values]
    if type(values) is tuple:
        return tuple(_mapped(value, kind, change) for value in values)
    if isinstance(values, dict):
        return {name: _mapped(value, kind, change) for name, value in values.items()}
    return values

"""Alerts of torch's deterministic mode: which operations have no deterministic kernel, on which line.

A warning comes when the outermost call returns, so it no longer tells which operation it is about. Each operation is
therefore first tried with the mode that raises, which torch does before it computes, and then with the mode that only warns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .state import Runtime

_SAYS = " does not have a deterministic implementation"
_CUBLAS = "not deterministic because it uses CuBLAS"
"""`Context::alertNotDeterministic` and `Context::alertCuBLASConfigNotDeterministic` in `aten/src/ATen/Context.cpp`."""


class Alerts:
    """Of the operations of a process."""

    def __init__(self, torch: Any, run: Runtime) -> None:
        self._set = torch._C._set_deterministic_algorithms
        self._run = run
        self.listening = "strict" in run.held
        if self.listening:
            torch.use_deterministic_algorithms(True, warn_only=True)
            deterministic = getattr(torch.utils, "deterministic", None)
            if deterministic is not None:  # to fill memory would change what the program reads
                deterministic.fill_uninitialized_memory = False

    def call(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], line: Callable[[], str]
    ) -> Any:
        """Runs an operation, and notes an alert for the line that it is run for."""
        self._set(True, warn_only=False)
        try:
            return function(*args, **kwargs)
        except RuntimeError as error:
            said = str(error)
            if _SAYS not in said and _CUBLAS not in said:
                raise
            what = said.partition(_SAYS)[0].split()[-1] if _SAYS in said else "CuBLAS"
            self._run.ledger.alert(what, line())
        finally:
            self._set(True, warn_only=True)
        return function(*args, **kwargs)

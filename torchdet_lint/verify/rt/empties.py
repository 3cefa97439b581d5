"""Memory that has no contents: filled where the run says with what, and watched until it has some."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from .state import Runtime

_ONES = 255
"""Every bit is one: not-a-number as a float, and no number that programs compute."""


class Empties:
    """Of a tensor that `torch.empty` made, elements that still have the fill have never been written. Where an operation reads
    such elements, the stream says which line made them, and how many there are.
    """

    def __init__(self, torch: Any, run: Runtime, is_plain: Callable[[Any], bool]) -> None:
        self._torch = torch
        self._run = run
        self._is_plain = is_plain
        held = run.held.get("memory")
        self._fill = None if held is None else _ONES if held else 0
        self.waiting = False

    def made(self, tensors: list[Any], place: str) -> None:
        """Results without contents, of a user line."""
        self._run.ledger.ask("MEM", "torch.empty", place)
        if self._fill is None:
            return
        for tensor in tensors:
            if self._is_plain(tensor) and tensor.is_cpu and tensor.is_contiguous():
                size = tensor.numel() * tensor.element_size()
                if size:
                    ctypes.memset(tensor.data_ptr(), self._fill, size)
                    if self._fill and place:
                        tensor.untyped_storage()._torchdet_empty = place
                        self.waiting = True

    def read(self, tensors: list[Any], place: str) -> None:
        """An operation of a user line reads these."""
        for tensor in tensors:
            if not self._is_plain(tensor) or not tensor.is_cpu:
                continue
            storage = tensor.untyped_storage()
            made = getattr(storage, "_torchdet_empty", "")
            if made:
                count = self._unwritten(tensor)
                if count:
                    what = f"{count} of {tensor.numel()} elements of torch.empty, read at {place.rpartition(':')[0]}"
                    self._run.streams.current().event("MEM", what, made, f"{count:x}")
                    storage._torchdet_empty = ""  # told once; what follows is its consequence

    def _unwritten(self, tensor: Any) -> int:
        bytes_of = tensor.detach().contiguous().view(-1).view(self._torch.uint8)
        return int((bytes_of.view(-1, tensor.element_size()) == _ONES).all(1).sum())

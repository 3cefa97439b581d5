"""Digests of values: depend on every byte and on their order, and never fail."""

from __future__ import annotations

import ctypes
import struct
from typing import Any
from zlib import crc32

_FORMATS = {"torch.float32": "f", "torch.float64": "d", "torch.int64": "q", "torch.int32": "i"}


class Digests:
    """Digests of tensors. Holds torch's classes, since this module cannot import them."""

    def __init__(self, torch: Any) -> None:
        self._plain = (torch.Tensor, torch.nn.Parameter)
        self._strided = torch.strided

    def is_plain(self, tensor: Any) -> bool:
        """Whether a tensor has bytes of its own: no subclass, not sparse, not on the meta device."""
        return type(tensor) in self._plain and tensor.layout is self._strided and tensor.device.type != "meta"

    def add(self, before: int, tensor: Any) -> int:
        """The digest of `before` and the tensor: its type, shape and bytes."""
        head = crc32(f"{tensor.dtype}{tuple(tensor.shape)}".encode(), before)
        return crc32(self._bytes(tensor), head) if self.is_plain(tensor) else head

    def add_layout(self, before: int, tensor: Any) -> int:
        """The same for a view: where it looks, not what is there."""
        if type(tensor) not in self._plain or tensor.layout is not self._strided:
            return before
        return crc32(f"{tuple(tensor.shape)}{tensor.stride()}{tensor.storage_offset()}".encode(), before)

    def sample(self, tensor: Any) -> str:
        """Up to four values at fixed places, for how far two runs are apart. Empty for types without a plain number."""
        code = _FORMATS.get(str(tensor.dtype))
        size = tensor.numel()
        if code is None or not size or not self.is_plain(tensor):
            return ""
        data, width = self._bytes(tensor), struct.calcsize(code)
        places = sorted({0, size // 3, 2 * size // 3, size - 1})
        return " ".join(f"{struct.unpack_from(code, data, place * width)[0]:.9g}" for place in places)

    @staticmethod
    def _bytes(tensor: Any) -> Any:
        """The bytes of a plain tensor; a copy only where they do not lie in a row in main memory."""
        tensor = tensor.detach()
        if tensor.device.type != "cpu":
            tensor = tensor.cpu()
        if tensor.is_conj() or tensor.is_neg():
            tensor = tensor.resolve_conj().resolve_neg()
        if not tensor.is_contiguous():
            tensor = tensor.contiguous()
        count = tensor.numel() * tensor.element_size()
        if not count:
            return b""
        memory = (ctypes.c_char * count).from_address(tensor.data_ptr())
        memory._torchdet_owner = tensor  # the bytes live as long as the tensor
        return memory


def of_value(value: Any) -> str:
    """The digest of any value from outside of torch."""
    if isinstance(value, int | float | str | bytes | bool | None):
        return f"{crc32(repr(value).encode('utf-8', 'backslashreplace')):08x}"
    try:
        data = value.tobytes()
    except AttributeError:
        data = repr(value).encode("utf-8", "backslashreplace")
    return f"{crc32(data):08x}"

"""Digests of values: depend on every byte and on their order, and never fail."""

from __future__ import annotations

import ctypes
import struct
from typing import Any
from zlib import crc32

_FORMATS = {"float32": "f", "float64": "d", "int64": "q", "int32": "i"}


class Digests:
    """Digests of tensors. Holds torch's classes, since this module cannot import them."""

    def __init__(self, torch: Any, facts: dict[str, Any]) -> None:
        self._facts = facts
        self._plain = (torch.Tensor, torch.nn.Parameter)
        self._strided = torch.strided
        self._layouts = {getattr(torch, name): struct.Struct(code) for name, code in _FORMATS.items()}

    def is_plain(self, tensor: Any) -> bool:
        """Whether a tensor has bytes of its own: no subclass, not sparse, not on the meta device."""
        return type(tensor) in self._plain and tensor.layout is self._strided and not tensor.is_meta

    def add(self, before: int, tensor: Any) -> int:
        """The digest of `before` and the tensor: its type, shape and bytes."""
        return self.read(before, tensor, sampled=False)[0]

    def read(self, before: int, tensor: Any, sampled: bool = True) -> tuple[int, str]:
        """The digest, and up to four values at fixed places, for how far two runs are apart. No values for types without a plain
        number.
        """
        kind = tensor.dtype
        digest = crc32(f"{kind}{tuple(tensor.shape)}".encode(), before)
        if not self.is_plain(tensor):
            return digest, ""
        data = self._bytes(tensor)
        digest = crc32(data, digest)
        layout = self._layouts.get(kind)
        size = tensor.numel()
        if not sampled or layout is None or not size:
            return digest, ""
        last = size - 1
        places = sorted({0, size // 3, 2 * size // 3, last}) if last else (0,)
        return digest, " ".join([f"{layout.unpack_from(data, place * layout.size)[0]:.9g}" for place in places])

    def add_layout(self, before: int, tensor: Any) -> int:
        """The same for a view: where it looks, not what is there."""
        if type(tensor) not in self._plain or tensor.layout is not self._strided:
            return before
        return crc32(f"{tuple(tensor.shape)}{tensor.stride()}{tensor.storage_offset()}".encode(), before)

    def _bytes(self, tensor: Any) -> Any:
        """The bytes of a plain tensor; a copy only where they do not lie in a row in main memory."""
        tensor = tensor.detach()
        if not tensor.is_cpu:
            self._facts["device"] = tensor.device.type
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

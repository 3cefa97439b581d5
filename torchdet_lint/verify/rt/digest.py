"""Digests of values: depend on every byte and on their order, and never fail."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple
from zlib import crc32

from .lanes import Lanes

_FORMATS = {"float32": "f", "float64": "d", "int64": "q", "int32": "i", "float16": "e", "bfloat16": "b"}
"""The letters that stand before sampled values in a stream: those of `struct`, and `b` for the upper half of a float32."""

_LARGE = 1 << 17
"""Bytes from which on `Lanes` is faster than a checksum."""

_MANY = 50_000
"""Shapes and layouts that are remembered."""


class Shape(NamedTuple):
    """What tensors of one type and shape share: the digest of both, the `ctypes` array of their bytes (None for
    no bytes), their `size`, and an element's. `letter` is that of sampled values, empty for none.
    """

    head: int
    memory: Any
    size: int
    width: int
    letter: str


class Digests:
    """Digests of tensors. Holds torch's classes, since this module cannot import them."""

    def __init__(self, torch: Any, facts: dict[str, Any]) -> None:
        self._facts = facts
        self._tensor, self._parameter = torch.Tensor, torch.nn.Parameter
        self._strided = torch.strided
        self._formats = {getattr(torch, name): letter for name, letter in _FORMATS.items()}
        self._lanes = Lanes(torch)
        self._shapes: dict[Any, Shape] = {}
        self._layouts: dict[Any, int] = {}

    def is_plain(self, tensor: Any) -> bool:
        """Whether a tensor has bytes of its own: no subclass, not sparse, not on the meta device."""
        kind = type(tensor)
        return (
            (kind is self._tensor or kind is self._parameter) and tensor.layout is self._strided and not tensor.is_meta
        )

    def add(self, before: int, tensor: Any) -> int:
        """The digest of `before` and the tensor: its type, shape and bytes."""
        return self.read(before, tensor, sampled=False)[0]

    def read(self, before: int, tensor: Any, sampled: bool = True) -> tuple[int, str]:
        """The digest, and up to four values at fixed places, for how far two runs are apart: a letter for their type, `=`, and
        their bytes. No values for types without a plain number.
        """
        shape = self._shapes.get((tensor.dtype, tensor.shape)) or self._new_shape(tensor)
        digest = shape.head if not before else crc32(b"%x" % shape.head, before)
        if not self.is_plain(tensor) or shape.memory is None:
            return digest, ""
        if not (tensor.is_cpu and tensor.is_contiguous()) or tensor.is_neg() or tensor.is_conj():
            tensor = self._in_a_row(tensor)
        data = shape.memory.from_address(tensor.data_ptr())
        count, width = shape.size, shape.width
        digest = crc32(data, digest) if count < _LARGE else self._lanes.digest(data, count, width, digest)
        if not sampled or not shape.letter:
            return digest, ""
        if count <= 4 * width:
            return digest, f"{shape.letter}={data.raw.hex()}"
        third = count // width // 3 * width
        some = data[:width] + data[third : third + width] + data[2 * third : 2 * third + width] + data[count - width :]
        return digest, f"{shape.letter}={some.hex()}"

    def add_layout(self, before: int, tensor: Any) -> int:
        """The same for a view: where it looks, not what is there."""
        kind = type(tensor)
        if (kind is not self._tensor and kind is not self._parameter) or tensor.layout is not self._strided:
            return before
        key = (before, tensor.shape, tensor.stride(), tensor.storage_offset())
        known = self._layouts.get(key)
        if known is None:
            if len(self._layouts) > _MANY:
                self._layouts.clear()
            known = self._layouts[key] = crc32(f"{tuple(key[1])}{key[2]}{key[3]}".encode(), before)
        return known

    def _new_shape(self, tensor: Any) -> Shape:
        if len(self._shapes) > _MANY:
            self._shapes.clear()
        kind, shape, width = tensor.dtype, tensor.shape, tensor.element_size()
        count = tensor.numel() * width
        head = crc32(f"{kind}{tuple(shape)}".encode())
        memory = ctypes.c_char * count if count else None
        new = self._shapes[kind, shape] = Shape(head, memory, count, width, self._formats.get(kind, ""))
        return new

    def _in_a_row(self, tensor: Any) -> Any:
        """A plain tensor's values in a row in main memory."""
        if not tensor.is_cpu:
            self._facts["device"] = tensor.device.type
        return tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()


def of_value(value: Any) -> str:
    """The digest of any value from outside of torch."""
    if isinstance(value, int | float | str | bytes | bool | None):
        return f"{crc32(repr(value).encode('utf-8', 'backslashreplace')):08x}"
    try:
        data = value.tobytes()
    except AttributeError:
        data = repr(value).encode("utf-8", "backslashreplace")
    return f"{crc32(data):08x}"

"""Reads the tensors of a CTranslate2 model file (model.bin).

All numbers are little-endian. The file has a version (u32), the name of the model's kind, a revision (u32), the number of
tensors (u32) and the tensors. A table of further names for the same tensors follows. A name is its length (u16), its
bytes and a zero byte, which the length counts.
"""

import struct
from collections.abc import Mapping

import numpy as np

# The type of a tensor's values, by its number in the file.
TYPES = (np.float32, np.int8, np.int16, np.int32, np.float16)


class _Reader:
    def __init__(self, content: bytes):
        self._content = content
        self._offset = 0

    def bytes(self, count: int) -> bytes:
        part = self._content[self._offset : self._offset + count]
        if len(part) < count:
            raise ValueError("the model file ends too early")
        self._offset += count
        return part

    def number(self, kind: str) -> int:
        """`kind`: B, H or I, an unsigned integer of 1, 2 or 4 bytes."""
        return struct.unpack(f"<{kind}", self.bytes(struct.calcsize(kind)))[0]

    def name(self) -> str:
        return self.bytes(self.number("H"))[:-1].decode()

    @property
    def at_end(self) -> bool:
        return self._offset == len(self._content)


def read_tensors(content: bytes) -> dict[str, np.ndarray]:
    """Tensors by name, each as float32 in its own shape. Rows of 8-bit integers get their scale."""
    reader = _Reader(content)
    reader.number("I")
    reader.name()
    reader.number("I")
    stored = {reader.name(): _tensor(reader) for _ in range(reader.number("I"))}
    tensors = {name: _as_floats(name, stored) for name in stored}
    aliases = 0 if reader.at_end else reader.number("I")
    for _ in range(aliases):
        alias, name = reader.name(), reader.name()
        tensors[alias] = tensors[name]
    return tensors


def _tensor(reader: _Reader) -> np.ndarray:
    shape = [reader.number("I") for _ in range(reader.number("B"))]
    kind = TYPES[reader.number("B")]
    return np.frombuffer(reader.bytes(reader.number("I")), kind).reshape(shape)


def _as_floats(name: str, stored: Mapping[str, np.ndarray]) -> np.ndarray:
    """An 8-bit matrix [rows, columns] is divided by its scale [rows]: the file has value times scale."""
    tensor = stored[name]
    floats = tensor.astype(np.float32)
    if tensor.dtype != np.int8 or tensor.ndim != 2:
        return floats
    return floats / stored[f"{name}_scale"].astype(np.float32)[:, None]

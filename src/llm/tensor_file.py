"""Reader of single tensors from a safetensors file, and weights that are computed when they are asked for.

A model that is built weight by weight from these never has all its weights in memory in the file's number format. The
file is read, not mapped: pages of a mapped file count as memory of the process until the last tensor is gone.

Format: eight bytes with the length of a JSON header, the header with type, shape and offsets of each tensor, the data.

Limitations: floating-point tensors only, on a little-endian machine.
"""

from collections.abc import Callable, Iterator, Mapping
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from src.errors import InputError
from src.json_decoding import decode

if TYPE_CHECKING:
    from torch import Tensor

_LENGTH = 8  # bytes at the beginning that hold the header's length
_MOST = 2**63  # bytes of a tensor, in which torch counts an empty dimension as 1
_DTYPES = {"F64": ("float64", 8), "F32": ("float32", 4), "F16": ("float16", 2), "BF16": ("bfloat16", 2)}


class _Entry(msgspec.Struct, frozen=True):
    """Header entry of a tensor: type, shape, and first and last byte in the data."""

    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]


class TensorFile:
    """A safetensors file with floating-point tensors; others are ignored.

    Raises InputError when the file is missing or damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                length = int.from_bytes(file.read(_LENGTH), "little")
                self._data = _LENGTH + length
                size = path.stat().st_size
                if self._data > size:
                    raise self._damaged("its header is cut")
                header = decode(file.read(length), dict[str, msgspec.Raw])
                header.pop("__metadata__", None)
                entries = {name: decode(raw, _Entry) for name, raw in header.items()}
        except (OSError, msgspec.DecodeError) as error:
            raise self._damaged(error) from None
        self._entries = {name: entry for name, entry in entries.items() if entry.dtype in _DTYPES}
        if any(not self._is_sound(entry, size) for entry in self._entries.values()):
            raise self._damaged("a tensor lies outside the file")

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        return {name: entry.shape for name, entry in self._entries.items()}

    def weights(self) -> "LazyWeights":
        """Return all tensors, each read when it is asked for."""
        return LazyWeights(self.shapes, self.read)

    def read(self, name: str) -> "Tensor":
        """Return a new tensor in the number format of the file."""
        import torch

        entry = self._entries[name]
        dtype = getattr(torch, _DTYPES[entry.dtype][0])
        first, last = entry.data_offsets
        if first == last:
            return torch.empty(entry.shape, dtype=dtype)
        data = bytearray(last - first)
        try:
            with self.path.open("rb", buffering=0) as file:
                file.seek(self._data + first)
                if file.readinto(data) != len(data):
                    raise self._damaged("it is cut")
        except OSError as error:
            raise self._damaged(error) from None
        return torch.frombuffer(data, dtype=dtype).view(entry.shape)

    def _is_sound(self, entry: _Entry, size: int) -> bool:
        (first, last), (_, width) = entry.data_offsets, _DTYPES[entry.dtype]
        if min(entry.shape, default=0) < 0 or width * prod(number or 1 for number in entry.shape) >= _MOST:
            return False
        return 0 <= first <= last <= size - self._data and width * prod(entry.shape) == last - first

    def _damaged(self, why: object) -> InputError:
        return InputError(f"cannot be read: {why}", path=self.path)


class LazyWeights(Mapping[str, "Tensor"]):
    """Weights by name, each computed by `read` whenever it is asked for; nothing is kept. `shapes` has their shapes."""

    def __init__(self, shapes: Mapping[str, tuple[int, ...]], read: "Callable[[str], Tensor]") -> None:
        self.shapes, self._read = shapes, read

    def mapped(self, change: "Callable[[str, Tensor], Tensor]") -> "LazyWeights":
        """Return the weights after `change`, a function of a weight's name and the weight that keeps its shape."""
        return LazyWeights(self.shapes, lambda name: change(name, self[name]))

    def renamed(self, names: Mapping[str, str]) -> "LazyWeights":
        """Return those of the weights that `names` maps to their new names."""
        old = {new: name for name, new in names.items()}
        return LazyWeights({new: self.shapes[name] for name, new in names.items()}, lambda new: self[old[new]])

    def __getitem__(self, name: str) -> "Tensor":
        if name not in self.shapes:
            raise KeyError(name)
        return self._read(name)

    def __contains__(self, name: object) -> bool:
        return name in self.shapes

    def __iter__(self) -> Iterator[str]:
        return iter(self.shapes)

    def __len__(self) -> int:
        return len(self.shapes)

"""Reader of single tensors from a safetensors file, and weights that are computed when they are asked for.

A model that is built weight by weight from these never has all its weights in memory in the file's number format. The
file is read, not mapped: pages of a mapped file count as memory of the process until the last tensor is gone. Of a
table of embeddings, only the rows that are looked up are read, each time anew.

Format: eight bytes with the length of a JSON header, the header with type, shape and offsets of each tensor, the data.

Limitations: floating-point tensors only, on a little-endian machine.
"""

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from io import BufferedReader
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from weakref import finalize

import msgspec

from src.errors import InputError
from src.json_decoding import decode

if TYPE_CHECKING:
    from torch import Tensor

Lookup = Callable[["Tensor"], "Tensor"]
"""Function from row numbers to these rows of a weight: to [..., width] from numbers of any shape."""

_LENGTH = 8  # bytes at the beginning that hold the header's length
_MOST = 2**63  # bytes of a tensor, in which torch counts an empty dimension as 1
_DTYPES = {"F64": ("float64", 8), "F32": ("float32", 4), "F16": ("float16", 2), "BF16": ("bfloat16", 2)}


class Entry(msgspec.Struct, frozen=True):
    """Header entry of a tensor: type, shape, and first and last byte in the data."""

    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]


class Header(NamedTuple):
    """Header of a safetensors file: its tensors by name, and the index of the first byte of the data."""

    entries: dict[str, Entry]
    data: int


def read_header(path: Path) -> Header:
    """Return the header of a safetensors file. Raises InputError when the file is missing or damaged."""
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(_LENGTH), "little")
            if _LENGTH + length > path.stat().st_size:
                raise _damaged(path, "its header is cut")
            header = decode(file.read(length), dict[str, msgspec.Raw])
            header.pop("__metadata__", None)
            return Header({name: decode(raw, Entry) for name, raw in header.items()}, _LENGTH + length)
    except (OSError, msgspec.DecodeError) as error:
        raise _damaged(path, error) from None


def _damaged(path: Path, why: object) -> InputError:
    return InputError(f"cannot be read: {why}", path=path)


class TensorFile:
    """A safetensors file with floating-point tensors; others are ignored.

    Raises InputError when the file is missing or damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        entries, self._data = read_header(path)
        size = path.stat().st_size
        self._entries = {name: entry for name, entry in entries.items() if entry.dtype in _DTYPES}
        if any(not self._is_sound(entry, size) for entry in self._entries.values()):
            raise self._damaged("a tensor lies outside the file")

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        return {name: entry.shape for name, entry in self._entries.items()}

    def weights(self) -> "LazyWeights":
        """Return all tensors, each read when it is asked for."""
        return LazyWeights(self.shapes, self.read, self.lookup)

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

    def lookup(self, name: str) -> Lookup:
        """Return the lookup of rows of a tensor [rows, width]; it raises InputError when a row cannot be read."""
        import torch

        entry, file = self._entries[name], self._open()
        (rows, width), (word, bytes_each) = entry.shape, _DTYPES[entry.dtype]
        first, length, dtype = self._data + entry.data_offsets[0], width * bytes_each, getattr(torch, word)

        def looked_up(ids: "Tensor") -> "Tensor":
            distinct, places = ids.unique(return_inverse=True)
            numbers = distinct.tolist()
            if numbers and not 0 <= numbers[0] <= numbers[-1] < rows:
                raise IndexError(f"row {numbers[-1]} of {rows}")
            data = bytearray(b"".join(os.pread(file.fileno(), length, first + number * length) for number in numbers))
            if len(data) != len(numbers) * length:
                raise self._damaged("it is cut")
            return torch.frombuffer(data, dtype=dtype).view(-1, width)[places]

        finalize(looked_up, file.close)
        return looked_up

    def _open(self) -> BufferedReader:
        try:
            return self.path.open("rb")
        except OSError as error:
            raise self._damaged(error) from None

    def _is_sound(self, entry: Entry, size: int) -> bool:
        (first, last), (_, width) = entry.data_offsets, _DTYPES[entry.dtype]
        if min(entry.shape, default=0) < 0 or width * prod(number or 1 for number in entry.shape) >= _MOST:
            return False
        return 0 <= first <= last <= size - self._data and width * prod(entry.shape) == last - first

    def _damaged(self, why: object) -> InputError:
        return _damaged(self.path, why)


class LazyWeights(Mapping[str, "Tensor"]):
    """Weights by name, each computed by `read` whenever it is asked for; nothing is kept. `shapes` has their shapes.

    `lookup` returns the lookup of rows of a weight, for one of which not all rows are needed.
    """

    def __init__(
        self,
        shapes: Mapping[str, tuple[int, ...]],
        read: "Callable[[str], Tensor]",
        lookup: "Callable[[str], Lookup]",
    ) -> None:
        self.shapes, self._read, self.lookup = shapes, read, lookup

    def mapped(self, change: "Callable[[str, Tensor], Tensor]", only_cast: Collection[str] = ()) -> "LazyWeights":
        """Return the weights after `change`, a function of a weight's name and the weight that keeps its shape.

        Of the weights named in `only_cast`, it changes nothing but the number format. A lookup of these is not cast:
        whoever looks rows up casts them.
        """

        def read(name: str) -> "Tensor":
            return change(name, self[name])

        return LazyWeights(
            self.shapes, read, lambda name: self.lookup(name) if name in only_cast else in_memory(read(name))
        )

    def renamed(self, names: Mapping[str, str]) -> "LazyWeights":
        """Return those of the weights that `names` maps to their new names."""
        old = {new: name for name, new in names.items()}
        shapes = {new: self.shapes[name] for name, new in names.items()}
        return LazyWeights(shapes, lambda new: self[old[new]], lambda new: self.lookup(old[new]))

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


def lookup_of(weights: "Mapping[str, Tensor]", name: str) -> Lookup:
    """Return the lookup of rows of a weight: from its file where that is possible (`LazyWeights.lookup`)."""
    return weights.lookup(name) if isinstance(weights, LazyWeights) else in_memory(weights[name])


def in_memory(weight: "Tensor") -> Lookup:
    """Return the lookup of rows of a weight [rows, width] in memory."""
    from torch.nn.functional import embedding

    return lambda ids: embedding(ids, weight)

"""Cache of arrays on disk: memory-mapped safetensors files.

A file contains named arrays and labels. The labels identify the input of the arrays, such as the hash of a store, the
name of a model, or the version of a layout. A file is not loaded if its labels differ from the expected ones, or if its
bytes do not match the CRC-32 among its labels. Files are written atomically.

Limitations: the meaning of the arrays is left to the caller. The safetensors library is not used, because it copies
every array instead of memory-mapping it.
"""

import json
import mmap
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from src.atomic_file import atomic

Arrays = Mapping[str, npt.NDArray[Any]]

_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
           "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1"}  # fmt: skip
_NAMES = {np.dtype(code): name for name, code in _DTYPES.items()}
_HEADER_LIMIT = 1 << 20
_CHECKSUM = "crc32"


class NotKept(Exception):  # noqa: N818 - the name says what it is
    """Raised when the cache has no usable arrays.

    `str()` is the reason: "" if the file does not exist, `damaged`, or a message such as `made for another store`.
    """


def keep(path: Path, arrays: Arrays, labels: Mapping[str, str]) -> None:
    """Write arrays of integers or floats, and labels, as a safetensors file.

    Equal input gives equal bytes, and contiguous arrays are not copied. The writer of the safetensors library
    guarantees neither. Raises OutputError when the file cannot be written.
    """
    plain = [(name, np.ascontiguousarray(array)) for name, array in arrays.items()]
    plain.sort(key=lambda item: -item[1].itemsize)  # so that each array begins at a multiple of its item size
    entries: dict[str, Any] = {}
    end = 0
    for name, array in plain:
        begin, end = end, end + array.nbytes
        entries[name] = {"dtype": _NAMES[array.dtype], "shape": array.shape, "data_offsets": (begin, end)}
    checksum = _checksum(labels, entries, (array.data for _, array in plain))
    text = json.dumps({"__metadata__": {**labels, _CHECKSUM: checksum}, **entries}).encode()
    text += b" " * (-len(text) % 8)
    with atomic(path) as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for _, array in plain:
            file.write(array.data)


def recall(path: Path, labels: Mapping[str, str]) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of a file that `keep` wrote, by name, read-only and memory-mapped.

    Raises NotKept when the file is missing or damaged, or when a label differs from `labels`. The reason then names the
    label: `made for another store` if the label `store` differs.
    """
    try:
        with path.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (FileNotFoundError, NotADirectoryError):
        raise NotKept("") from None
    except (OSError, ValueError):
        raise NotKept("damaged") from None
    try:
        header, start = _header(mapped)
        stored = header.pop("__metadata__", {})
        for name, value in labels.items():
            if stored.get(name) != value:
                raise NotKept(f"made for another {name}")
        if stored.pop(_CHECKSUM) != _checksum(stored, header, [memoryview(mapped)[start:]]):
            raise NotKept("damaged")
        return {name: _array(mapped, start, entry) for name, entry in header.items()}
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        raise NotKept("damaged") from None


def _checksum(labels: Mapping[str, str], entries: Mapping[str, Any], data: Iterable[memoryview]) -> str:
    """Return the CRC-32 of the header (without the checksum itself) and of the array bytes, in hexadecimal digits."""
    value = crc32(json.dumps([dict(labels), entries]).encode())
    for block in data:
        value = crc32(block, value)
    return f"{value:08x}"


def _header(mapped: mmap.mmap) -> tuple[dict[str, Any], int]:
    length = int.from_bytes(mapped[:8], "little")
    if not 2 <= length <= min(_HEADER_LIMIT, len(mapped) - 8):
        raise ValueError
    return json.loads(mapped[8 : 8 + length]), 8 + length


def _array(mapped: mmap.mmap, start: int, entry: Mapping[str, Any]) -> npt.NDArray[Any]:
    dtype, shape = np.dtype(_DTYPES[entry["dtype"]]), tuple(entry["shape"])
    begin, end = entry["data_offsets"]
    count = int(np.prod(shape, dtype=np.int64))
    if end - begin != count * dtype.itemsize:
        raise ValueError
    return np.frombuffer(mapped, dtype=dtype, count=count, offset=start + begin).reshape(shape)

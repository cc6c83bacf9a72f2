"""Cache of sentence vectors in a file: each text is encoded once; later runs find its vector by the text's hash.

The file contains only texts that were requested. A new vector is rounded like a stored one, so a run gives the same
result with or without the file.

Limitations: one store and one encoder per file; a file of another is ignored and replaced. This module does not search.
"""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from src.array_cache import NotKept, keep, recall

Vectors = npt.NDArray[np.float32]
Arrays = dict[str, npt.NDArray[Any]]
Precision = Literal["float16", "int8"]

LAYOUT = "1"
KEY_BYTES = 16


class Encoder(Protocol):
    """Sentence encoder: returns float32 [len(texts), width] with rows of length 1.

    Encoders of equal `identity` give the same vectors.
    """

    @property
    def identity(self) -> str: ...

    @property
    def width(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> Vectors: ...

    def encode_queries(self, texts: Sequence[str]) -> Vectors: ...


class VectorCounts(msgspec.Struct):
    """Counts about cached vectors.

    `encoded`: number of distinct texts that were encoded.
    `recalled`: number of distinct texts whose vectors were loaded.
    `stale`: why an existing file was not used; "" if it was used.
    """

    encoded: int = 0
    recalled: int = 0
    stale: str = ""


class KeptVectors:
    """Cached vectors of one store.

    `path` is the cache file (None: no cache), `store` the hash of the store. A file that is damaged, or made for
        another store, encoder, precision or layout, is ignored; `counts.stale` has the reason.
    """

    def __init__(self, path: Path | None, store: str, encoder: Encoder, precision: Precision = "float16") -> None:
        self.counts = VectorCounts()
        self._path, self._encoder, self._precision = path, encoder, precision
        self._labels = {"store": store, "encoder": encoder.identity, "precision": precision, "layout": LAYOUT}
        self._stored = packed(np.empty((0, encoder.width), np.float32), precision)
        self._places: dict[bytes, int] = {}
        self._changed = False
        if path is not None:
            self._recall(path)

    def of(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of the texts, float32 [len(texts), width], in order. Rows have length 1 up to rounding."""
        return self._vectors(texts, b"text", self._encoder.encode)

    def of_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts that are encoded as queries, float32 [len(texts), width], in order."""
        return self._vectors(texts, b"query", self._encoder.encode_queries)

    def write(self) -> None:
        """Write the cache file if texts were encoded since it was read; it also keeps the earlier vectors.

        Raises OutputError when the file cannot be written.
        """
        if self._path is not None and self._changed:
            keys = np.frombuffer(b"".join(self._places), np.uint8).reshape(-1, KEY_BYTES)
            keep(self._path, {"keys": keys, **self._stored}, self._labels)
            self._changed = False

    def _recall(self, path: Path) -> None:
        try:
            arrays = recall(path, self._labels)
            keys = arrays.pop("keys")
            if not _alike(arrays, self._stored) or keys.shape != (len(arrays["vectors"]), KEY_BYTES):
                raise NotKept("damaged")
        except KeyError:
            self.counts.stale = "damaged"
        except NotKept as reason:
            self.counts.stale = str(reason)
        else:
            joined = keys.tobytes()
            self._places = {joined[KEY_BYTES * n : KEY_BYTES * (n + 1)]: n for n in range(len(keys))}
            self._stored = arrays

    def _vectors(self, texts: Sequence[str], kind: bytes, encode: Callable[[Sequence[str]], Vectors]) -> Vectors:
        keys = [
            blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES, person=kind).digest()
            for text in texts
        ]
        text_of = dict(zip(keys, texts, strict=True))
        missing = {key: text for key, text in text_of.items() if key not in self._places}
        if missing:
            fresh = packed(encode(list(missing.values())), self._precision)
            self._places |= {key: len(self._places) + n for n, key in enumerate(missing)}
            self._stored = {name: np.concatenate([held, fresh[name]]) for name, held in self._stored.items()}
            self._changed = True
        self.counts.encoded += len(missing)
        self.counts.recalled += len(text_of) - len(missing)
        places = [self._places[key] for key in keys]
        return unpacked({name: held[places] for name, held in self._stored.items()})


def packed(vectors: Vectors, precision: Precision) -> Arrays:
    """Return the vectors in the precision of the cache.

    Each int8 row has a scale that maps its largest absolute value to 127.
    """
    if precision == "float16":
        return {"vectors": vectors.astype(np.float16)}
    scales = np.maximum(np.abs(vectors).max(axis=1, initial=0), np.finfo(np.float32).tiny) / np.float32(127)
    return {"vectors": np.rint(vectors / scales[:, None]).astype(np.int8), "scales": scales}


def unpacked(arrays: Arrays) -> Vectors:
    """Return the float32 vectors that `packed` stored in `arrays`."""
    vectors: Vectors = arrays["vectors"].astype(np.float32)
    return vectors * arrays["scales"][:, None] if "scales" in arrays else vectors


def _alike(arrays: Arrays, expected: Arrays) -> bool:
    """Return True if the arrays have the expected names, number formats and widths, and all the same number of rows."""
    kinds = {name: (array.dtype, array.shape[1:]) for name, array in arrays.items()}
    rows = {array.shape[:1] for array in arrays.values()}
    return kinds == {name: (array.dtype, array.shape[1:]) for name, array in expected.items()} and len(rows) == 1

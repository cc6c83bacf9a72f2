"""Exact search by sentence vectors: the cosine of each query with each of N texts, block by block.

Vectors are stored as one-byte integers with one scale per row. This needs a quarter of the memory traffic, which limits
the speed of such a search, and finds the same texts. Vectors are in shards, so a run that is killed while it encodes
loses at most one shard. Cached shards are memory-mapped.

Limitations: there is no approximate index, so the time grows with N.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from src.array_cache import NotKept, keep, recall
from src.reranking.hybrid.vectors import Encoder, packed

SHARD = 4_096  # texts
BLOCK = 512  # rows converted to floats at once; a small product stays on one thread, others wait for busy cores
_LAYOUT = {"layout": "vectors in shards 1"}

Shard = Mapping[str, npt.NDArray[Any]]  # "vectors": int8 [rows, width], "scales": float32 [rows]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Nearest:
    """The vectors of N texts, in shards of SHARD texts (the last may be smaller), and the encoder that made them."""

    encoder: Encoder
    shards: Sequence[Shard]

    @classmethod
    def of(cls, size: int, text: Callable[[int], str], encoder: Encoder) -> Self:
        """Return the vectors of the texts `text(0)` to `text(size - 1)`, in memory only."""
        return cls(encoder, [packed(encoder.encode(texts()), "int8") for texts in _parts(size, text)])

    @classmethod
    def cached(
        cls, size: int, text: Callable[[int], str], encoder: Encoder, folder: Path, labels: Mapping[str, str]
    ) -> Self:
        """Return the vectors of the texts `text(0)` to `text(size - 1)`, cached in `folder`.

        A shard in the folder is used only if it has these `labels`. Raises OutputError when a shard cannot be written.
        """
        labels = {**labels, **_LAYOUT, "encoder": encoder.identity}
        own = folder / f"vectors.{sha256(encoder.identity.encode()).hexdigest()[:12]}"
        shards = []
        for number, texts in enumerate(_parts(size, text)):
            path = own / str(number)
            try:
                shards.append(recall(path, labels))
            except NotKept:
                keep(path, packed(encoder.encode(texts()), "int8"), labels)
                shards.append(recall(path, labels))
        return cls(encoder, shards)

    def cosines(self, queries: Sequence[str]) -> Floats:
        """Return the cosine of each query with each text, shape [len(queries), N]."""
        sought = self.encoder.encode_queries(queries)
        result = np.empty((len(queries), sum(len(shard["vectors"]) for shard in self.shards)), np.float32)
        first = 0
        for vectors, scales in self._blocks():
            span = slice(first, first + len(vectors))
            for query, cosines in zip(sought, result, strict=True):
                np.multiply(vectors @ query, scales, out=cosines[span])
            first = span.stop
        return result

    def _blocks(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield blocks of unscaled vectors with the scales of their rows. The next block overwrites the vectors."""
        space = np.empty((BLOCK, self.encoder.width), np.float32)
        for shard in self.shards:
            for first in range(0, len(shard["vectors"]), BLOCK):
                rows = shard["vectors"][first : first + BLOCK]
                block = space[: len(rows)]
                np.copyto(block, rows)
                yield block, shard["scales"][first : first + BLOCK]


def _parts(size: int, text: Callable[[int], str]) -> Iterator[Callable[[], list[str]]]:
    """Yield for each shard a function that returns its texts."""
    for first in range(0, size, SHARD):
        places = range(first, min(first + SHARD, size))
        yield lambda places=places: [text(place) for place in places]  # type: ignore[misc]

"""The interface of sentence encoders: texts in, vectors of length 1 out.

A batch holds texts of equal length in tokens, so nothing is padded. The other texts of a call therefore change a vector
by nothing in bfloat16, and by rounding (1e-7) in float32.

Limitations: no training. `encoder.py` loads models, and `src/reranking/hybrid/vectors.py` stores vectors on disk.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import groupby
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from src.errors import ModelError
from src.llm.protocol import ModelInfo
from src.store import storable

Vectors = npt.NDArray[np.float32]
Dtype = Literal["float32", "bfloat16"]

BATCH_TOKENS = 1024
CHARACTERS_A_TOKEN = 64  # a longer text is cut before it is tokenized; words of a language are far shorter


class EncoderEngine(Protocol):
    """A loaded model. `embed` gets texts of one length in tokens and returns [len(texts), width] with unit rows."""

    def lengths(self, texts: Sequence[str], *, queries: bool) -> list[int]: ...

    def embed(self, texts: Sequence[str], *, queries: bool) -> Vectors: ...


class SentenceEncoder:
    """A sentence encoder. The bundled model is loaded at the first request for a vector.

    `identity` is the key under which vectors are stored. It has a hash of all files of the model, or its name and
    revision, and the number format where there is a choice. Vectors stored under another key are not used.
    """

    def __init__(self, info: ModelInfo, width: int, identity: str, start: Callable[[], EncoderEngine]) -> None:
        self.info, self.width, self.identity = info, width, identity
        self._start = start

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return float32 [len(texts), width] with rows of length 1, in the order of the texts.

        Equal texts get equal rows. Raises ModelError when the model gives a value that is not finite.
        """
        return self._encoded(texts, queries=False)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of queries, like `encode`, with the model's prompt for queries if it has one."""
        return self._encoded(texts, queries=True)

    @cached_property
    def _engine(self) -> EncoderEngine:
        return self._start()

    def _encoded(self, texts: Sequence[str], *, queries: bool) -> Vectors:
        if not texts:
            return np.empty((0, self.width), np.float32)
        limit = CHARACTERS_A_TOKEN * (self.info.context or 512)
        cut = [storable(text[:limit]) for text in texts]
        distinct = list(dict.fromkeys(cut))
        vectors = np.empty((len(distinct), self.width), np.float32)
        for batch in equal_lengths(self._engine.lengths(distinct, queries=queries), BATCH_TOKENS):
            vectors[batch] = self._engine.embed([distinct[place] for place in batch], queries=queries)
        if not np.isfinite(vectors).all():
            raise ModelError(f"the encoder {self.info.name} gave a vector that is no number")
        places = {text: place for place, text in enumerate(distinct)}
        return vectors[[places[text] for text in cut]]


def equal_lengths(lengths: Sequence[int], tokens: int) -> list[list[int]]:
    """Return batches of indices into `lengths`, shortest first.

    A batch has rows of one length, and at most `tokens` tokens (or one row).
    """
    batches = []
    for length, group in groupby(sorted(range(len(lengths)), key=lengths.__getitem__), lengths.__getitem__):
        places, rows = list(group), max(1, tokens // max(1, length))
        batches += [places[first : first + rows] for first in range(0, len(places), rows)]
    return batches

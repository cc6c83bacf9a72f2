"""What a sentence encoder is: texts in, vectors of length 1 out, whatever model computes them.

Texts of equal length in tokens go through the model together, so that nothing is padded. What else is asked for beside
a text therefore changes its vector by nothing in bfloat16, and by rounding (1e-7) in float32.

But: models are loaded by `encoder.py`, and vectors kept on disk by `src/reranking/hybrid/vectors.py`; no training.
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
CHARACTERS_A_TOKEN = 64  # a longer text is cut before it is tokenised; words of a language are far shorter


class EncoderEngine(Protocol):
    """A loaded model. `embed` is given texts of one length in tokens and answers [len(texts), width], unit rows."""

    def lengths(self, texts: Sequence[str], *, queries: bool) -> list[int]: ...

    def embed(self, texts: Sequence[str], *, queries: bool) -> Vectors: ...


class SentenceEncoder:
    """A sentence encoder; the bundled one is loaded when it is first asked for a vector.

    `identity` names what its vectors follow from: a hash of all files of the model, or its name and revision, and the
    number format where there is a choice. Vectors that were kept under another one are not used.
    """

    def __init__(self, info: ModelInfo, width: int, identity: str, start: Callable[[], EncoderEngine]) -> None:
        self.info, self.width, self.identity = info, width, identity
        self._start = start

    def encode(self, texts: Sequence[str]) -> Vectors:
        """float32 [len(texts), width], rows of length 1, in the order asked. Equal texts get equal rows.

        Raises ModelError when the model gives what is no number.
        """
        return self._encoded(texts, queries=False)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """As `encode`, with the model's prompt for queries where it has one."""
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
    """Places of `lengths` in batches of one length each and at most `tokens` tokens (or one row), shortest first."""
    batches = []
    for length, group in groupby(sorted(range(len(lengths)), key=lengths.__getitem__), lengths.__getitem__):
        places, rows = list(group), max(1, tokens // max(1, length))
        batches += [places[first : first + rows] for first in range(0, len(places), rows)]
    return batches

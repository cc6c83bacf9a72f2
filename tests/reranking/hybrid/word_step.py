"""`bm25_sentences` with an encoder that needs no model. As a program: `python -m tests.reranking.hybrid.word_step`.

`--encoder NAME` gives one of that name, which gives the same vectors. WORD_SECONDS makes each claim's encoding take
that long; with WORD_WORKERS even small stores are worth a worker.
"""

import os
import time
from collections.abc import Sequence
from unittest.mock import patch

from src.llm.protocol import ModelInfo
from src.models.encoder import SentenceEncoder
from src.pipeline import rank
from src.reranking import bm25_sentences
from tests.word_encoder import Vectors, WordEncoder

MODULE = "tests.reranking.hybrid.word_step"
SECONDS = float(os.environ.get("WORD_SECONDS", "0"))


class WordEngine:
    def lengths(self, texts: Sequence[str], *, queries: bool) -> list[int]:
        time.sleep(SECONDS)
        return [len(text.split()) for text in texts]

    def embed(self, batches: Sequence[Sequence[str]], *, queries: bool) -> list[Vectors]:
        return [WordEncoder().encode(texts) for texts in batches]


def load_words(name: str | None = None) -> SentenceEncoder:
    """In place of `load_encoder`."""
    identity = name or "words"
    return SentenceEncoder(ModelInfo(identity, "test", identity), WordEncoder.width, identity, WordEngine)


if __name__ == "__main__":
    worth = 1 if "WORD_WORKERS" in os.environ else rank.WORTH_A_WORKER
    with patch.multiple(rank, load_encoder=load_words, WORTH_A_WORKER=worth):
        raise SystemExit(bm25_sentences.main())

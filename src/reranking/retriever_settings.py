"""Settings of a retriever, for the step `bm25_sentences`, a check of one claim, and the server."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from src.errors import InputError
from src.records import Document
from src.reranking.hybrid.passages import MOST_WORDS
from src.reranking.hybrid.vectors import Encoder, Precision

Refused = Callable[[int, Path, Sequence[Document]], Sequence[str]]
"""Function of claim_id, the claim's file and its pages; returns for each page the reason why it is refused, or ""."""


def none_refused(claim_id: int, file: Path, pages: Sequence[Document]) -> list[str]:
    """Return "" for each page: no page is refused."""
    return [""] * len(pages)


@dataclass(frozen=True)
class RetrieverSettings:
    """Settings of all retrievers. A retriever ignores the settings that it does not use.

    `index_dir`: folder where indexes are cached; None: no cache.

    The other settings are for hybrid retrieval:
    `encoder`: sentence encoder.
    `refused`: function that returns for each page the reason why it is refused; by default no page is.
    `precision`: number format of cached vectors.
    `passages`: True to return passages (a sentence with the sentences around it) instead of sentences.
    `passage_words`: maximum number of words of a passage.
    """

    index_dir: Path | None = None
    encoder: Encoder | None = None
    refused: Refused = none_refused
    precision: Precision = "float16"
    passages: bool = False
    passage_words: int = MOST_WORDS

    def needed_encoder(self) -> Encoder:
        """Return the sentence encoder. Raises InputError when there is none."""
        if self.encoder is None:
            raise InputError("this retriever needs a sentence encoder")
        return self.encoder

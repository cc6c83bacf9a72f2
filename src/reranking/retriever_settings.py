"""Settings of a retriever, for `bm25_sentences`, a check or the server."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from src.errors import InputError
from src.records import Document
from src.reranking.hybrid.passages import MOST_WORDS
from src.reranking.hybrid.vectors import Encoder, Precision

Refused = Callable[[int, Path, Sequence[Document]], Sequence[str]]
"""Function from a claim_id, the claim's file and its pages to the reason why each page is refused, "" if it is not."""


def none_refused(claim_id: int, file: Path, pages: Sequence[Document]) -> list[str]:
    """Return no reason to refuse any page."""
    return [""] * len(pages)


@dataclass(frozen=True)
class RetrieverSettings:
    """Settings of all retrievers; each reads those that it knows.

    Indexes are kept in `index_dir`, nowhere if None. The rest is for retrievers with `is_hybrid` (`retrievers.py`).
    `passage_words` is the maximum number of words of a passage, if `passages` is set.
    """

    index_dir: Path | None = None
    encoder: Encoder | None = None
    refused: Refused = none_refused
    precision: Precision = "float16"
    passages: bool = False
    passage_words: int = MOST_WORDS

    def needed_encoder(self) -> Encoder:
        """Return the encoder. Raises InputError when there is none."""
        if self.encoder is None:
            raise InputError("this retriever needs a sentence encoder")
        return self.encoder

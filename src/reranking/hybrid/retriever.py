"""Hybrid retrieval from the file of one claim, with cached indexes and vectors; refused pages are left out.

The BM25 index and the vectors of candidate sentences are cached in a folder. A second run on the same store neither
indexes nor encodes again, and gives the same bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from src.errors import OutputError
from src.knowledge_store import ClaimFile
from src.records import ChosenSentence, Document, Sentence
from src.reranking.claim_ranking import Best, RetrievalQuery
from src.reranking.hybrid.own_words import VERSION, cut
from src.reranking.hybrid.passages import SPARE, as_passages
from src.reranking.hybrid.retrieval import Hit, retrieve
from src.reranking.hybrid.settings import Settings
from src.reranking.hybrid.vectors import Encoder, KeptVectors, Precision, VectorCounts
from src.reranking.index_cache import NOT_KEPT, IndexedWords, index_of, kept_path, unusable
from src.reranking.retriever_settings import Refused
from src.vocabulary import numbered

OWN_WORDS = IndexedWords(VERSION, "words", partial(numbered, cut=cut))


@dataclass(frozen=True)
class HybridRetriever:
    """Hybrid retriever.

    `encoder`: sentence encoder.
    `settings`: weights and limits.
    `index_dir`: folder where indexes and vectors are cached; None: no cache.
    `precision`: number format of cached vectors.
    `refused`: returns for each page the reason why it is refused.
    `passage_words`: maximum number of words of a passage; None: return sentences with their neighbors.
    """

    encoder: Encoder
    settings: Settings
    index_dir: Path | None
    precision: Precision
    refused: Refused
    passage_words: int | None = None

    def __call__(self, query: RetrievalQuery, file: ClaimFile, sentences: Sequence[Sentence], k: int) -> Best:
        pages = file.documents
        reasons = self.refused(query.claim.claim_id, file.path, pages)
        index, counts = index_of(file, [sentence.sentence for sentence in sentences], self.index_dir, OWN_WORDS)
        path = kept_path(file, self.index_dir, "vectors") if self.index_dir else None
        vectors = KeptVectors(path, file.sha256, self.encoder, self.precision)
        hits = retrieve(
            query.claim, sentences, index, vectors, k, self.settings,
            allowed=_allowed(pages, reasons), hypothetical=query.hypothetical,
            spare=0 if self.passage_words is None else k * (SPARE - 1),
        )  # fmt: skip
        counts = {**counts, **_refusals(reasons), **_vector_counts(vectors.counts)}
        try:
            vectors.write()
        except OutputError:
            counts[NOT_KEPT] = 1
        if self.passage_words is None:
            return Best(_with_neighbours(hits, sentences, pages), counts)
        return Best(as_passages(hits, pages, k, self.passage_words), counts)


def _allowed(pages: Sequence[Document], reasons: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Return for each sentence True if its page is not refused (shape [N]).

    `reasons`: for each page why it is refused, or "".
    """
    return np.repeat([not reason for reason in reasons], [len(page.url2text) for page in pages]).astype(np.bool_)


def _refusals(reasons: Sequence[str]) -> dict[str, int]:
    """Return the number of refused pages for the manifest; empty if there are none."""
    number = sum(map(bool, reasons))
    return {"refused_pages": number} if number else {}


def _vector_counts(counts: VectorCounts) -> dict[str, int]:
    return {"texts_encoded": counts.encoded, "vectors_recalled": counts.recalled, **unusable(counts.stale)}


def _with_neighbours(hits: Sequence[Hit], sentences: Sequence[Sentence],
                     pages: Sequence[Document]) -> list[ChosenSentence]:  # fmt: skip
    """Return the found sentences, each with the sentence before and the sentence after it on its page."""
    page_of = [number for number, page in enumerate(pages) for _ in page.url2text]

    def neighbour(place: int, beside: int) -> str:
        same = 0 <= beside < len(page_of) and page_of[beside] == page_of[place]
        return sentences[beside].sentence if same else ""

    return [
        ChosenSentence(
            sentences[hit.place].sentence,
            sentences[hit.place].url,
            before=neighbour(hit.place, hit.place - 1),
            after=neighbour(hit.place, hit.place + 1),
            reason=hit.reason,
        )
        for hit in hits
    ]

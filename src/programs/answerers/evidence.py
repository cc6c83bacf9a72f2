"""Evidence sources for the steps of programs: the claim's gold passages, a corpus, its knowledge store, or nothing.

Each source takes a list of calls (a step's function and text) and returns the passages for each of them, best first.
Passages are cut to `LONGEST` words, so that a long page does not fill the trace or a model's context.

Limitations: sources do not judge the passages; that is the task of the answering models.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Annotated, Literal, Protocol

import msgspec

from src.knowledge_store import Store
from src.programs.functions import Call
from src.programs.records import StepEvidence
from src.records import Sentence
from src.reranking.bm25 import BM25
from src.reranking.corpus.corpus import Corpus, CorpusHit
from src.reranking.corpus.lexicon import OWN
from src.reranking.index_cache import index_of
from src.reranking.published_ranking import NLTK_WORDS
from src.settings import Flag
from src.stance.restatement import repetitions
from src.text import words

Passages = tuple[StepEvidence, ...]
Search = Callable[[Sequence[str], int], list[list[CorpusHit]]]
LONGEST = 500  # words of a passage
HELD = 4  # claims whose stores are cached in memory


class CorpusSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of a corpus and of its search."""

    corpus: Annotated[Path | None, Flag("titled paragraphs, for --setting open")] = None
    index_dir: Annotated[
        Path | None, Flag("where indexes are kept (default: of a corpus beside it, of a store nowhere)")
    ] = None
    retriever: Annotated[
        Literal["bm25", "lucene", "hybrid", "linked"],
        Flag(
            "of a corpus: by words; by Lucene's words and formula as Pyserini has them, which the paper used; by words "
            "and vectors; by words, and the pages that the best hits name by their titles"
        ),
    ] = "bm25"


def search_of(settings: CorpusSettings, *, keep: bool) -> Search:
    """Return the search function of the corpus that the settings name.

    If `keep` is False, an index that this call builds is deleted at exit; an existing one stays. Raises InputError when
    the corpus cannot be read, and MissingExtra when a library is not installed.
    """
    assert settings.corpus is not None
    if settings.retriever == "hybrid":
        from src.models.encoder import load_encoder

        return Corpus.open(settings.corpus, settings.index_dir, load_encoder(), keep=keep).hybrid
    lexicon = OWN
    if settings.retriever == "lucene":
        from src.reranking.corpus.lucene import LUCENE

        lexicon = LUCENE
    titles = settings.retriever == "linked"
    corpus = Corpus.open(settings.corpus, settings.index_dir, titles=titles, keep=keep, lexicon=lexicon)
    return corpus.linked if titles else corpus.bm25


class EvidenceSource(Protocol):
    """A source of passages.

    `find` returns the passages for each call, in order. None means that the step is answered without evidence; an empty
    tuple, that no passage was found. It raises StoreError when a claim's store cannot be read.
    """

    def find(self, calls: Sequence[Call]) -> Sequence[Passages | None]: ...


class NoEvidence:
    """Source of the closed-book setting: it returns None for each call, and models answer from what they know."""

    def find(self, calls: Sequence[Call]) -> list[Passages | None]:
        return [None] * len(calls)


class GoldEvidence:
    """Source that returns all gold passages of a claim for each of its steps (section 3.1 of ProgramFC).

    `passages` maps claim_ids to gold passages; a claim that is not among them gets none.
    """

    def __init__(self, passages: Mapping[int, Sequence[Sentence]]) -> None:
        self._passages = {
            claim_id: tuple(StepEvidence(cut(one.sentence), one.url, 1.0) for one in sentences)
            for claim_id, sentences in passages.items()
        }

    def find(self, calls: Sequence[Call]) -> list[Passages]:
        return [self._passages.get(call.claim_id, ()) for call in calls]


class CorpusEvidence:
    """Source that returns the `k` best paragraphs of a corpus for the text of each step."""

    def __init__(self, search: Search, k: int) -> None:
        self._search, self._k = search, k

    def find(self, calls: Sequence[Call]) -> list[Passages]:
        hits = self._search([call.text for call in calls], self._k)
        return [
            tuple(StepEvidence(cut(hit.paragraph.text), hit.paragraph.title, hit.score) for hit in best)
            for best in hits
        ]


class StoreEvidence:
    """Source that returns the `k` best sentences of the claim's knowledge store for the text of each step.

    Sentences are ranked by BM25 as published. Sentences that only repeat the claim are left out; `claims` maps
    claim_ids to claims for this, and by default no sentence is left out. Indexes are kept in `index_dir`, by default
    nowhere.
    """

    def __init__(
        self, store: Store, k: int, index_dir: Path | None = None, claims: Mapping[int, str] | None = None
    ) -> None:
        self._store, self._k, self._index_dir, self._claims = store, k, index_dir, claims or {}
        self._opened = lru_cache(HELD)(self._open)

    def find(self, calls: Sequence[Call]) -> list[Passages]:
        return [self._best(call) for call in calls]

    def _best(self, call: Call) -> Passages:
        index, sentences, repeated = self._opened(call.claim_id)
        query = words(call.text)
        scores, known = index.scores(query), index.holders(query)
        ranked = index.top(query, len(sentences))
        places = [place for place in ranked if known[place] and not repeated[place]][: self._k]
        return tuple(
            StepEvidence(cut(sentences[place].sentence), sentences[place].url, float(scores[place])) for place in places
        )

    def _open(self, claim_id: int) -> tuple[BM25, list[Sentence], list[bool]]:
        file = self._store.file(claim_id)
        sentences = file.sentences()
        index, _ = index_of(file, [one.sentence for one in sentences], self._index_dir, NLTK_WORDS)
        return index, sentences, _repeated(self._claims.get(claim_id, ""), sentences)


class OneStep:
    """Source that retrieves once per claim, with the claim's text as the query, and returns these passages for all its
    steps.

    It is the baseline for retrieval with the text of each step. `claims` maps claim_ids to claims.
    """

    def __init__(self, source: EvidenceSource, claims: Mapping[int, str]) -> None:
        self._source, self._claims = source, claims

    def find(self, calls: Sequence[Call]) -> list[Passages | None]:
        as_claims = [msgspec.structs.replace(call, text=self._claims[call.claim_id]) for call in calls]
        distinct = list({call.claim_id: call for call in as_claims}.values())
        by_claim = {call.claim_id: one for call, one in zip(distinct, self._source.find(distinct), strict=True)}
        return [by_claim[call.claim_id] for call in calls]


class CachedEvidence:
    """Source that calls another source once for each distinct call and caches the passages."""

    def __init__(self, source: EvidenceSource) -> None:
        self._source = source
        self._cached: dict[Call, Passages | None] = {}

    def find(self, calls: Sequence[Call]) -> list[Passages | None]:
        new = [call for call in dict.fromkeys(calls) if call not in self._cached]
        self._cached.update(zip(new, self._source.find(new) if new else [], strict=True))
        return [self._cached[call] for call in calls]


def _repeated(claim: str, sentences: Sequence[Sentence]) -> list[bool]:
    """Return for each sentence True if it only repeats the claim. Sentences of one page must be consecutive."""
    pages = groupby(sentences, key=lambda one: one.url)
    return [is_one for url, page in pages for is_one in repetitions(claim, [one.sentence for one in page], url)]


def cut(text: str) -> str:
    """Return the first `LONGEST` words of a passage."""
    parts = text.split(None, LONGEST)
    return text if len(parts) <= LONGEST else " ".join(parts[:LONGEST])

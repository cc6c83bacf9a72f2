"""How good ten sentences are for a claim, as counts that can be added up over claims."""

from collections.abc import Sequence
from functools import cache

import msgspec

from bench.coverage import answer_words, cover
from bench.retrieval.corpus import Corpus
from bench.retrieval.pools import Pool
from src.canonical_url import page_addresses
from src.evaluation.averitec import Gold, Guess
from src.evaluation.baselines import claim_as_question
from src.records import Claim, QAPair, Sentence


class SentenceCounts(msgspec.Struct, frozen=True):
    """Counts of one claim, each beside the number of which it is a share.

    `together` and `single` of `answers` gold answers are covered (`bench/coverage.py`); `pages` of the
    `gold_pages` in the pool are among the ten; `own` of the `ranked` sentences are the claim's. `meteor`: Q+A METEOR
    with `Is it true that CLAIM?` as the question of every sentence.
    """

    answers: int
    together: int
    single: int
    gold_pages: int
    pages: int
    ranked: int
    own: int
    meteor: float


class Judge:
    """Scorer of retrieved sentences against the gold answers of all claims, with a cache."""

    def __init__(self, corpus: Corpus) -> None:
        self._answers = {claim.claim_id: answer_words(claim) for claim in corpus.claims}
        self._golds = {claim.claim_id: Gold(claim, claim.label) for claim in corpus.claims if claim.label is not None}
        self._own = {claim.claim_id: _texts(corpus, corpus.own(claim.claim_id)) for claim in corpus.claims}
        self._pages = [_page(one.url) for one in corpus.sentences]
        self._gold_pages = {claim.claim_id: _gold_pages(claim) for claim in corpus.claims}
        self._on_gold_pages = self._numbers_on_gold_pages()
        self._meteor = cache(self._computed_meteor)

    def __call__(self, claim_id: int, ten: Sequence[Sentence], pool: Pool) -> SentenceCounts:
        covered = cover(self._answers[claim_id], [one.sentence for one in ten])
        gold_pages = {self._pages[number] for number in pool.shown(claim_id, self._on_gold_pages[claim_id])}
        return SentenceCounts(
            answers=covered.answers,
            together=covered.together,
            single=covered.single,
            gold_pages=len(gold_pages),
            pages=len(gold_pages & {_page(one.url) for one in ten}),
            ranked=len(ten),
            own=sum(one.sentence in self._own[claim_id] for one in ten),
            meteor=self._meteor(claim_id, tuple(one.sentence for one in ten)),
        )

    def _numbers_on_gold_pages(self) -> dict[int, list[int]]:
        numbers: dict[str, list[int]] = {}
        for number, page in enumerate(self._pages):
            if page:
                numbers.setdefault(page, []).append(number)
        return {
            claim_id: [number for page in pages for number in numbers.get(page, [])]
            for claim_id, pages in self._gold_pages.items()
        }

    def _computed_meteor(self, claim_id: int, ten: tuple[str, ...]) -> float:
        guess = Guess(claim_id, None, [QAPair("", text) for text in ten])
        scores = claim_as_question([self._golds[claim_id]], [guess])
        assert scores is not None, "the guess has pairs only"
        return scores[0].question_answer


def _texts(corpus: Corpus, numbers: Sequence[int]) -> frozenset[str]:
    return frozenset(corpus.sentences[number].sentence for number in numbers)


@cache
def _page(url: str) -> str:
    """The page's address without what makes no difference, also to archives; "" where the URL is unknown."""
    addresses = page_addresses(url)
    return str(addresses[-1]) if addresses else ""


def _gold_pages(claim: Claim) -> set[str]:
    answers = [answer for question in claim.questions for answer in question.answers]
    urls = [url for answer in answers for url in (answer.source_url, answer.cached_source_url) if url]
    return {page for url in urls if (page := _page(url))}

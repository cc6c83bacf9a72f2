"""A searchable pool of the gold question-answer pairs of many claims, and the negatives of a reranker.

There are two kinds of negatives for each gold pair:

    published  random: the claim, the question or the answer is replaced by another claim's (the official recipe)
    hard       in turn: a sentence that a system retrieved for the claim from the web; gold evidence of the most
               similar claims; gold evidence of other claims that a search with the claim finds. None has an answer
               that resembles a gold answer of the claim

Limitations: answers resemble each other if they share words. A paraphrase of a gold answer may therefore be a negative,
although it is evidence. Negatives are drawn once, and are the same in every epoch.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, islice, zip_longest
from typing import NamedTuple

from src.records import Answer, AnswerType, Claim
from src.reranking.bm25 import BM25
from src.text import numbered_words, same, stop_words, words
from src.training.retrieved import Pairs
from src.training.split import evenly

LIKE = 0.5  # answers are alike if they share at least this part of the shorter one's words

SEARCHED = 20  # claims or pairs that are searched for each claim


class Triple(NamedTuple):
    """Input of a reranker: a claim with a question-answer pair.

    `gold` is True if the pair is annotated evidence for the claim.
    """

    claim: str
    question: str
    answer: str
    gold: bool = False


@dataclass(frozen=True)
class EvidencePool:
    """Searchable pool of the gold question-answer pairs of many claims, in order."""

    claims: Sequence[Claim]

    @cached_property
    def own(self) -> list[list[Triple]]:
        """Return a list for each claim: its gold pairs."""
        return [list(_gold_pairs(claim)) for claim in self.claims]

    @cached_property
    def pairs(self) -> list[Triple]:
        """Return the gold pairs of all claims, in order."""
        return [pair for own in self.own for pair in own]

    def neighbours(self, place: int, most: int) -> Iterable[Triple]:
        """Yield the gold pairs of the claims most similar to the claim at index `place`, most similar first."""
        claim = self.claims[place].claim
        for other in self._claims_index.top(words(claim), most + 1):
            if same(self.claims[other].claim) != same(claim):
                yield from self.own[other]

    def matches(self, place: int, most: int) -> Iterable[Triple]:
        """Yield the gold pairs of other claims that a search with the claim at index `place` finds, best first."""
        claim = self.claims[place].claim
        for other in self._pairs_index.top(words(claim), most + len(self.own[place])):
            if same(self.pairs[other].claim) != same(claim):
                yield self.pairs[other]

    @cached_property
    def _claims_index(self) -> BM25:
        return BM25.of(numbered_words([claim.claim for claim in self.claims]))

    @cached_property
    def _pairs_index(self) -> BM25:
        return BM25.of(numbered_words([f"{pair.question} {pair.answer}" for pair in self.pairs]))


def unlike(answers: Iterable[Triple], own: Sequence[Triple]) -> list[Triple]:
    """Return the pairs of `answers` whose answers resemble no answer of a claim's gold pairs `own`.

    Of pairs with the same answer, only the last is returned, at the position of the first.
    """
    gold = [_content(pair.answer) for pair in own]
    distinct = {same(pair.answer): pair for pair in answers}
    return [pair for pair in distinct.values() if not any(_alike(_content(pair.answer), words) for words in gold)]


def _alike(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Return True if two answers, given as their content words, share a part LIKE of the shorter one's words."""
    shorter = min(len(ours), len(theirs))
    return shorter == 0 or len(ours & theirs) >= LIKE * shorter


@cache
def _content(text: str) -> frozenset[str]:
    lowered = {word for word in words(text.lower()) if any(map(str.isalnum, word))}
    return frozenset(lowered - stop_words()) or frozenset(lowered)


def _gold_pairs(claim: Claim) -> Iterable[Triple]:
    for question in claim.questions:
        for answer in question.answers:
            text = _published_answer(answer)
            if text and question.question.strip():
                yield Triple(claim.claim, question.question, text, gold=True)


def _published_answer(answer: Answer) -> str:
    """Return an answer's text as in the published recipe: a Boolean answer is followed by its explanation.

    Returns "" if the question is unanswerable.
    """
    if answer.answer_type is AnswerType.UNANSWERABLE:
        return ""
    if answer.answer_type is AnswerType.BOOLEAN and answer.boolean_explanation:
        return f"{answer.answer}. {answer.boolean_explanation}"
    return answer.answer.strip()


def random_negatives(pool: EvidencePool, each: int, seed: int) -> list[Triple]:
    """Return random negatives for each gold pair.

    These are `each` with the claim of another pair, `each` with its question, and `each` with its answer.
    """
    draw = random.Random(seed)
    negatives = []
    for pair in pool.pairs:
        for _ in range(each):
            others = [_other(pool.pairs, pair.claim, draw) for _ in range(3)]
            negatives.append(Triple(others[0].claim, pair.question, pair.answer))
            negatives.append(Triple(pair.claim, others[1].question, pair.answer))
            negatives.append(Triple(pair.claim, pair.question, others[2].answer))
    return negatives


def hard_negatives(pool: EvidencePool, retrieved: Mapping[int, Pairs], each: int) -> list[Triple]:
    """Return at most `each` hard negatives for each gold pair.

    `retrieved` has each claim's retrieved pairs, by claim_id.
    """
    negatives = []
    for place, claim in enumerate(pool.claims):
        own = pool.own[place]
        kinds = [
            from_web(claim.claim, retrieved.get(claim.claim_id, [])),
            list(islice(pool.neighbours(place, SEARCHED), SEARCHED)),
            list(pool.matches(place, SEARCHED)),
        ]
        turns = (pair for pair in chain(*zip_longest(*kinds)) if pair is not None)
        chosen = unlike(turns, own)[: each * len(own)]
        negatives += [Triple(claim.claim, pair.question, pair.answer) for pair in chosen]
    return negatives


def from_web(claim: str, pairs: Pairs) -> list[Triple]:
    """Return a claim's retrieved pairs as triples."""
    return [Triple(claim, question, sentence) for question, sentence in pairs]


def candidates(pool: EvidencePool, retrieved: Mapping[int, Pairs], place: int, most: int) -> list[Triple]:
    """Return the pairs that a reranker ranks for the held-out claim at index `place`.

    These are negatives, followed by all gold pairs of the claim; about `most` in all. The gold pairs are last, so that
    equal scores do not count in their favor.
    """
    claim, own = pool.claims[place], pool.own[place]
    others: Iterable[Triple] = chain(
        from_web(claim.claim, retrieved.get(claim.claim_id, [])), pool.matches(place, len(pool.pairs))
    )
    chosen = unlike(others, own)[: max(0, most - len(own))]
    return [*(Triple(claim.claim, pair.question, pair.answer) for pair in chosen), *own]


def held_out_candidates(
    held_out: EvidencePool, retrieved: Mapping[int, Pairs], most: int, claims: int
) -> list[list[Triple]]:
    """Return the candidate pairs of up to `claims` held-out claims that have gold pairs, one list per claim."""
    places = [place for place, own in enumerate(held_out.own) if own]
    return [candidates(held_out, retrieved, place, most) for place in evenly(places, claims)]


def _other(pairs: Sequence[Triple], claim: str, draw: random.Random) -> Triple:
    """Return a random pair of another claim, or the first pair if 100 draws find none."""
    tries = (pairs[draw.randrange(len(pairs))] for _ in range(100))
    return next((pair for pair in tries if pair.claim != claim), pairs[0])

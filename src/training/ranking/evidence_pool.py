"""A searchable pool of the gold question-answer pairs of many claims, for evidence and for negatives that resemble it.

Limitations: the similarity of answers is measured by shared words. A pair that says the same in other words counts as
unlike, so a few negatives are in fact evidence.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

from src.records import Answer, AnswerType, Claim
from src.reranking.bm25 import BM25
from src.text import numbered_words, same, stop_words, words

LIKE = 0.5  # answers are alike if they share at least this part of the shorter one's words


class Triple(NamedTuple):
    """An input of a reranker. `gold` is True if the pair was annotated as evidence for the claim."""

    claim: str
    question: str
    answer: str
    gold: bool = False


@dataclass(frozen=True)
class EvidencePool:
    """All gold pairs of some claims, in order."""

    claims: Sequence[Claim]

    @cached_property
    def own(self) -> list[list[Triple]]:
        """Return the gold pairs of each claim."""
        return [list(_gold_pairs(claim)) for claim in self.claims]

    @cached_property
    def pairs(self) -> list[Triple]:
        return [pair for own in self.own for pair in own]

    def neighbours(self, place: int, most: int) -> Iterable[Triple]:
        """Yield the pairs of the claims most similar to the claim at index `place`, most similar first."""
        claim = self.claims[place].claim
        for other in self._claims_index.top(words(claim), most + 1):
            if same(self.claims[other].claim) != same(claim):
                yield from self.own[other]

    def found(self, place: int, most: int) -> Iterable[Triple]:
        """Yield the pairs of other claims that a search for the claim at index `place` finds, best first."""
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
    """Return the distinct pairs whose answer is unlike all answers of `own`."""
    gold = [_content(pair.answer) for pair in own]
    distinct = {same(pair.answer): pair for pair in answers}
    return [pair for pair in distinct.values() if not any(_alike(_content(pair.answer), words) for words in gold)]


def _alike(ours: frozenset[str], theirs: frozenset[str]) -> bool:
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
    """Return the answer as in the published recipe: a Boolean answer with its explanation after a full stop.

    Return "" if the question is unanswerable.
    """
    if answer.answer_type is AnswerType.UNANSWERABLE:
        return ""
    if answer.answer_type is AnswerType.BOOLEAN and answer.boolean_explanation:
        return f"{answer.answer}. {answer.boolean_explanation}"
    return answer.answer.strip()

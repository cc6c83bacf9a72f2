"""Evidence of claims: a reranker scores the candidate pairs of each claim, and the best pairs are selected.

The best score comes first; of equal scores, the earlier candidate. An answer that repeats an earlier choice is skipped,
whatever its question, white space or letter case. A sentence thus has only its best question. Answers without text are
skipped too.

Limitations: near-duplicates that differ in one word are not skipped.
"""

import math
from collections.abc import Sequence
from typing import Protocol

from src.errors import ModelError
from src.records import CandidateQA, CandidateQuestions, Evidence, QAPair
from src.runner.outcome import Outcome
from src.text import folded


def best_pairs(
    pairs: Sequence[CandidateQA], scores: Sequence[float], top_n: int, *, keep_duplicates: bool = False
) -> list[CandidateQA]:
    """Return at most `top_n` pairs, best first; `scores` has the score of each pair.

    With `keep_duplicates`, repeated and empty answers are not skipped. Raises ModelError when a score is not a finite
    number.
    """
    if not all(map(math.isfinite, scores)):
        raise ModelError("the reranker gave a score that is not a number")
    order = sorted(range(len(pairs)), key=lambda place: (-scores[place], place))
    if not keep_duplicates:
        order = _first_of_each([folded(pair.answer) for pair in pairs], order)
    return [pairs[place] for place in order[:top_n]]


def _first_of_each(answers: Sequence[str], order: Sequence[int]) -> list[int]:
    """Return the pair indexes in `order`, without pairs whose answer is empty or equals an earlier one in `order`."""
    first: dict[str, int] = {}
    for place in order:
        first.setdefault(answers[place], place)
    return [place for answer, place in first.items() if answer]


class Scorer(Protocol):
    """Reranker: returns for each claim one score per candidate pair, in order."""

    def scores(self, claims: Sequence[CandidateQuestions]) -> list[list[float]]: ...


def rerank(
    reranker: Scorer, top_n: int, keep_duplicates: bool, claims: Sequence[CandidateQuestions]
) -> list[Outcome[Evidence]]:
    """Return the evidence of each claim: its best pairs; empty for a claim without candidates.

    Raises ModelError when scoring fails.
    """
    outcomes = []
    for claim, scores in zip(claims, reranker.scores(claims), strict=True):
        best = best_pairs(claim.bm25_qau, scores, top_n, keep_duplicates=keep_duplicates)
        evidence = [QAPair(pair.question, pair.answer, pair.url) for pair in best]
        counts = {"pairs": len(claim.bm25_qau), "no_evidence": int(not best)}
        outcomes.append(Outcome(Evidence(claim.claim_id, claim.claim, evidence, claim.speaker), counts))
    return outcomes

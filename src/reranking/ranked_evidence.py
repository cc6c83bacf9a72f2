"""Evidence of claims: a model scores their candidate pairs, and the best pairs are kept."""

from collections.abc import Sequence
from typing import Protocol

from src.records import CandidateQuestions, Evidence, QAPair
from src.reranking.best_pairs import best_pairs
from src.runner.outcome import Outcome


class Scorer(Protocol):
    """Reranker: returns one list per claim, with one score per candidate, in order."""

    def scores(self, claims: Sequence[CandidateQuestions]) -> list[list[float]]: ...


def rerank(
    reranker: Scorer, top_n: int, keep_duplicates: bool, claims: Sequence[CandidateQuestions]
) -> list[Outcome[Evidence]]:
    """Return the evidence of some claims; none for a claim without candidates. Raises ModelError when scoring fails."""
    outcomes = []
    for claim, scores in zip(claims, reranker.scores(claims), strict=True):
        best = best_pairs(claim.bm25_qau, scores, top_n, keep_duplicates=keep_duplicates)
        evidence = [QAPair(pair.question, pair.answer, pair.url) for pair in best]
        counts = {"pairs": len(claim.bm25_qau), "no_evidence": int(not best)}
        outcomes.append(Outcome(Evidence(claim.claim_id, claim.claim, evidence, claim.speaker), counts))
    return outcomes

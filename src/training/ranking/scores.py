"""The scores of a reranker that ranks the gold pairs of a claim among its candidates.

MRR        mean over claims of 1 / rank of the best gold pair
recall@3   mean over claims of (gold pairs among the first three) / (3, or the number of gold pairs if it is lower)

Equal scores are ranked in the order of the candidates, in which gold is last.
"""

import random
from collections.abc import Sequence
from statistics import mean

from src.llm.weights import MINILM, is_there
from src.models.reranker import load_reranker
from src.records import CandidateQA, CandidateQuestions
from src.training.ranking.evidence_pool import Triple
from src.training.task import Scores

PLACES = 3


def ranking_scores(claims: Sequence[Sequence[Triple]], scores: Sequence[Sequence[float]]) -> Scores:
    """Return MRR and recall for the candidates of each claim, and their scores in the same order."""
    ranks = [_gold_ranks(candidates, of_claim) for candidates, of_claim in zip(claims, scores, strict=True)]
    return {
        "MRR": mean(1 / (1 + min(own)) for own in ranks),
        f"recall@{PLACES}": mean(sum(rank < PLACES for rank in own) / min(PLACES, len(own)) for own in ranks),
    }


def floors(claims: Sequence[Sequence[Triple]]) -> Scores:
    """Return the scores of the baselines: chance, and the cosine between the claim and "question answer".

    The cosine is left out if the bundled encoder is not installed.
    """
    draw = random.Random(0)
    known = {"chance": [[draw.random() for _ in candidates] for candidates in claims]}
    if is_there(MINILM):
        known["cosine"] = load_reranker(None).scores([_as_published(candidates) for candidates in claims])
    found = {name: ranking_scores(claims, scores) for name, scores in known.items()}
    return {f"{name}: {score}": value for name, scores in found.items() for score, value in scores.items()}


def _gold_ranks(candidates: Sequence[Triple], scores: Sequence[float]) -> list[int]:
    order = sorted(range(len(candidates)), key=lambda place: -scores[place])
    return [rank for rank, place in enumerate(order) if candidates[place].gold]


def _as_published(candidates: Sequence[Triple]) -> CandidateQuestions:
    pairs = [CandidateQA(pair.question, pair.answer, "") for pair in candidates]
    return CandidateQuestions(0, candidates[0].claim, pairs)

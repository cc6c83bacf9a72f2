"""The inputs of a reranker in training, the weights of its examples, and its ranking of held-out candidates."""

from collections.abc import Sequence
from typing import Any

from src.models.evidence_rows import Input, RowMaker
from src.models.reranker import joined
from src.records import CandidateQA
from src.training.classifier import all_logits
from src.training.ranking.evidence_pool import Triple
from src.training.ranking.scores import ranking_scores
from src.training.task import Scores


def laid_out(triple: Triple, *, published: bool) -> Input:
    """Return the input of a triple. The published text joins claim, question and answer by `</s>`."""
    if published:
        return joined(triple.claim, CandidateQA(triple.question, triple.answer, ""))
    return triple.claim, [(triple.question, triple.answer)]


def both_alike(labels: Sequence[int]) -> list[float]:
    """Return weights with the same total for evidence and for negatives, and a mean of 1.

    The published loss is the sum of the losses of both.
    """
    gold = sum(labels)
    each = {1: len(labels) / (2 * gold), 0: len(labels) / (2 * max(1, len(labels) - gold))}
    return [each[label] for label in labels]


def rank(model: Any, maker: RowMaker, claims: Sequence[Sequence[Triple]], *, published: bool) -> Scores:
    """Return MRR and recall of the gold pairs of held-out claims."""
    rows = maker.rows([laid_out(triple, published=published) for candidates in claims for triple in candidates])
    found = all_logits(model, rows)
    odds = iter((found[:, 1] - found[:, 0]).tolist())
    return ranking_scores(claims, [[next(odds) for _ in candidates] for candidates in claims])

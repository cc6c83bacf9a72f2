"""Scores how well a question-answer pair serves as evidence for a claim: higher is better.

Two models. The published one, `bert_dual_encoder.ckpt`, is called a dual encoder and is in truth a cross-encoder: one
BERT reads claim, question and answer as one text, and the score is its probability of class 1. The default one is the
cosine between the sentence embeddings of the claim and of "question answer" (all-MiniLM-L6-v2).

But: choosing among the scored pairs is `src/reranking/best_pairs.py`.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import Protocol

from src.llm.protocol import ModelInfo
from src.models.bert import BertClassifier, load_bert
from src.models.encoder import load_encoder
from src.models.sentence_encoder import SentenceEncoder
from src.records import CandidateQA, CandidateQuestions

SEPARATOR = " </s> "  # plain text for BERT, which has no such token
MAX_LENGTH = 512


class Reranker(Protocol):
    """`scores` gives one list for each claim, with one score for each of its candidates, in their order.

    Equal texts of one call get equal scores.
    """

    @property
    def info(self) -> ModelInfo: ...

    def scores(self, claims: Sequence[CandidateQuestions]) -> list[list[float]]: ...


def load_reranker(checkpoint: Path | None, *, bf16: bool = False) -> Reranker:
    """The published model from a .ckpt or a folder, or the default one. Raises InputError, MissingExtra."""
    if checkpoint is None:
        return CosineReranker(load_encoder())
    return CrossEncoder(load_bert(checkpoint, num_labels=2, max_length=MAX_LENGTH, bf16=bf16))


class CrossEncoder:
    """The published reranker."""

    def __init__(self, bert: BertClassifier) -> None:
        self._bert = bert
        self.info = bert.info

    def scores(self, claims: Sequence[CandidateQuestions]) -> list[list[float]]:
        texts = [[joined(claim.claim, pair) for pair in claim.bm25_qau] for claim in claims]
        distinct = _numbered(text for of_claim in texts for text in of_claim)
        probabilities = self._bert.logits(list(distinct)).softmax(-1)[:, 1].tolist()
        return [[probabilities[distinct[text]] for text in of_claim] for of_claim in texts]


def joined(claim: str, pair: CandidateQA) -> str:
    """The one segment that the published model was trained on: `claim </s> question </s> answer`."""
    return SEPARATOR.join((claim.strip(), pair.question.strip(), pair.answer.strip()))


class CosineReranker:
    """Cosine of sentence vectors. Scores lie in -1 to 1."""

    def __init__(self, encoder: SentenceEncoder) -> None:
        self._encoder = encoder
        self.info = encoder.info

    def scores(self, claims: Sequence[CandidateQuestions]) -> list[list[float]]:
        texts = [[f"{pair.question.strip()} {pair.answer.strip()}" for pair in claim.bm25_qau] for claim in claims]
        vectors = self._encoder.encode([*(claim.claim.strip() for claim in claims), *chain.from_iterable(texts)])
        ends = list(accumulate(map(len, texts), initial=len(claims)))
        # Row by row: in a matrix product the rounding of a row depends on its place.
        return [
            (vectors[first:last] * vectors[place]).sum(1).tolist() for place, (first, last) in enumerate(pairwise(ends))
        ]


def _numbered(texts: Iterable[str]) -> dict[str, int]:
    """Each distinct text with its number, in order of first appearance."""
    return {text: number for number, text in enumerate(dict.fromkeys(texts))}

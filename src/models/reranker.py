"""Scores how well a question-answer pair serves as evidence for a claim: higher is better.

Two models. The published one, `bert_dual_encoder.ckpt`, is called a dual encoder and is in truth a cross-encoder: one
BERT reads claim, question and answer as one text, and the score is its probability of class 1. The default one is the
cosine between the sentence embeddings of the claim and of "question answer" (all-MiniLM-L6-v2).

But: choosing among the scored pairs is `src/reranking/best_pairs.py`.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from src.llm.extras import require
from src.llm.protocol import ModelInfo
from src.llm.weights import MINILM, PRETRAINED, hash_of
from src.models.bert import BertClassifier, load_bert
from src.records import CandidateQA, CandidateQuestions

SEPARATOR = " </s> "  # plain text for BERT, which has no such token
MAX_LENGTH = 512
ENCODE_ROWS = 32


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
        return CosineReranker(PRETRAINED / MINILM.folder)
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
    """Cosine of sentence embeddings, from a folder that sentence-transformers loads. Scores lie in -1 to 1.

    Raises MissingExtra when the model or the package is not installed.
    """

    def __init__(self, folder: Path) -> None:
        if not (folder / "modules.json").is_file():
            raise MINILM.missing()
        require("sentence_transformers", "the default reranker")
        self._model = _sentence_encoder(folder)
        device = self._model.device.type
        self.info = ModelInfo(
            spec=str(folder),
            engine="sentence-transformers",
            name=folder.name,
            sha256=hash_of(folder),
            context=self._model.max_seq_length,
            deterministic=device == "cpu",
            details={"dtype": "float32", "device": device},
        )

    def scores(self, claims: Sequence[CandidateQuestions]) -> list[list[float]]:
        texts = [[f"{pair.question.strip()} {pair.answer.strip()}" for pair in claim.bm25_qau] for claim in claims]
        distinct = _numbered([*(claim.claim.strip() for claim in claims), *(text for own in texts for text in own)])
        if not distinct:
            return []
        vectors = self._model.encode(
            list(distinct),
            batch_size=ENCODE_ROWS,
            show_progress_bar=False,
            convert_to_tensor=True,
            normalize_embeddings=True,
        )
        places = [[distinct[text] for text in own] for own in texts]
        of_claims = [distinct[claim.claim.strip()] for claim in claims]
        return [_cosines(vectors, claim, own) for claim, own in zip(of_claims, places, strict=True)]


def _cosines(vectors: Any, claim: int, others: Sequence[int]) -> list[float]:
    """Each other row's product with the claim's row. Rows named twice are multiplied once: where a row stands in a
    matrix changes the rounding of its product."""
    distinct = list(dict.fromkeys(others))
    found = dict(zip(distinct, (vectors[distinct] @ vectors[claim]).tolist(), strict=True))
    return [found[place] for place in others]


def _numbered(texts: Iterable[str]) -> dict[str, int]:
    """Each distinct text with its number, in order of first appearance."""
    return {text: number for number, text in enumerate(dict.fromkeys(texts))}


def _sentence_encoder(folder: Path) -> Any:
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    return SentenceTransformer(str(folder), local_files_only=True).eval()

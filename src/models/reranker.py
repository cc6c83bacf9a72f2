"""Rerankers: models that score how well a question-answer pair serves as evidence for a claim. Higher is better.

`RERANKERS` has three by name. The published one, `bert_dual_encoder.ckpt`, is called a dual encoder but is a
cross-encoder: one BERT reads claim, question and answer as one text, and the score is its probability of class 1. The
one trained by this project is a small cross-encoder on the bundled all-MiniLM-L6-v2. The third is the cosine between
the sentence embeddings of the claim and of "question answer".

Limitations: the choice among the scored pairs is made in `src/reranking/ranked_evidence.py`.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import Protocol, TypeVar

from src.errors import InputError
from src.llm.protocol import ModelInfo
from src.models.bert import existing_model, load_bert
from src.models.encoder import SentenceEncoder, load_encoder
from src.models.evidence_rows import PUBLISHED_TEXT
from src.models.trained import TRAINED, is_trained
from src.models.trained_classifier import TrainedClassifier, load_trained
from src.models.veracity import TextClassifier
from src.records import CandidateQA, CandidateQuestions

SEPARATOR = " </s> "  # plain text: BERT has no such token
MAX_LENGTH = 512
TASK = "reranker"

Text = TypeVar("Text", str, tuple[str, str, str])


class Reranker(Protocol):
    """A reranker. `scores` returns a list for each claim: the scores of its candidate pairs, in their order.

    Equal texts of one call get equal scores.
    """

    @property
    def info(self) -> ModelInfo: ...

    def scores(self, claims: Sequence[CandidateQuestions]) -> list[list[float]]: ...


def load_reranker(source: Path | None, dtype: str | None = None, device: str | None = None) -> Reranker:
    """Load a reranker: the published model from a .ckpt or folder, a trained one from its folder, or the cosine (None).

    The default `dtype` is float32 for the published model; for a trained one it is bfloat16 where the device computes
    in it. The default `device` is a GPU if there is one. The cosine ignores both.

    Raises InputError when the source is damaged or of another task, MissingExtra when a package or base is missing.
    """
    if source is None:
        return CosineReranker(load_encoder())
    if is_trained(source):
        classifier = load_trained(source, TASK, dtype, device)
        if len(classifier.trained.labels) != 2:
            raise InputError("not two classes, evidence the second", path=source / TRAINED, field="labels")
        published = classifier.trained.layout == PUBLISHED_TEXT
        return CrossEncoder(classifier) if published else TrainedReranker(classifier)
    return CrossEncoder(load_bert(source, num_labels=2, max_length=MAX_LENGTH, dtype=dtype, device=device))


class CrossEncoder:
    """The published reranker, or one trained here with the published recipe."""

    def __init__(self, classifier: TextClassifier) -> None:
        self._classifier = classifier
        self.info = classifier.info

    def scores(self, claims: Sequence[CandidateQuestions]) -> list[list[float]]:
        texts = [[joined(claim.claim, pair) for pair in claim.bm25_qau] for claim in claims]
        distinct = _numbered(text for of_claim in texts for text in of_claim)
        probabilities = self._classifier.logits(list(distinct)).softmax(-1)[:, 1].tolist()
        return [[probabilities[distinct[text]] for text in of_claim] for of_claim in texts]


def joined(claim: str, pair: CandidateQA) -> str:
    """Join a claim and a question-answer pair in the published format: `claim </s> question </s> answer`."""
    return SEPARATOR.join((claim.strip(), pair.question.strip(), pair.answer.strip()))


class TrainedReranker:
    """Reranker that was trained here. Its score is the log-odds of the second class, "evidence".

    Unlike a probability, log-odds do not saturate.
    """

    def __init__(self, classifier: TrainedClassifier) -> None:
        self._classifier = classifier
        self.info = classifier.info

    def scores(self, claims: Sequence[CandidateQuestions]) -> list[list[float]]:
        inputs = [[(claim.claim, pair.question, pair.answer) for pair in claim.bm25_qau] for claim in claims]
        distinct = _numbered(triple for of_claim in inputs for triple in of_claim)
        logits = self._classifier.logits([(claim, [(question, answer)]) for claim, question, answer in distinct])
        scores = (logits[:, 1] - logits[:, 0]).tolist()
        return [[scores[distinct[triple]] for triple in of_claim] for of_claim in inputs]


class CosineReranker:
    """Reranker by the cosine between sentence vectors of the claim and of the pair. Scores are from -1 to 1."""

    def __init__(self, encoder: SentenceEncoder) -> None:
        self._encoder = encoder
        self.info = encoder.info

    def scores(self, claims: Sequence[CandidateQuestions]) -> list[list[float]]:
        texts = [[f"{pair.question.strip()} {pair.answer.strip()}" for pair in claim.bm25_qau] for claim in claims]
        vectors = self._encoder.encode([*(claim.claim.strip() for claim in claims), *chain.from_iterable(texts)])
        ends = list(accumulate(map(len, texts), initial=len(claims)))
        # Row by row: in a matrix product the rounding of a row depends on its place.
        return [
            (vectors[first:last] * vectors[index]).sum(1).tolist() for index, (first, last) in enumerate(pairwise(ends))
        ]


def _numbered(texts: Iterable[Text]) -> dict[Text, int]:
    """Number the distinct texts from 0, in order of first appearance."""
    return {text: number for number, text in enumerate(dict.fromkeys(texts))}


PUBLISHED = Path("pretrained_models/bert_dual_encoder.ckpt")
OURS = Path("pretrained_models/adapters/reranker")
NONE = "none"
RERANKERS: dict[str, Path | None] = {"trained": OURS, "published": PUBLISHED, NONE: None}
"""The rerankers by the names that `--reranker` takes, besides any checkpoint or folder; None is the cosine."""

RERANKER_HELP = (
    f"{', '.join(RERANKERS)} ({NONE}: the cosine of all-MiniLM-L6-v2), or a published .ckpt, converted folder or "
    f"trained folder (default: the first that is there of {PUBLISHED}, {OURS} and {NONE})"
)


def chosen_reranker(choice: str | Path | None) -> tuple[Path | None, list[str]]:
    """Return the checkpoint or folder of the chosen reranker, and notes for the user.

    A reranker of None ranks by the cosine of sentence embeddings. `choice` is a name in `RERANKERS` or a path; None
    chooses the published reranker if it is installed, else the trained one, else the cosine.
    Raises InputError when `choice` is neither a name nor a path, or its file does not exist.
    """
    if choice is not None:
        source = RERANKERS.get(str(choice), Path(choice))
        return source and existing_model("reranker", source, str(choice), RERANKERS), []
    if PUBLISHED.is_file():
        return PUBLISHED, [f"ranked by {PUBLISHED}, which is there; --reranker names another model"]
    if is_trained(OURS):
        return OURS, []
    return None, [f"{OURS} is not there, so that the cosine of all-MiniLM-L6-v2 ranks"]


def keeps_duplicates(checkpoint: Path | None) -> bool:
    """Return True if repeated answers are not removed by default: only with the published checkpoint, as published."""
    return checkpoint is not None and not is_trained(checkpoint)

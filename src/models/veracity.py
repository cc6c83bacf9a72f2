"""The interface of verdict models, and the published BERT with its rule.

The published model, `bert_veracity.ckpt`, puts each question-answer pair alone into one of four classes: the stance of
the pair toward the claim. `aggregate` makes one verdict of them. The model was never trained on class 3, conflicting
evidence.

Limitations: models get no claims without evidence. Our own model is in `src/models/joint_veracity.py`, language models
are in `src/models/llm_veracity.py`.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import msgspec

from src.errors import ModelError
from src.llm.protocol import ModelInfo
from src.records import VERDICTS, Evidence, Level, OverruledBy, QAPair, Side, Verdict

if TYPE_CHECKING:
    from torch import Tensor

MAX_LENGTH = 400


class Judgement(msgspec.Struct, frozen=True):
    """A verdict, its probabilities where the model gives them, and counts for the manifest.

    `level` and `verdict_set` say how reliable the verdict is; None where the model does not know. `reasoning` is the
    text that the model wrote before its verdict, or "". `overruled_by` says why the verdict is not the most probable
    one. `sides` is the stance of each of the first pieces of evidence, where the model gives it.
    """

    verdict: Verdict
    probabilities: dict[Verdict, float] | None = None
    counts: Mapping[str, int] = {}
    level: Level | None = None
    verdict_set: list[Verdict] | None = None
    reasoning: str = ""
    overruled_by: OverruledBy | None = None
    sides: list[Side] | None = None


class VerdictModel(Protocol):
    """A verdict model. `judge` returns a judgement of each claim, in their order, and raises ModelError when the model
    fails. All claims have evidence."""

    @property
    def info(self) -> ModelInfo: ...

    def judge(self, claims: Sequence[Evidence]) -> list[Judgement]: ...


class TextClassifier(Protocol):
    """A classifier of texts. `logits` returns float32 [texts, classes] on the CPU, in the order of the texts."""

    @property
    def info(self) -> ModelInfo: ...

    def logits(self, texts: Sequence[str], /) -> "Tensor": ...


class StanceClassifier:
    """The published verdict model, or one trained here with the published recipe."""

    def __init__(self, classifier: TextClassifier) -> None:
        self._classifier = classifier
        self.info = classifier.info

    def judge(self, claims: Sequence[Evidence]) -> list[Judgement]:
        texts = [joined(claim.claim, pair) for claim in claims for pair in claim.evidence]
        classes = iter(finite(self._classifier.logits(texts)).argmax(-1).tolist())
        return [_judgement([VERDICTS[next(classes)] for _ in claim.evidence]) for claim in claims]


def finite(scores: "Tensor") -> "Tensor":
    """Return the scores unchanged. Raises ModelError when one is not finite: no verdict may be based on it."""
    if not bool(scores.isfinite().all()):
        raise ModelError("the verdict model gave a score that is not a number")
    return scores


def joined(claim: str, pair: QAPair) -> str:
    """Return the text in the format that the published model was trained on. The brackets are plain text."""
    return f"[CLAIM] {claim.strip()} [QUESTION] {pair.question.strip()} {pair.answer.strip()}"


def aggregate(stances: Sequence[Verdict]) -> Verdict:
    """Return the verdict by the published rule.

    All pairs for the claim: Supported. All against it: Refuted. Some of both: Conflicting Evidence/Cherrypicking. Any
    pair that is neither, or no pair: Not Enough Evidence.
    """
    found = set(stances)
    if not found or found - {Verdict.SUPPORTED, Verdict.REFUTED}:
        return Verdict.NOT_ENOUGH_EVIDENCE
    return found.pop() if len(found) == 1 else Verdict.CONFLICTING


def probabilities(scores: Sequence[float]) -> dict[Verdict, float]:
    """Return the softmax of log-probabilities [verdicts], in the order of the labels, rounded for files."""
    peak = max(scores)
    weights = [math.exp(score - peak) for score in scores]
    return {verdict: round(weight / sum(weights), 6) for verdict, weight in zip(VERDICTS, weights, strict=True)}


def _judgement(stances: Sequence[Verdict]) -> Judgement:
    return Judgement(aggregate(stances), counts={"texts": len(stances)})

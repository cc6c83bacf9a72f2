"""The verdict on a claim from its evidence: the published BERT with its rule; the seam that other models share.

The published model, `bert_veracity.ckpt`, puts each question-answer pair alone into one of four classes, which say what
that pair does to the claim; `aggregate` joins them. It was never trained on class 3, conflicting evidence.

But: our own model is `src/models/joint_veracity.py`, language models are `src/models/llm_veracity.py`; a claim without
evidence is not a model's business.
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
    """A verdict, its probabilities where the model gives them, and what the manifest counts.

    `level` and `verdict_set` say how far the verdict may be relied on; None where the model cannot tell. `reasoning` is
    what the model wrote before its verdict, "" where it writes nothing. `overruled_by` says why the verdict is not the
    most probable one. `sides` says what each of the first pieces of evidence does to the claim, where the model tells.
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
    """`judge` answers claims that have evidence, in order. Raises ModelError."""

    @property
    def info(self) -> ModelInfo: ...

    def judge(self, claims: Sequence[Evidence]) -> list[Judgement]: ...


class TextClassifier(Protocol):
    """`logits` gives float32 [texts, classes] on the CPU, in the order asked."""

    @property
    def info(self) -> ModelInfo: ...

    def logits(self, texts: Sequence[str], /) -> "Tensor": ...


class StanceClassifier:
    """The published verdict model, or one that was trained here by its recipe."""

    def __init__(self, classifier: TextClassifier) -> None:
        self._classifier = classifier
        self.info = classifier.info

    def judge(self, claims: Sequence[Evidence]) -> list[Judgement]:
        texts = [joined(claim.claim, pair) for claim in claims for pair in claim.evidence]
        classes = iter(finite(self._classifier.logits(texts)).argmax(-1).tolist())
        return [_judgement([VERDICTS[next(classes)] for _ in claim.evidence]) for claim in claims]


def finite(scores: "Tensor") -> "Tensor":
    """These. Raises ModelError where one is no number, so that no verdict is made of it."""
    if not bool(scores.isfinite().all()):
        raise ModelError("the verdict model gave a score that is not a number")
    return scores


def joined(claim: str, pair: QAPair) -> str:
    """The text that the published model was trained on; the brackets are plain text."""
    return f"[CLAIM] {claim.strip()} [QUESTION] {pair.question.strip()} {pair.answer.strip()}"


def aggregate(stances: Sequence[Verdict]) -> Verdict:
    """The published rule. One pair that is neither for nor against the claim, or none at all: Not Enough Evidence; all
    for it: Supported; all against it: Refuted; some of both: Conflicting Evidence/Cherrypicking."""
    found = set(stances)
    if not found or found - {Verdict.SUPPORTED, Verdict.REFUTED}:
        return Verdict.NOT_ENOUGH_EVIDENCE
    return found.pop() if len(found) == 1 else Verdict.CONFLICTING


def probabilities(scores: Sequence[float]) -> dict[Verdict, float]:
    """Softmax over log-probabilities, in the order of the labels; rounded, so that they read well in a file."""
    peak = max(scores)
    weights = [math.exp(score - peak) for score in scores]
    return {verdict: round(weight / sum(weights), 6) for verdict, weight in zip(VERDICTS, weights, strict=True)}


def _judgement(stances: Sequence[Verdict]) -> Judgement:
    return Judgement(aggregate(stances), counts={"texts": len(stances)})

"""Our verdict model: reads a claim with all its evidence at once and gives the probabilities of the four verdicts.

A softmax over logits that are divided by a temperature (Guo et al. 2017), fitted on held-out claims. The verdict is the
most probable class after each log-probability was given a bias, fitted there too: rare classes, which a well calibrated
model seldom finds most probable, are then found more often. So the verdict need not be the most probable class.

But: the probabilities know nothing of the biases; of more than ten pairs the first ten count.
"""

from collections.abc import Sequence
from pathlib import Path

from src.errors import InputError
from src.models.evidence_rows import CLAIM_ONLY, PUBLISHED_TEXT
from src.models.trained import TRAINED
from src.models.trained_classifier import TrainedClassifier, load_trained
from src.models.veracity import Judgement, StanceClassifier, VerdictModel, probabilities
from src.records import VERDICTS, Evidence

TASK = "veracity"


class JointVerdict:
    """A verdict model on a trained classifier of the four verdicts."""

    def __init__(self, classifier: TrainedClassifier) -> None:
        self._classifier = classifier
        self.info = classifier.info

    def judge(self, claims: Sequence[Evidence]) -> list[Judgement]:
        trained = self._classifier.trained
        blind = trained.layout == CLAIM_ONLY
        inputs = [
            (claim.claim, [] if blind else [(pair.question, pair.answer) for pair in claim.evidence])
            for claim in claims
        ]
        scores = (self._classifier.logits(inputs) / trained.temperature).log_softmax(-1).tolist()
        biases = trained.biases or (0.0,) * len(VERDICTS)
        return [_judgement(row, biases) for row in scores]


def load_trained_verdict(folder: Path, dtype: str | None = None) -> VerdictModel:
    """The verdict model of a training: this one, or the published recipe's. Raises InputError when it is neither."""
    classifier = load_trained(folder, TASK, dtype)
    if classifier.trained.labels != tuple(VERDICTS):
        raise InputError(f"its classes are {', '.join(classifier.trained.labels)}, not the four verdicts", path=folder)
    if len(classifier.trained.biases) not in (0, len(VERDICTS)):
        raise InputError("not one for each verdict", path=folder / TRAINED, field="biases")
    return StanceClassifier(classifier) if classifier.trained.layout == PUBLISHED_TEXT else JointVerdict(classifier)


def _judgement(scores: Sequence[float], biases: Sequence[float]) -> Judgement:
    decided = [score + bias for score, bias in zip(scores, biases, strict=True)]
    return Judgement(VERDICTS[decided.index(max(decided))], probabilities(scores), {"texts": 1})

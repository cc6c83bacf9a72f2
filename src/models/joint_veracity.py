"""Our verdict model: reads a claim with all its evidence at once and gives the probabilities of the four verdicts.

A softmax over logits that are divided by a temperature (Guo et al. 2017), fitted on held-out claims. The verdict is the
most probable class after each log-probability was given a bias, fitted there too: rare classes, which a well calibrated
model seldom finds most probable, are then found more often. So the verdict need not be the most probable class.

Beside a model's own weights, folders `seed_N` may hold other runs of its training. All of them are asked, and their
log-probabilities and biases averaged (Lakshminarayanan et al. 2017; the mean of logarithms: Hinton 2002).

But: the probabilities know nothing of the biases; of more than ten pairs the first ten count.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from src.errors import InputError
from src.llm.protocol import ModelInfo
from src.models.evidence_rows import CLAIM_ONLY, PUBLISHED_TEXT, Input
from src.models.trained import TRAINED, Trained, trained_folders
from src.models.trained_classifier import TrainedClassifier, load_trained
from src.models.veracity import Judgement, StanceClassifier, VerdictModel, probabilities
from src.records import VERDICTS, Evidence

if TYPE_CHECKING:
    from torch import Tensor

TASK = "veracity"


class JointVerdict:
    """A verdict model on trained classifiers of the four verdicts, one or several of the same layout."""

    def __init__(self, classifiers: Sequence[TrainedClassifier]) -> None:
        self._classifiers = classifiers
        self.info = _together([classifier.info for classifier in classifiers])

    def judge(self, claims: Sequence[Evidence]) -> list[Judgement]:
        blind = self._classifiers[0].trained.layout == CLAIM_ONLY
        inputs: list[Input] = [
            (claim.claim, [] if blind else [(pair.question, pair.answer) for pair in claim.evidence])
            for claim in claims
        ]
        scores = _mean([_log_probabilities(one, inputs) for one in self._classifiers])
        biases = _mean([_biases(one) for one in self._classifiers])
        return [_judgement(row, biases.tolist()) for row in scores.tolist()]


def _log_probabilities(classifier: TrainedClassifier, inputs: Sequence[Input]) -> "Tensor":
    """[inputs, verdicts]"""
    return (classifier.logits(inputs) / classifier.trained.temperature).log_softmax(-1)


def _biases(classifier: TrainedClassifier) -> "Tensor":
    """[verdicts]"""
    import torch

    return torch.tensor(classifier.trained.biases or (0.0,) * len(VERDICTS))


def _mean(members: "Sequence[Tensor]") -> "Tensor":
    import torch

    return torch.stack(list(members)).mean(0)


def load_trained_verdict(folder: Path, dtype: str | None = None) -> VerdictModel:
    """The verdict model of a training: this one, or the published recipe's. Raises InputError when it is neither."""
    first, *others = [_load(member, dtype) for member in trained_folders(folder)]
    seeds = {first.trained.seed}
    for other, member in zip(others, trained_folders(folder)[1:], strict=True):
        if _but_for_the_seed(other.trained) != _but_for_the_seed(first.trained) or other.trained.seed in seeds:
            raise InputError("its recipe and data are not those beside it with another seed", path=member / TRAINED)
        seeds.add(other.trained.seed)
    if first.trained.layout != PUBLISHED_TEXT:
        return JointVerdict([first, *others])
    if others:
        raise InputError("seeds of the published recipe are not asked together", path=folder)
    return StanceClassifier(first)


def _but_for_the_seed(trained: Trained) -> object:
    recipe = {name: value for name, value in trained.recipe.items() if name != "seed"}
    return trained.base_sha256, trained.layout, trained.max_length, trained.data, recipe


def _load(folder: Path, dtype: str | None) -> TrainedClassifier:
    classifier = load_trained(folder, TASK, dtype)
    if classifier.trained.labels != tuple(VERDICTS):
        raise InputError(f"its classes are {', '.join(classifier.trained.labels)}, not the four verdicts", path=folder)
    if len(classifier.trained.biases) not in (0, len(VERDICTS)):
        raise InputError("not one for each verdict", path=folder / TRAINED, field="biases")
    return classifier


def _together(members: Sequence[ModelInfo]) -> ModelInfo:
    """That of the first; the hashes of the others are told beside it."""
    first, *others = members
    return replace(first, details=first.details | {other.name: str(other.sha256) for other in others})


def _judgement(scores: Sequence[float], biases: Sequence[float]) -> Judgement:
    decided = [score + bias for score, bias in zip(scores, biases, strict=True)]
    return Judgement(VERDICTS[decided.index(max(decided))], probabilities(scores), {"texts": 1})

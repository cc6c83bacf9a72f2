"""Verdict models on classifiers: their interface, the published BERT with its rule, and the project's joint model.

The published model, `bert_veracity.ckpt`, puts each question-answer pair alone into one of four classes: the stance of
the pair toward the claim. `aggregate` makes one verdict of them. The model was never trained on class 3, conflicting
evidence.

Our model, `JointVerdict`, reads a claim with all its evidence at once and gives the probabilities of the four verdicts.
They are a softmax of logits divided by a temperature (Guo et al. 2017), fitted on held-out claims. The verdict is the
best class after a bias was added to each log-probability. The biases are fitted on the same claims. They help rare
classes, which a well calibrated model seldom finds most probable. The verdict may therefore differ from the most
probable class.

Subfolders `seed_N` of its folder may hold other runs of its training. All runs are used, and their log-probabilities
are averaged (Lakshminarayanan et al. 2017; the mean of logarithms: Hinton 2002). `together.json` has the temperature
and biases of the ensemble. Without that file, the biases of the runs are averaged too.

Limitations: models get no claims without evidence. The probabilities do not include the biases. Only the first ten
pairs count. Language models are in `llm_veracity.py` and `reasoned_veracity.py`.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec.structs import replace

from src.errors import InputError
from src.llm.protocol import ModelInfo
from src.models.base_model import find_base
from src.models.classifier import Classifier, finite, load_classifier
from src.models.evidence_rows import CLAIM_ONLY, PUBLISHED_TEXT, Input
from src.models.trained import TOGETHER, TRAINED, Together, Trained, read_together, trained_folders
from src.records import VERDICTS, Evidence, Level, OverruledBy, QAPair, Side, Verdict

if TYPE_CHECKING:
    from torch import Tensor

MAX_LENGTH = 400


class Judgment(msgspec.Struct, frozen=True):
    """A verdict model's output for one claim.

    `verdict`: the verdict.
    `probabilities`: probability of each verdict; None if the model gives none.
    `counts`: counters for the run's manifest, such as prompts and tokens.
    `level`: reliability of the verdict; None if the model does not estimate it.
    `verdict_set`: verdicts that are not ruled out; None if the model does not estimate them.
    `reasoning`: text that the model wrote before its verdict, or "".
    `overruled_by`: why the verdict is not the most probable one; None if it is.
    `sides`: stance of each of the first pieces of evidence; None if the model gives none.
    `unnamed`: the name that the claim is about, if none of the evidence has it; "" otherwise, or if not looked for.
    """

    verdict: Verdict
    probabilities: dict[Verdict, float] | None = None
    counts: Mapping[str, int] = {}
    level: Level | None = None
    verdict_set: list[Verdict] | None = None
    reasoning: str = ""
    overruled_by: OverruledBy | None = None
    sides: list[Side] | None = None
    unnamed: str = ""


class VerdictModel(Protocol):
    """A verdict model. `judge` returns a judgment of each claim, in order; all claims must have evidence.

    `judge` raises ModelError when the model fails.
    """

    @property
    def info(self) -> ModelInfo: ...

    def judge(self, claims: Sequence[Evidence]) -> list[Judgment]: ...


class TextClassifier(Protocol):
    """A classifier of texts. `logits` returns each text's logits: float32 [texts, classes] on the CPU."""

    @property
    def info(self) -> ModelInfo: ...

    def logits(self, texts: Sequence[str], /) -> "Tensor": ...


class StanceClassifier:
    """The published verdict model, or one trained here with the published recipe."""

    def __init__(self, classifier: TextClassifier) -> None:
        self._classifier = classifier
        self.info = classifier.info

    def judge(self, claims: Sequence[Evidence]) -> list[Judgment]:
        texts = [joined(claim.claim, pair) for claim in claims for pair in claim.evidence]
        classes = iter(finite(self._classifier.logits(texts)).argmax(-1).tolist())
        return [_by_rule([VERDICTS[next(classes)] for _ in claim.evidence]) for claim in claims]


def joined(claim: str, pair: QAPair) -> str:
    """Join a claim and a question-answer pair in the format of the published model. The brackets are plain text."""
    return f"[CLAIM] {claim.strip()} [QUESTION] {pair.question.strip()} {pair.answer.strip()}"


def _by_rule(stances: Sequence[Verdict]) -> Judgment:
    return Judgment(aggregate(stances), counts={"texts": len(stances)})


def aggregate(stances: Sequence[Verdict]) -> Verdict:
    """Return the verdict for the stances of all question-answer pairs, by the published rule.

    All pairs support the claim: Supported. All refute it: Refuted. Some of both: Conflicting Evidence/Cherrypicking.
    Any pair that does neither, or no pair: Not Enough Evidence.
    """
    distinct = set(stances)
    if not distinct or distinct - {Verdict.SUPPORTED, Verdict.REFUTED}:
        return Verdict.NOT_ENOUGH_EVIDENCE
    return distinct.pop() if len(distinct) == 1 else Verdict.CONFLICTING


def probabilities(scores: Sequence[float]) -> dict[Verdict, float]:
    """Return the softmax of one score per verdict, in the order of `VERDICTS`, rounded for files."""
    peak = max(scores)
    weights = [math.exp(score - peak) for score in scores]
    return {verdict: round(weight / sum(weights), 6) for verdict, weight in zip(VERDICTS, weights, strict=True)}


TASK = "veracity"


class JointVerdict:
    """A verdict model on one or several trained classifiers of the four verdicts, all with the same layout."""

    def __init__(self, classifiers: Sequence[Classifier], together: Together | None = None) -> None:
        self._classifiers = classifiers
        self._temperature = together.temperature if together else 1.0
        self._biases = _mean_of([together.biases] if together else [each.trained.biases for each in classifiers])
        self.info = _info_of([classifier.info for classifier in classifiers])

    @property
    def members(self) -> tuple[str, ...]:
        """Return the SHA-256 of the weights of each classifier, in order."""
        return tuple(str(classifier.info.sha256) for classifier in self._classifiers)

    @property
    def is_blind(self) -> bool:
        """Return True if the model reads the claim without its evidence (a baseline)."""
        return self._classifiers[0].trained.layout == CLAIM_ONLY

    def judge(self, claims: Sequence[Evidence]) -> list[Judgment]:
        inputs: list[Input] = [
            (claim.claim, [] if self.is_blind else [(pair.question, pair.answer) for pair in claim.evidence])
            for claim in claims
        ]
        scores = finite((self.log_probabilities(inputs) / self._temperature).log_softmax(-1))
        return [_judgment(row, self._biases) for row in scores.tolist()]

    def log_probabilities(self, inputs: Sequence[Input]) -> "Tensor":
        """Return the mean of the runs' log-probabilities, [inputs, verdicts], each with the run's temperature.

        The temperature and biases of `together.json` are not applied.
        """
        import torch

        return torch.stack([_log_probabilities(classifier, inputs) for classifier in self._classifiers]).mean(0)


def _log_probabilities(classifier: Classifier, inputs: Sequence[Input]) -> "Tensor":
    """Return the log-probabilities of one run, [inputs, verdicts], with the run's temperature."""
    return (classifier.logits(inputs) / classifier.trained.temperature).log_softmax(-1)


def _mean_of(biases: Sequence[Sequence[float]]) -> list[float]:
    """Return the mean of the runs' biases, one per verdict. A run without biases counts as zeros."""
    return [fmean(column) for column in zip(*(own or (0.0,) * len(VERDICTS) for own in biases), strict=True)]


def load_trained_verdict(folder: Path, dtype: str | None = None, device: str | None = None) -> VerdictModel:
    """Load the verdict model of a folder: a JointVerdict, or a StanceClassifier for the published recipe.

    Raises InputError when the folder has neither, or its `together.json` does not fit.
    """
    runs, together = load_runs(folder, dtype, device), read_together(folder)
    if runs[0].trained.layout == PUBLISHED_TEXT:
        if len(runs) > 1:
            raise InputError("seeds of the published recipe are not asked together", path=folder)
        return StanceClassifier(runs[0])
    model = JointVerdict(runs, together)
    if together and together.members != model.members:
        raise InputError("was fitted for other weights; src.training.fit_together fits it anew", path=folder / TOGETHER)
    if together and len(together.biases) not in (0, len(VERDICTS)):
        raise InputError("not one for each verdict", path=folder / TOGETHER, field="biases")
    return model


def load_runs(folder: Path, dtype: str | None = None, device: str | None = None) -> list[Classifier]:
    """Load all runs of a training: the folder's classifier, then those of its subfolders `seed_N`.

    Raises InputError unless the runs differ only in the seed.
    """
    folders = trained_folders(folder)
    find = cache(find_base)
    runs = [_checked(load_classifier(member, TASK, dtype, device, find), member) for member in folders]
    seeds = {runs[0].trained.seed}
    for run, member in zip(runs[1:], folders[1:], strict=True):
        if _but_for_the_seed(run.trained) != _but_for_the_seed(runs[0].trained) or run.trained.seed in seeds:
            raise InputError("its recipe and data are not those beside it with another seed", path=member / TRAINED)
        seeds.add(run.trained.seed)
    return runs


def _but_for_the_seed(trained: Trained) -> object:
    recipe = {name: value for name, value in trained.recipe.items() if name != "seed"}
    return trained.base_sha256, trained.layout, trained.max_length, trained.data, recipe


def _checked(classifier: Classifier, folder: Path) -> Classifier:
    if classifier.trained.labels != tuple(VERDICTS):
        raise InputError(f"its classes are {', '.join(classifier.trained.labels)}, not the four verdicts", path=folder)
    if len(classifier.trained.biases) not in (0, len(VERDICTS)):
        raise InputError("not one for each verdict", path=folder / TRAINED, field="biases")
    return classifier


def _info_of(members: Sequence[ModelInfo]) -> ModelInfo:
    """Return the info of an ensemble: that of its first run, with the other runs' hashes in its details."""
    first, *others = members
    return replace(first, details=first.details | {other.name: str(other.sha256) for other in others})


def _judgment(scores: Sequence[float], biases: Sequence[float]) -> Judgment:
    decided = [score + bias for score, bias in zip(scores, biases, strict=True)]
    index = decided.index(max(decided))
    overruled_by = OverruledBy.BIASES if scores[index] < max(scores) else None
    return Judgment(VERDICTS[index], probabilities(scores), {"texts": 1}, overruled_by=overruled_by)

"""The entailment model: it estimates if a hypothesis follows from a text. Programs and checks of faithfulness use it.

A classifier that was trained here (`src/training/train_entailment.py`) reads the hypothesis with all passages of the
premise at once. It gives the probabilities of entailment, contradiction and neutral. It is an encoder with a head, or a
language model that answers in one word (`prompted_classifier.py`). A verdict model that reads all evidence at once also
works. Supported then counts as entailment, Refuted as contradiction and Not Enough Evidence as neutral. Conflicting
counts as half entailment, half contradiction.

Limitations: English only. Only the first ten passages count. Passages that do not fit are cut to fair shares.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from src.errors import InputError
from src.models.classifier import Classifier, finite, load_classifier
from src.models.evidence_rows import LAYOUT, Input
from src.models.prompted_classifier import VERDICT_PROMPT
from src.models.trained import TRAINED, read_trained
from src.models.veracity import TASK as VERACITY
from src.records import VERDICTS

TASK = "entailment"
LABELS = ("entailment", "contradiction", "neutral")

TitledText = tuple[str, str]  # the page's title, "" where there is none, and the text


class Entailed(NamedTuple):
    """Probabilities that a premise entails a hypothesis, contradicts it, or does neither; they add up to 1."""

    entail: float
    contradict: float
    neutral: float


class Premise(NamedTuple):
    """Input of the entailment model: the passages of a premise, and the hypothesis."""

    passages: Sequence[TitledText]
    hypothesis: str


class Entailment:
    """A loaded entailment model; the classes of its classifier are LABELS or the four verdicts."""

    def __init__(self, classifier: Classifier) -> None:
        self._classifier = classifier
        self.info = classifier.info

    def score(self, premise: str | Sequence[TitledText], hypothesis: str) -> Entailed:
        """Return the probabilities of a hypothesis under one text, or under passages with their titles.

        Raises ModelError when the model fails.
        """
        passages = [("", premise)] if isinstance(premise, str) else premise
        (probabilities,) = self.scores([Premise(passages, hypothesis)])
        return probabilities

    def scores(self, premises: Sequence[Premise]) -> list[Entailed]:
        """Return the probabilities of each premise with its hypothesis, in order. Equal ones are computed once.

        Raises ModelError when the model fails.
        """
        inputs = [input_of(premise) for premise in premises]
        indices = {item: index for index, item in enumerate(dict.fromkeys(inputs))}
        logits = finite(self._classifier.logits(list(indices))) / self._classifier.trained.temperature
        distinct = [_entailed(row) for row in logits.softmax(-1).tolist()]
        return [distinct[indices[item]] for item in inputs]


def _entailed(chances: Sequence[float]) -> Entailed:
    """Convert probabilities of LABELS, or of the four verdicts, to those of the three classes."""
    entail, contradict, neutral, *conflicting = chances
    half = sum(conflicting) / 2
    return Entailed(entail + half, contradict + half, neutral)


def input_of(premise: Premise) -> Input:
    """Return the classifier's input: the hypothesis, and each passage as a pair of title and text."""
    return premise.hypothesis, tuple(premise.passages)


def load_entailment(folder: Path, dtype: str | None = None, device: str | None = None) -> Entailment:
    """Load the entailment model of a folder.

    Raises InputError when the folder has no such model, MissingExtra when its base is not installed.
    """
    return Entailment(load_reading(folder, dtype, device))


def load_reading(folder: Path, dtype: str | None = None, device: str | None = None) -> Classifier:
    """Load the classifier of an entailment model, or of a verdict model that reads all evidence at once.

    Raises InputError when the folder has neither, MissingExtra when its base is not installed.
    """
    trained = read_trained(folder)
    is_verdict = trained.task == VERACITY and trained.layout in (LAYOUT, VERDICT_PROMPT.name)
    if not is_verdict and trained.task != TASK:
        message = "is neither an entailment model nor a verdict model that reads all evidence at once"
        raise InputError(message, path=folder / TRAINED)
    labels = tuple(VERDICTS) if is_verdict else LABELS
    if trained.labels != labels:
        raise InputError(f"not {', '.join(labels)}", path=folder / TRAINED, field="labels")
    return load_classifier(folder, trained.task, dtype, device)

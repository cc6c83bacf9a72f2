"""Whether a text says that a sentence is true: one model for the steps of programs and for checks of faithfulness.

A classifier that was trained here (`src/training/train_entailment.py`) reads the hypothesis with all passages of the
premise at once and gives the probabilities of three classes: it follows, it is contradicted, or neither. It is an
encoder with a head, or a language model that answers in one word (`prompted_classifier.py`). A verdict model that reads
all evidence at once serves as well: Supported is entailment, Refuted contradiction, Not Enough Evidence neither, and
Conflicting half of each of the first two.

But: English; of more than ten passages the first ten count, and what does not fit is cut fairly.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from src.errors import InputError
from src.models.any_classifier import load_classifier
from src.models.cached_classifier import Classifier
from src.models.evidence_rows import LAYOUT, Input
from src.models.joint_veracity import TASK as VERACITY
from src.models.passage_prompt import VERDICT_PROMPT
from src.models.trained import TRAINED, read_trained
from src.models.veracity import finite
from src.records import VERDICTS

TASK = "entailment"
LABELS = ("entailment", "contradiction", "neutral")

TitledText = tuple[str, str]  # the page's title, "" where there is none, and the text


class Entailed(NamedTuple):
    """Probabilities, which add up to 1."""

    entail: float
    contradict: float
    neutral: float


class Premise(NamedTuple):
    """What a hypothesis is held against."""

    passages: Sequence[TitledText]
    hypothesis: str


class Entailment:
    """A loaded model, whose classes are LABELS or the four verdicts."""

    def __init__(self, classifier: Classifier) -> None:
        self._classifier = classifier
        self.info = classifier.info

    def score(self, premise: str | Sequence[TitledText], hypothesis: str) -> Entailed:
        """Of one text, or of passages with their titles. Raises ModelError."""
        passages = [("", premise)] if isinstance(premise, str) else premise
        (found,) = self.scores([Premise(passages, hypothesis)])
        return found

    def scores(self, asked: Sequence[Premise]) -> list[Entailed]:
        """In the order asked; the same premise and hypothesis are read once. Raises ModelError."""
        inputs = [input_of(one) for one in asked]
        places = {found: place for place, found in enumerate(dict.fromkeys(inputs))}
        logits = finite(self._classifier.logits(list(places))) / self._classifier.trained.temperature
        found = [_entailed(row) for row in logits.softmax(-1).tolist()]
        return [found[places[one]] for one in inputs]


def _entailed(chances: Sequence[float]) -> Entailed:
    """Return what the probabilities of LABELS mean, or those of the four verdicts."""
    entail, contradict, neutral, *conflicting = chances
    half = sum(conflicting) / 2
    return Entailed(entail + half, contradict + half, neutral)


def input_of(asked: Premise) -> Input:
    """As the model reads it: each passage as a pair of title and text."""
    return asked.hypothesis, tuple(asked.passages)


def load_entailment(folder: Path, dtype: str | None = None, device: str | None = None) -> Entailment:
    """Raises InputError when the folder holds no such model, MissingExtra when its base is not there."""
    return Entailment(load_reading(folder, dtype, device))


def load_reading(folder: Path, dtype: str | None = None, device: str | None = None) -> Classifier:
    """Load the classifier of an entailment model, or of a verdict model that reads all evidence at once.

    Raises InputError when the folder holds neither, MissingExtra when its base is not there.
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

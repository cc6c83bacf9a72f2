"""The faithfulness model: it tags the words of a sentence that are unfaithful to its evidence, with nine error types.

It is an entailment model trained further on synthetic errors (`src/training/train_faithfulness.py`). The layers are the
same, but the head classifies each token of the sentence by error type, instead of the mean of all tokens.

Limitations: English only. Texts that do not fit are cut; the sentence gets at most a third of the row.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from src.errors import InputError
from src.models.trained import TRAINED
from src.models.trained_classifier import TrainedClassifier, load_trained

if TYPE_CHECKING:
    from torch import Tensor

TASK = "faithfulness"
NONE = "none"
LABELS = (NONE, "IE", "EE", "IV", "EV", "IN", "EN", "RC", "OG", "IR")

Premise = Sequence[tuple[str, str]]  # pairs of question and answer, or of a heading and a text


class Word(NamedTuple):
    """A tagged token: characters `start` to `end` of its sentence, and the probability of each of `LABELS`."""

    start: int
    end: int
    probabilities: tuple[float, ...]


class Tagger:
    """A loaded faithfulness model."""

    def __init__(self, classifier: TrainedClassifier) -> None:
        self._classifier = classifier
        self.info = classifier.info

    def tag(self, pairs: Sequence[tuple[str, Premise]]) -> list[list[Word]]:
        """Tag sentences, each given with its premise; return the tokens of each sentence, in order.

        Tokens beyond the model's room are left out. Equal inputs are computed once.
        """
        inputs = [(sentence, tuple(premise)) for sentence, premise in pairs]
        indices = {item: index for index, item in enumerate(dict.fromkeys(inputs))}
        logits = self._classifier.token_logits(list(indices))
        offsets = self._classifier.offsets([sentence for sentence, _ in indices])
        distinct = [_words(rows, spans) for rows, spans in zip(logits, offsets, strict=True)]
        return [distinct[indices[item]] for item in inputs]


def _words(logits: "Tensor", offsets: Sequence[tuple[int, int]]) -> list[Word]:
    rows = logits.softmax(-1).tolist()
    return [Word(start, end, tuple(row)) for (start, end), row in zip(offsets, rows, strict=False)]


def load_tagger(folder: Path, dtype: str | None = None, device: str | None = None) -> Tagger:
    """Load the faithfulness model of a folder.

    Raises InputError when the folder has no such model, MissingExtra when its base is not installed.
    """
    classifier = load_trained(folder, TASK, dtype, device)
    if classifier.trained.labels != LABELS:
        raise InputError(f"not {', '.join(LABELS)}", path=folder / TRAINED, field="labels")
    return Tagger(classifier)

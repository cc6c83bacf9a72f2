"""Models for tests that answer by words ("yes" entails, "no" contradicts), and record their inputs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from src.llm.protocol import ModelInfo
from src.models.classifier import CachedClassifier
from src.models.entailment import Entailed, Premise
from src.models.evidence_rows import LAYOUT, Input
from src.models.trained import Trained
from src.records import VERDICTS
from src.stance.reader import StanceReader

if TYPE_CHECKING:
    from torch import Tensor

INFO = ModelInfo(spec="scripted", engine="none", name="scripted", sha256="0" * 64, context=320, deterministic=True)


class Scripted:
    info = INFO

    def __init__(self) -> None:
        self.premises: list[Premise] = []

    def scores(self, premises: Sequence[Premise]) -> list[Entailed]:
        self.premises += premises
        return [self.one(" ".join(text for _, text in one.passages)) for one in premises]

    def one(self, text: str) -> Entailed:
        words = text.casefold().replace(".", " ").replace(",", " ").split()
        if "yes" in words and "no" in words:
            return Entailed(0.4, 0.4, 0.2)
        if "yes" in words:
            return Entailed(0.9, 0.02, 0.08)
        return Entailed(0.02, 0.9, 0.08) if "no" in words else Entailed(0.05, 0.05, 0.9)


class ScriptedJoint:
    """Verdict model that answers by the words of all passages together."""

    info = INFO
    members = ("1" * 64,)

    def __init__(self) -> None:
        self.inputs: list[Input] = []

    def log_probabilities(self, inputs: Sequence[Input]) -> "Tensor":
        import torch

        self.inputs += inputs
        read = [Scripted().one(" ".join(text for _, text in one[1])) for one in inputs if not isinstance(one, str)]
        return torch.tensor([[entailed.entail, entailed.contradict, entailed.neutral, 0.01] for entailed in read]).log()


def reader() -> tuple[StanceReader, Scripted]:
    model = Scripted()
    return StanceReader(model), model  # type: ignore[arg-type]


class ScriptedClassifier:
    """Classifier that answers by the same words; its classes are the verdicts."""

    info = INFO
    trained = Trained("veracity", "none", None, LAYOUT, 320, 0, {}, {}, {}, tuple(VERDICTS))

    def __init__(self) -> None:
        self.inputs: list[Input] = []

    def logits(self, inputs: Sequence[Input]) -> "Tensor":
        self.inputs += inputs
        return ScriptedJoint().log_probabilities(inputs).reshape(len(inputs), len(VERDICTS))


def scripted_reading() -> CachedClassifier:
    return CachedClassifier(ScriptedClassifier())

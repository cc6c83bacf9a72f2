"""An entailment model that answers by words: "yes" entails, "no" contradicts, and asks are counted."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from src.llm.protocol import ModelInfo
from src.models.entailment import Entailed, Premise
from src.models.evidence_rows import Input
from src.stance.reader import StanceReader

if TYPE_CHECKING:
    from torch import Tensor

INFO = ModelInfo(spec="scripted", engine="none", name="scripted", sha256="0" * 64, context=320, deterministic=True)


class Scripted:
    info = INFO

    def __init__(self) -> None:
        self.asked: list[Premise] = []

    def scores(self, asked: Sequence[Premise]) -> list[Entailed]:
        self.asked += asked
        return [self._one(" ".join(text for _, text in one.passages)) for one in asked]

    def _one(self, text: str) -> Entailed:
        words = text.casefold().replace(".", " ").replace(",", " ").split()
        if "yes" in words and "no" in words:
            return Entailed(0.4, 0.4, 0.2)
        if "yes" in words:
            return Entailed(0.9, 0.02, 0.08)
        return Entailed(0.02, 0.9, 0.08) if "no" in words else Entailed(0.05, 0.05, 0.9)


class ScriptedJoint:
    """A joint model that finds every verdict as likely as any other."""

    members = ("1" * 64,)

    def log_probabilities(self, inputs: Sequence[Input]) -> "Tensor":
        import torch

        return torch.full((len(inputs), 4), 0.25).log()


def reader() -> tuple[StanceReader, Scripted]:
    model = Scripted()
    return StanceReader(model), model  # type: ignore[arg-type]

"""What a road found for a claim, before it is explained."""

from typing import NamedTuple

from src.check.records import Decisive
from src.programs.records import ClaimTrace
from src.records import ChosenSentence, Prediction


class Found(NamedTuple):
    prediction: Prediction
    decisive: Decisive
    sentences: list[ChosenSentence]
    trace: ClaimTrace | None = None

"""Result of a strategy for a claim, before it is explained."""

from collections.abc import Sequence
from typing import NamedTuple

from src.check.records import Decisive, Reliance
from src.programs.records import ClaimTrace
from src.records import ChosenSentence, Prediction
from src.stance.records import Stance


class StrategyResult(NamedTuple):
    prediction: Prediction
    decisive: Decisive
    sentences: list[ChosenSentence]
    trace: ClaimTrace | None = None
    stances: Sequence[Stance] = ()
    reliance: Reliance | None = None

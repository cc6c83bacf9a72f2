"""How far a verdict may be relied on, in words."""

from collections.abc import Iterator

from src.check.records import Reliance
from src.records import Level, Prediction

UNDECIDED = "Undecided"


def headline(prediction: Prediction) -> str:
    """Return the verdict with its level; a leaning one is called so, and an undecided claim has none."""
    if prediction.level is Level.UNDECIDED:
        return f"{UNDECIDED}: the evidence does not settle the claim"
    if prediction.level is Level.LEANING:
        return f"Leaning to {prediction.pred_label}"
    return f"{prediction.pred_label}{f' ({prediction.level})' if prediction.level else ''}"


def reliance(prediction: Prediction, measured: Reliance | None) -> Iterator[str]:
    """Yield what the level was worth on held-out claims, and which verdicts remain possible."""
    if prediction.level is None:
        if prediction.probabilities:
            yield "How often verdicts of this model are right was not measured."
        return
    if measured is not None and measured.precision is not None:
        what = "the likeliest verdict of undecided claims" if prediction.level is Level.UNDECIDED else "such verdicts"
        yield f"Of {measured.claims} held-out claims, {what} were right in {measured.precision:.0%}.".replace(
            "verdict of undecided claims were", "verdict of undecided claims was"
        )
    if prediction.verdict_set:
        share = measured.coverage if measured else 0.9
        possible = " or ".join(prediction.verdict_set)
        yield f"The right verdict is {possible}: sets made like this hold it for {share:.0%} of claims."

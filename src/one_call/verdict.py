"""The verdict from ratings of the four labels: softmax, calibrated or not (AIC: agreement on a five-point scale).

    p(label) = softmax(mean rating over the samples / temperature)

The verdict is the most probable label; calibrated, biases are added to the log-probabilities first. Of equally good
labels the one that is more frequent in AVeriTeC's train is taken.

Limitations: uncalibrated probabilities are a monotone function of the ratings and nothing more.
"""

import math
from collections.abc import Sequence
from statistics import fmean

import msgspec

from src.models.veracity import Judgment, probabilities
from src.one_call.answers import Ratings
from src.records import VERDICTS, OverruledBy, Verdict
from src.stance.levels import Levels

BY_FREQUENCY = (Verdict.REFUTED, Verdict.SUPPORTED, Verdict.NOT_ENOUGH_EVIDENCE, Verdict.CONFLICTING)


class Calibration(msgspec.Struct, frozen=True):
    """What was fitted on held-out claims for one model and one prompt (`src.training.calibrate_llm`).

    `model`: name of the model.
    `prompt`: SHA-256 of the instructions.
    `temperature`: by which mean ratings are divided.
    `biases`: one for each verdict, in the order of `VERDICTS`, added to log-probabilities.
    `levels`: limits of the levels and of the conformal set.
    """

    model: str
    prompt: str
    temperature: float
    biases: tuple[float, float, float, float]
    levels: Levels


def judged(samples: Sequence[Ratings], calibration: Calibration | None = None) -> Judgment:
    """Return the judgment for the ratings of one or several samples of a claim."""
    ratings = [fmean(sample.by_verdict()[verdict] for sample in samples) for verdict in VERDICTS]
    if calibration is None:
        return Judgment(_best(ratings), probabilities(ratings))
    scores = [rating / calibration.temperature for rating in ratings]
    chances = probabilities(scores)
    verdict = _best([score + bias for score, bias in zip(scores, calibration.biases, strict=True)])
    levels = calibration.levels
    return Judgment(
        verdict,
        chances,
        level=levels.of(chances, verdict),
        verdict_set=levels.set_of(chances),
        overruled_by=OverruledBy.BIASES if verdict is not _best(scores) else None,
    )


def _best(scores: Sequence[float]) -> Verdict:
    """Return the verdict with the highest of the scores, which are in the order of `VERDICTS`."""
    by_verdict = dict(zip(VERDICTS, scores, strict=True))
    highest = max(scores)
    return next(one for one in BY_FREQUENCY if math.isclose(by_verdict[one], highest, abs_tol=1e-9))

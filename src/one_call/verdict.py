"""The verdict from ratings of the four labels: softmax, calibrated or not (AIC: agreement on a five-point scale).

    p(label) = softmax(mean rating over the samples / temperature)

The verdict is the most probable label; calibrated, biases are added to the log-probabilities first. A verdict that only
the biases gave is undecided. Of equally good labels the one that is more frequent in AVeriTeC's train is taken.

Limitations: without a calibration, the probabilities only order the labels.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

import msgspec

from src.errors import InputError
from src.models.veracity import Judgment, probabilities
from src.one_call.answers import Ratings
from src.records import VERDICTS, Level, OverruledBy, Verdict
from src.stance.levels import Levels

OF_CALLS = ("sources", "num_examples", "samples", "top_n")
BY_FREQUENCY = (Verdict.REFUTED, Verdict.SUPPORTED, Verdict.NOT_ENOUGH_EVIDENCE, Verdict.CONFLICTING)
EDGES = tuple(-1e-6 * BY_FREQUENCY.index(verdict) for verdict in VERDICTS)  # what decides ties, added to scores


class Calibration(msgspec.Struct, frozen=True):
    """What was fitted on held-out claims for one model and one prompt (`src.training.calibrate_llm`).

    `model`, `sha256`: name of the model, and hash of its weights if they are local files.
    `adapter`: hash of its adapter, if it has one.
    `server_fields`: further fields of its requests, if it has a server.
    `prompt`: SHA-256 of the instructions.
    `settings`: further settings of the calls (`OF_CALLS`).
    `temperature`: by which mean ratings are divided.
    `biases`: one for each verdict, in the order of `VERDICTS`, added to log-probabilities.
    `levels`: limits of the levels and of the conformal set.
    """

    model: str
    sha256: str | None
    prompt: str
    settings: dict[str, int]
    temperature: float
    biases: tuple[float, float, float, float]
    levels: Levels
    adapter: str | None = None
    server_fields: str | None = None


def check_numbers(calibration: Calibration, numbers: Mapping[str, int], path: Path | None) -> None:
    """Raise InputError if the calibration, of the file `path`, was fitted for other settings of the calls."""
    for name, value in numbers.items():
        if calibration.settings.get(name) != value:
            fitted = calibration.settings.get(name)
            raise InputError(f"was fitted for --{name} {fitted}, not for {value}; fit it again for these", path=path)


def judged(samples: Sequence[Ratings], calibration: Calibration | None = None) -> Judgment:
    """Return the judgment for the ratings of one or several samples of a claim."""
    return judged_by([fmean(sample.by_verdict()[verdict] for sample in samples) for verdict in VERDICTS], calibration)


def judged_by(ratings: Sequence[float], calibration: Calibration | None = None) -> Judgment:
    """Return the judgment for mean ratings, in the order of `VERDICTS`; adding a constant to all changes nothing."""
    if calibration is None:
        return Judgment(_best(ratings), probabilities(ratings))
    scores = [rating / calibration.temperature for rating in ratings]
    chances = probabilities(scores)
    verdict = _best([score + bias for score, bias in zip(scores, calibration.biases, strict=True)])
    levels, is_overruled = calibration.levels, verdict is not _best(scores)
    return Judgment(
        verdict,
        chances,
        level=Level.UNDECIDED if is_overruled else levels.of(chances, verdict),
        verdict_set=levels.set_of(chances),
        overruled_by=OverruledBy.BIASES if is_overruled else None,
    )


def _best(scores: Sequence[float]) -> Verdict:
    """Return the verdict with the highest of the scores, which are in the order of `VERDICTS`."""
    return VERDICTS[
        max(range(len(VERDICTS)), key=[one + edge for one, edge in zip(scores, EDGES, strict=True)].__getitem__)
    ]

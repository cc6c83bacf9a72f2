"""Step: print each claim of a prediction file with its verdict and its best evidence."""

from pathlib import Path
from textwrap import fill
from typing import Annotated

import msgspec

from src.check.reliance import leveled
from src.records import Level, Prediction, QAPair
from src.runner.console import say
from src.runner.paths import existing_file
from src.runner.step import step
from src.settings import Flag
from src.store import read_by_claim

WIDTH = 110


class ShowSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the step `show_predictions`."""

    prediction_file: Annotated[Path, Flag("predictions or a submission", positional=True)]


@step(ShowSettings)
def main(settings: ShowSettings) -> int:
    path = existing_file(settings.prediction_file, "python -m src.prediction.veracity_prediction")
    for prediction in read_by_claim(path, Prediction):
        say(describe(prediction))
    return 0


def describe(prediction: Prediction) -> str:
    """Return the prediction as lines of text: claim, verdict (with level and probability, if any) and best evidence."""
    lines = [f"\n[{prediction.claim_id}] {_wrapped(prediction.claim, 4)}", f"    verdict   {_verdict(prediction)}"]
    lines += _evidence(prediction.evidence[0]) if prediction.evidence else ["    evidence  none found"]
    return "\n".join(lines)


def _verdict(prediction: Prediction) -> str:
    verdict, level, chances = prediction.pred_label, prediction.level, prediction.probabilities
    shown, details = leveled(verdict, level), [f"{chances[verdict]:.0%}"] if chances else []
    if level is Level.UNDECIDED:
        details = [f"likeliest: {verdict}", *details]
    elif level is Level.FIRM:
        details = [str(level), *details]
    elif level is None:
        details = [*details, "no level"]
    line = f"{shown} ({', '.join(details)})" if details else shown
    if prediction.verdict_set and prediction.evidence:
        line += f"; not ruled out: {' or '.join(prediction.verdict_set)}"
    return line


def _evidence(pair: QAPair) -> list[str]:
    lines = [f"    question  {_wrapped(pair.question, 14)}", f"    evidence  {_wrapped(pair.answer, 14)}"]
    return [*lines, f"    source    {pair.url}"] if pair.url else lines


def _wrapped(text: str, indent: int) -> str:
    return fill(" ".join(text.split()), WIDTH, initial_indent=" " * indent, subsequent_indent=" " * indent).strip()


if __name__ == "__main__":
    raise SystemExit(main())

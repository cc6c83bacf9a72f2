"""The verdict model's seeds alone and together, on held-out claims of train: what asking several of them is worth.

    python -m bench.verdict_seeds [--model pretrained_models/adapters/veracity]

Accuracy, macro-F1 and log-loss with gold evidence, with what was retrieved, and with three pairs of that.

But: temperatures were fitted on these claims, one number for each seed; only a hundred of them have retrieved evidence.
"""

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import copytree, ignore_patterns

import msgspec
import numpy as np

from bench.held_out import held_out
from bench.scoreboard.published import AVERITEC, ROOT
from src.models.joint_veracity import load_trained_verdict
from src.models.trained import read_trained, trained_folders
from src.models.veracity import VerdictModel
from src.prediction.veracity_prediction import OURS
from src.records import VERDICTS, Evidence, QAPair
from src.runner.arguments import step
from src.store import write_whole
from src.training.verdicts.calibration import class_scores
from src.training.verdicts.scores import Part, held_out_parts

RESULTS = ROOT / "bench" / "results" / "verdict_seeds.json"


class Scores(msgspec.Struct):
    """Of one model with one kind of evidence."""

    model: str
    evidence: str
    claims: int
    accuracy: float
    macro_f1: float
    log_loss: float


@step
def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.verdict_seeds")
    parser.add_argument("--model", type=Path, default=OURS)
    parser.add_argument("--averitec", type=Path, default=AVERITEC)
    parser.add_argument("--json", type=Path, default=RESULTS)
    args = parser.parse_args(argv)
    claims, retrieved = held_out(args.averitec)
    parts = held_out_parts(claims, retrieved)
    found: list[Scores] = []
    for name, model in models(args.model):
        found += [scored(name, model, part) for part in parts]
        for one in found[-len(parts) :]:
            print(f"{name:12}{one.evidence:16}{one.accuracy:.3f} {one.macro_f1:.3f} {one.log_loss:.3f}", flush=True)
    write_whole(args.json, msgspec.json.format(msgspec.json.encode(found)) + b"\n")
    return 0


def models(folder: Path) -> Iterator[tuple[str, VerdictModel]]:
    """Each seed without the others, then all; one after the other, for each takes its memory."""
    with tempfile.TemporaryDirectory() as aside:
        for member in trained_folders(folder):
            name = f"seed {read_trained(member).seed}"
            yield name, load_trained_verdict(copytree(member, Path(aside) / name, ignore=ignore_patterns("seed_*")))
    yield "together", load_trained_verdict(folder)


def scored(name: str, model: VerdictModel, part: Part) -> Scores:
    asked = [
        Evidence(number, claim, [QAPair(*pair) for pair in pairs])
        for number, (claim, pairs) in enumerate(zip(part.claims, part.pairs, strict=True))
    ]
    judged = model.judge(asked)
    guessed = np.array([VERDICTS.index(one.verdict) for one in judged], np.int64)
    accuracy, f1 = class_scores(guessed, part.numbers, len(VERDICTS))
    likely = [(one.probabilities or {})[VERDICTS[label]] for one, label in zip(judged, part.labels, strict=True)]
    figures = (round(float(figure), 4) for figure in (accuracy, np.mean(f1), -np.log(likely).mean()))
    return Scores(name, part.name, len(asked), *figures)


if __name__ == "__main__":
    raise SystemExit(main())

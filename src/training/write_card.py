"""Step: rewrite the model card of a trained folder, with all runs of its recipe that are in the results file.

A training writes the card of its own folder, which does not have the seeds that were trained later.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from src.atomic_file import write_whole
from src.models.trained import read_trained, trained_folders
from src.runner.arguments import StepParser, WithDefaults, existing_file, step
from src.runner.console import say
from src.training.artifacts.card import CARD, model_card
from src.training.artifacts.results import RESULTS, read_results, runs_of

MODULE = "src.training.write_card"


def parser() -> argparse.ArgumentParser:
    lines = (__doc__ or "").split("\n\n")
    flags = StepParser(prog=f"python -m {MODULE}", description=lines[0], formatter_class=WithDefaults)
    flags.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="what a training step left")
    flags.add_argument("--results", type=Path, default=RESULTS, help="the file that the training steps write")
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    results = read_results(existing_file(args.results, "the steps src.training.train_*"))
    for folder in args.folders:
        trained = read_trained(folder)
        runs = runs_of(trained, results)
        beside = [other.name for other in trained_folders(folder)[1:]]
        write_whole(folder / CARD, model_card(trained, runs, beside).encode())
        say(f"{folder / CARD}: runs of seed {', '.join(str(run.seed) for run in runs) or 'none in the results'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

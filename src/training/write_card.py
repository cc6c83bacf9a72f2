"""Step: rewrite the model card of a trained folder, with all runs of its recipe that are in the results file.

A training writes the card of its own folder, which does not have the seeds that were trained later.
"""

from pathlib import Path
from typing import Annotated

import msgspec

from src.atomic_file import write_whole
from src.models.trained import read_trained, trained_folders
from src.runner.console import say
from src.runner.paths import existing_file
from src.runner.step import step
from src.settings import Flag
from src.training.output_folder import CARD, model_card
from src.training.results import RESULTS, read_results, runs_of


class CardSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the step: the trained folders, and the results file."""

    folders: Annotated[tuple[Path, ...], Flag("what a training step left", metavar="FOLDER", positional=True)]
    results: Annotated[Path, Flag("the file that the training steps write")] = RESULTS


@step(CardSettings)
def main(settings: CardSettings) -> int:
    results = read_results(existing_file(settings.results, "the steps src.training.train_*"))
    for folder in settings.folders:
        trained = read_trained(folder)
        runs = runs_of(trained, results)
        beside = [other.name for other in trained_folders(folder)[1:]]
        write_whole(folder / CARD, model_card(trained, runs, beside).encode())
        say(f"{folder / CARD}: runs of seed {', '.join(str(run.seed) for run in runs) or 'none in the results'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

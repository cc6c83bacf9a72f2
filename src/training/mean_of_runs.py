"""Step: average the weights of several runs of a training to one verdict model, which is as fast as a single run.

Runs that began with the same weights and differ in the seed can be averaged (Wortsman et al. 2022, "Model soups").
Temperature and biases of the mean model are fitted on the held-out claims of the training.

Limitations: LoRA's factors A and B are averaged separately. The result is not the mean of their products.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec.structs import replace

from src.atomic_folder import whole_folder
from src.errors import InputError
from src.llm.adapter import CONFIG, WEIGHTS
from src.models.trained import TRAINED, Trained, trained_folders
from src.models.trained_classifier import load_trained
from src.models.veracity import TASK, JointVerdict, load_runs
from src.runner.console import say
from src.runner.manifest import revision
from src.runner.step import step
from src.settings import Flag, Group
from src.training.output_folder import CARD, model_card
from src.training.results import RESULTS, read_results, runs_of
from src.training.run import rounded
from src.training.verdicts.scores import WORTH, Learned, RunsSettings, final_of_runs, read_first


class MeanSettings(RunsSettings, frozen=True, kw_only=True):
    """Settings of the step: the runs, what they learned from, and the output folder."""

    output: Annotated[Path, Flag("the folder to make", "-o", "--output")]
    results: Annotated[Path, Flag("the file that the training steps write")] = RESULTS
    learned: Annotated[Learned, Group("what else the runs learned from, for temperature and scores")] = Learned()


@step(MeanSettings)
def main(settings: MeanSettings) -> int:
    if settings.output.exists():
        raise InputError("exists; name another folder, or remove it", path=settings.output)
    first, _ = read_first(settings)
    folders = trained_folders(settings.folder)
    seeds = tuple(run.trained.seed for run in load_runs(settings.folder))
    if not _began_with_adapter(first) or not all((folder / WEIGHTS).is_file() for folder in folders):
        raise InputError(
            "its runs did not begin with the same adapter, so their weights cannot be averaged", path=settings.folder
        )
    if len(folders) == 1:
        raise InputError("has no other run (seed_N), so there is nothing to average", path=settings.folder)
    with whole_folder(settings.output) as aside:
        aside.mkdir(parents=True)
        _write_mean(folders, aside)
        shutil.copyfile(settings.folder / CONFIG, aside / CONFIG)
        trained = _judged(replace(first, mean_of=seeds, revision=revision()), aside, settings)
        runs = runs_of(first, read_results(settings.results)) if settings.results.is_file() else []
        (aside / CARD).write_text(model_card(trained, runs), encoding="utf-8")
    scores = ", ".join(f"{name} {trained.scores[name]:.4f}" for name in (WORTH, f"{WORTH}, decided"))
    say(f"{settings.output}: mean of seeds {', '.join(map(str, seeds))}; {scores}")
    return 0


def _began_with_adapter(trained: Trained) -> bool:
    """Return True if the training began with an adapter (--begin_with).

    `trained.data` has a hash for each adapter that was read. All adapters have the same file name, so the first one has
    this plain name, and further ones also have their role. With --begin_with, the first adapter is that one. Otherwise
    it may be the adapter of a teacher.
    """
    has_teacher = "teacher_share" in trained.recipe.get("options", {})
    return WEIGHTS in trained.data and (not has_teacher or f"{WEIGHTS} (teacher_0)" in trained.data)


def _write_mean(folders: Sequence[Path], made: Path) -> None:
    """Write the mean of the weights in the runs' folders to the folder `made`, in bfloat16."""
    import torch
    from safetensors.torch import load_file, save_file

    held = [load_file(folder / WEIGHTS) for folder in folders]
    mean = {name: torch.stack([one[name].float() for one in held]).mean(0).bfloat16() for name in held[0]}
    save_file(mean, made / WEIGHTS, metadata={"format": "pt"})


def _judged(trained: Trained, folder: Path, settings: MeanSettings) -> Trained:
    """Score the mean model and fit its temperature and biases. Return its record with them, as in `training.json`."""
    _write_record(replace(trained, temperature=1.0, biases=()), folder)
    final = final_of_runs(JointVerdict([load_trained(folder, TASK)]), settings, settings.learned)
    scored = replace(
        trained,
        scores=rounded(final.scores),
        baselines=rounded(final.baselines),
        temperature=final.temperature,
        biases=final.biases,
    )
    _write_record(scored, folder)
    return scored


def _write_record(trained: Trained, folder: Path) -> None:
    (folder / TRAINED).write_bytes(msgspec.json.format(msgspec.json.encode(trained), indent=2) + b"\n")


if __name__ == "__main__":
    raise SystemExit(main())

"""The main function that all training steps share: split the claims, train, score, save the model and its result."""

import time
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from src.errors import InputError, require
from src.llm.loading import find_device
from src.models.base_model import BaseModel, find_base
from src.models.trained import TRAINED, Trained, is_trained, read_trained, trained_folders
from src.runner.console import say
from src.runner.fingerprint import input_files
from src.runner.manifest import revision
from src.store import read_claims
from src.training.recipe import Recipe, TrainingSettings
from src.training.results import Result, append_result, check_results, read_results, runs_of
from src.training.run_folder import Run, RunFolder, is_begun, run_folder_of
from src.training.split import Split, split_claims
from src.training.task import Final, Material, Prepare, Task

if TYPE_CHECKING:
    from src.training.fit import Fitted

PACKAGES = ("torch", "transformers", "peft", "accelerate")


def train(name: str, settings: TrainingSettings, recipe: Recipe, prepare: Prepare, extra: Mapping[str, Path]) -> int:
    """Run a training step and return its exit code.

    `prepare`: builds the task from the claims and the base model.
    `extra`: further files that the task reads, by their names in the manifest; their hashes are recorded.

    Raises a FatalError when an input or the output is refused, or training fails.
    """
    for package in PACKAGES:
        require(package, "training")
    files = settings.files
    claims = read_claims(files.train)
    split = split_claims(claims, read_claims(files.leave_out) if files.leave_out else [], recipe.share)
    base = find_base(recipe.base)
    named = {"train": files.train, "leave_out": files.leave_out, **extra}
    run = Run(name, recipe, base.sha256, hashes_of(named), split.counts)
    _refuse_foreign(settings.output)
    goes_on = not settings.overwrite and is_begun(
        settings.output, run
    )  # it may replace a finished run with other arguments
    if not goes_on and _is_done(settings.output, run, overwrite=settings.overwrite):
        say(f"{name}: {settings.output} is done", quiet=settings.quiet)
        return 0
    _say_split(name, split, settings.quiet)
    if settings.dry_run:
        _say_task(name, prepare(Material(recipe, split, claims, base, settings.quiet)), recipe, quiet=False)
        return 0
    _refuse_other_runs(settings.output)
    check_results(settings.results)
    with RunFolder(run_folder_of(settings.output), run, overwrite=settings.overwrite) as folder:
        _work(folder, settings, base, Material(recipe, split, claims, base, settings.quiet), prepare)
        folder.remove()
    return 0


def hashes_of(files: Mapping[str, Path | None]) -> dict[str, str]:
    """Return the SHA-256 of each file, by file name. If two files have the same name, the role (the key) is added."""
    hashes: dict[str, str] = {}
    for role, file in input_files({role: path for role, path in files.items() if path is not None}).items():
        name = Path(file.path).name
        hashes[f"{name} ({role})" if name in hashes else name] = file.sha256
    return hashes


def _work(folder: RunFolder, settings: TrainingSettings, base: BaseModel, material: Material, prepare: Prepare) -> None:
    from transformers import set_seed

    from src.training.adapters import round_weights
    from src.training.fit import final_of, fit
    from src.training.output_folder import loss_curve, save_trained

    run = folder.run
    code = _code(run)  # read now: the checkout may change before the end
    set_seed(run.recipe.seed)
    task = prepare(material)
    _say_task(run.task, task, run.recipe, settings.quiet)
    fitted = fit(task, run.recipe, folder, quiet=settings.quiet)
    if task.finish is not None:
        task.finish(task.model)
    round_weights(task.model)
    say(f"{run.task}: {fitted.ended} at step {fitted.steps}, best at {fitted.best_step}; scoring", quiet=settings.quiet)
    started = time.monotonic()
    final = final_of(task)
    result = _result(run, code, task, fitted, final, time.monotonic() - started)
    curve = loss_curve(f"{run.task}, {run.recipe.name}, seed {run.recipe.seed}", fitted.history)
    append_result(result, settings.results)
    trained = _record(run, base, task, final, result)
    save_trained(
        settings.output, task.model, task.tokenizer, trained, curve, runs_of(trained, read_results(settings.results))
    )
    scores = ", ".join(f"{name} {value:.4f}" for name, value in result.scores.items())
    baselines = ", ".join(f"{name} {value:.4f}" for name, value in result.baselines.items())
    say(f"{run.task}: held out: {scores}" + (f"; baselines: {baselines}" if baselines else ""), quiet=settings.quiet)
    say(f"{run.task}: {fitted.seconds / 60:.1f} minutes of training -> {settings.output}", quiet=settings.quiet)


def _code(run: Run) -> str | None:
    """Return the commit of the code that began the run, followed by the current commit if it differs."""
    now = revision()
    return now if now == run.revision else f"{run.revision}, then {now}"


def _result(run: Run, code: str | None, task: Task, fitted: "Fitted", final: Final, seconds: float) -> Result:
    return Result(
        run=run.id,
        task=run.task,
        recipe=run.recipe.name,
        base=run.recipe.base,
        seed=run.recipe.seed,
        share=run.recipe.share,
        settings=msgspec.to_builtins(run.recipe),
        data=run.data,
        claims=run.claims,
        revision=code,
        device=find_device(),
        examples=len(task.lengths),
        steps=fitted.steps,
        planned_steps=fitted.planned,
        best_step=fitted.best_step,
        ended=fitted.ended,
        seconds=round(fitted.seconds, 1),
        final_seconds=round(seconds, 1),
        scores=rounded(final.scores),
        baselines=rounded(final.baselines),
    )


def _record(run: Run, base: BaseModel, task: Task, final: Final, result: Result) -> Trained:
    return Trained(
        task=run.task,
        base=base.name,
        base_sha256=base.sha256,
        layout=task.layout,
        max_length=run.recipe.max_length,
        seed=run.recipe.seed,
        recipe=result.settings,
        data=run.data,
        claims=result.claims,
        scores=result.scores,
        labels=task.labels,
        temperature=final.temperature,
        biases=final.biases,
        baselines=result.baselines,
        revision=result.revision,
        packages={name: version(name) for name in PACKAGES},
    )


def _refuse_foreign(output: Path) -> None:
    if output.name in ("", ".."):
        raise InputError("is not the name of a folder to make", path=output)
    if output.exists() and not is_trained(output):
        raise InputError("exists and was not made by a training step, so it is not overwritten", path=output)


def _refuse_other_runs(output: Path) -> None:
    if seeds := trained_folders(output)[1:]:
        raise InputError(
            "another run is in this folder and would be deleted with it; move it away first", path=seeds[0]
        )


def _is_done(output: Path, run: Run, *, overwrite: bool) -> bool:
    """Return True if the output folder was made by this run.

    Raises InputError when another run made it and `overwrite` is False.
    """
    if overwrite or not output.exists():
        return False
    held = read_trained(output)
    try:
        recipe = msgspec.convert(held.recipe, Recipe)
    except msgspec.ValidationError as error:
        raise InputError(str(error), path=output / TRAINED, field="recipe") from None
    if Run(held.task, recipe, held.base_sha256, held.data, held.claims) != run:
        raise InputError("was made with other arguments or data; --overwrite makes it again", path=output)
    return True


def rounded(scores: Mapping[str, float]) -> dict[str, float]:
    """Return the scores rounded to five digits, for files."""
    return {name: round(value, 5) for name, value in scores.items()}


def _say_split(name: str, split: Split, quiet: bool) -> None:
    say(f"{name}: claims: " + "; ".join(f"{count} {what}" for what, count in split.counts.items()), quiet=quiet)


def _say_task(name: str, task: Task, recipe: Recipe, quiet: bool) -> None:
    from src.training.fit import planned_steps

    weights = list(task.model.parameters())
    trained = sum(weight.numel() for weight in weights if weight.requires_grad)
    counts = "".join(f", {count} {what}" for what, count in task.counts.items())
    steps = planned_steps(task, recipe)
    tokens = sum(task.lengths) / max(1, len(task.lengths)) * steps * recipe.batch
    say(f"{name}: {len(task.lengths)} examples of {sum(task.lengths)} tokens{counts}", quiet=quiet)
    of_all = f"{trained / 1e6:.2f} of {sum(weight.numel() for weight in weights) / 1e6:.1f} million weights trained"
    say(f"{name}: {steps} steps of {recipe.batch}, {tokens / 1e6:.2f} million tokens in all; {of_all}", quiet=quiet)

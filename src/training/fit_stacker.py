"""Step: fit the stacked verdict model on held-out claims: weights, levels and conformal sets.

One or two verdict models judge each passage of claims that they were not trained on, and all passages together. A
regression over their answers is fitted. A third of the held-out claims is reserved for measuring. The step writes
`stacker.json`, which `--verdict` reads.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np

from src.atomic_file import write_whole
from src.errors import InputError
from src.models.classifier import CachedClassifier, Classifier
from src.models.entailment import Entailment, load_reading
from src.models.trained import TRAINED
from src.models.veracity import JointVerdict
from src.records import VERDICTS
from src.runner.console import say
from src.runner.paths import check_output
from src.runner.step import step
from src.settings import AboveZero, Flag, Group, Positive, Seed, Share
from src.stance.levels import Levels
from src.stance.reader import READER, StanceReader
from src.stance.readings import FEATURES, Readings
from src.stance.stacker import READERS, STACKER, TASK, Stacker, readers_of
from src.training.passages.held_out import held_out_claims
from src.training.passages.mixed import CONTRAST, labels_of
from src.training.passages.pack import CONTRAST_SETS, PACK_SETS
from src.training.passages.scenarios import scenario_files
from src.training.recipe import ClaimFiles
from src.training.regression import (
    Fitted,
    Floats,
    Ints,
    cross_fitted,
    level_scores,
    levels_of,
    sample_weights,
    scores_of,
)
from src.training.run import hashes_of


class StackerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the step: claims and evidence to fit on, the readers, and the regression."""

    files: Annotated[ClaimFiles, Group()] = ClaimFiles()
    output: Annotated[Path, Flag("the folder to write to", "-o", "--output")]
    overwrite: Annotated[bool, Flag("over an earlier stacker")] = False
    readers: Annotated[
        tuple[Path, ...],
        Flag(
            "folders of one or two verdict models that read the passages; the first also chooses the passages of "
            "scenarios",
            metavar="FOLDER",
        ),
    ] = (READER,)
    retrieved: Annotated[Path | None, Flag("CSV of evidence that was retrieved for training claims")] = None
    pack: Annotated[Path | None, Flag("folder of an inference pack: <set>.jsonl.gz files (spaCy reads them)")] = None
    scenarios: Annotated[Path | None, Flag("folder of written scenarios: <topic>.jsonl files")] = None
    most: Annotated[Positive | None, Flag("read at most so many claims of each kind, drawn by --seed")] = None
    seed: Annotated[Seed, Flag("which passages are drawn")] = 0
    balance: Annotated[Share, Flag("a verdict counts by its size to the power of minus this")] = 0.25
    strength: Annotated[AboveZero, Flag("inverse of the regression's L2 penalty")] = 0.03
    quiet: Annotated[bool, Flag("print errors only")] = False

    def inputs(self) -> dict[str, Path | None]:
        """Return the files that the step reads, by their names in the manifest; None for a file that is not used."""
        paths: dict[str, Path | None] = {
            "train": self.files.train, "leave_out": self.files.leave_out, "retrieved": self.retrieved
        }  # fmt: skip
        if self.pack:
            paths |= {name: self.pack / f"{name}.jsonl.gz" for name in dict.fromkeys((*PACK_SETS, *CONTRAST_SETS))}
        return paths | (scenario_files(self.scenarios) if self.scenarios else {})


@step(StackerSettings)
def main(settings: StackerSettings) -> int:
    if (settings.output / STACKER).exists() and not settings.overwrite:
        raise InputError("exists; --overwrite replaces it", path=settings.output / STACKER)
    check_output(settings.output / STACKER, {"train": settings.files.train}, "output")
    if len(set(settings.readers)) < len(settings.readers) or len(settings.readers) > len(READERS):
        raise InputError("--readers takes one folder, or two that differ")
    classifiers = [_classifier(folder) for folder in settings.readers]
    readers = [JointVerdict([one]) for one in classifiers]
    stances = StanceReader(Entailment(classifiers[0]))
    claims = held_out_claims(
        settings.files, settings.retrieved, settings.pack, settings.scenarios, stances, settings.seed, settings.most
    )
    say(f"stacker: reading the passages of {len(claims)} claims", quiet=settings.quiet)
    read = Readings(readers).features([(one.claim, one.passages) for one in claims])
    claims = [one for one, own in zip(claims, read, strict=True) if own]
    features = np.array([own for own in read if own])
    labels, parts = np.array(labels_of(claims)), [one.part for one in claims]
    weights = sample_weights(parts, labels, settings.balance)
    chances = cross_fitted(features, labels, weights, [one.key for one in claims], settings.strength)
    is_real = np.array([part != CONTRAST for part in parts])  # changed evidence is synthetic
    real_parts = [part for part in parts if part != CONTRAST]
    levels = levels_of(chances[is_real], labels[is_real], real_parts)
    scores, baselines = _scores(parts, levels, chances, labels)
    fitted = Fitted(features, labels, weights, settings.strength)
    stacker = Stacker(
        task=TASK,
        readers=tuple(own for one in readers for own in one.members),
        features=FEATURES,
        means=_rounded(fitted.means),
        scales=_rounded(fitted.scales),
        weights=tuple(_rounded(row) for row in fitted.weights),
        biases=_rounded(fitted.biases),
        levels=levels,
        seed=settings.seed,
        data=hashes_of(settings.inputs()),
        settings={"most": settings.most, "balance": settings.balance, "strength": settings.strength},
        scores=scores,
        baselines=baselines,
    )
    write_whole(settings.output / STACKER, msgspec.json.format(msgspec.json.encode(stacker), indent=2) + b"\n")
    for name, value in stacker.scores.items():
        say(f"stacker: {name} {value:.3f}", quiet=settings.quiet)
    say(f"stacker: {stacker.levels}", quiet=settings.quiet)
    say(f"stacker: -> {settings.output / STACKER}", quiet=settings.quiet)
    _say_what_to_move(settings.output, settings.readers, quiet=settings.quiet)
    return 0


def _say_what_to_move(output: Path, readers: Sequence[Path], *, quiet: bool) -> None:
    """Print which readers must be copied to the stacker's folder, or removed from it, before it can be loaded."""
    loaded, fitted = readers_of(output), dict(zip(READERS, readers, strict=False))
    for name, reader in fitted.items():
        if name not in loaded or loaded[name].resolve() != reader.resolve():
            say(f"stacker: copy {reader} to {output / name}, from where it is loaded", quiet=quiet)
    for name in loaded.keys() - fitted.keys():
        say(f"stacker: remove {output / name}, on which it was not fitted", quiet=quiet)


def _scores(
    parts: Sequence[str], levels: Levels, chances: Floats, labels: Ints
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the stacker's scores on each part, and the accuracy of the part's commonest verdict as a baseline."""
    scores: dict[str, float] = {}
    baselines: dict[str, float] = {}
    for part in dict.fromkeys(parts):
        own = np.array(parts) == part
        part_scores = scores_of(part, chances[own], labels[own]) | level_scores(part, levels, chances[own], labels[own])
        scores |= {name: round(value, 4) for name, value in part_scores.items()}
        commonest = float(np.bincount(labels[own]).max() / own.sum())
        baselines[f"{part} commonest verdict accuracy"] = round(commonest, 4)
    return scores, baselines


def _classifier(folder: Path) -> Classifier:
    """Load a folder's verdict model, with a cache of logits. Raises InputError when it is an entailment model."""
    reading = load_reading(folder)
    if reading.trained.labels != tuple(VERDICTS):
        raise InputError(
            "is an entailment model; --readers takes models of train_veracity", path=folder / TRAINED, field="labels"
        )
    return CachedClassifier(reading)


def _rounded(values: Sequence[float] | np.ndarray) -> tuple[float, ...]:
    return tuple(round(float(value), 6) for value in values)


if __name__ == "__main__":
    raise SystemExit(main())

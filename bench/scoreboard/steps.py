"""Runs a step of the pipeline as a user does: its own process, as few flags as possible, so that its defaults apply."""

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from bench.scoreboard.published import ROOT
from bench.scoreboard.record import StepRecord
from src.errors import InputError
from src.prediction.verdicts import VERDICT_MODELS
from src.runner.manifest import Manifest, read_manifest

SENTENCES = "src.reranking.bm25_sentences"
QUESTIONS = "src.reranking.question_generation_top_sentences"
RERANKING = "src.reranking.rerank_questions"
VERDICTS = "src.prediction.veracity_prediction"
NONE = "none"
PARTS = ("question_generator", "reranker", "veracity", "claim_only")


class Models(msgspec.Struct, frozen=True):
    """Each a folder, `none` for the untrained way, or None for what the step does by itself; `veracity` may also be a
    name of `--verdict`.

    `claim_only` is a verdict model that reads no evidence, as a baseline. `llm` is what asks and judges untrained,
    where it is not the step's default; `dtype` the number format of all of them.
    """

    question_generator: str | None = None
    reranker: str | None = None
    veracity: str | None = None
    claim_only: str | None = None
    llm: str | None = None
    dtype: str | None = None

    @property
    def name(self) -> str:
        """What tells the results of other models apart, for file names and for rows; empty for the defaults."""
        given = [(part, getattr(self, part)) for part in (*PARTS, "llm", "dtype")]
        return ", ".join(f"{part} {value}" for part, value in given if value)


def parse_models(given: Sequence[str], llm: str | None, dtype: str | None = None) -> Models:
    """`none`, or NAME=FOLDER, NAME=none and veracity=NAME. Raises InputError for another name or a folder that is not
    there."""
    if list(given) == [NONE]:
        given = [f"{part}={NONE}" for part in PARTS[:3]]
    models: dict[str, str] = {}
    for one in given:
        part, _, value = one.partition("=")
        if part not in PARTS or not value:
            raise InputError(f"--models {one}: none, or NAME=FOLDER, NAME=none with NAME of {', '.join(PARTS)}")
        is_name = value == NONE or (part == "veracity" and value in VERDICT_MODELS)
        if not is_name and not Path(value).is_dir():
            raise InputError(f"--models {part}: no such folder", path=Path(value))
        models[part] = value if is_name else str(Path(value).absolute())
    return Models(**models, llm=llm, dtype=dtype)


def question_flags(models: Models, asker: str) -> list[str]:
    """`trained`: the step's default, or the folder; `prompt`: examples, no training; `published`: that recipe."""
    llm = [*_flag("--llm", models.llm), *_flag("--dtype", models.dtype)]
    if asker == "published":
        return ["--recipe", "published", *llm]
    if asker == "trained" and models.question_generator != NONE:
        return [*_flag("--adapter", models.question_generator), *llm]
    bundled = (models.llm or "smollm2").partition(":")[0] == "smollm2"  # others have no adapter by themselves
    return [*(["--recipe", "greedy"] if bundled else []), *llm]


def rerank_flags(models: Models) -> list[str]:
    return [*_flag("-ckpt", models.reranker), *_flag("--dtype", models.dtype)]


def verdict_flags(models: Models) -> list[str]:
    """Untrained, the language model scores the labels."""
    if models.veracity == NONE:
        return ["--llm", models.llm or "smollm2", *_flag("--dtype", models.dtype)]
    flag = "--verdict" if models.veracity in VERDICT_MODELS else "-ckpt"
    return [*_flag(flag, models.veracity), *_flag("--dtype", models.dtype)]


def _flag(name: str, value: str | None) -> list[str]:
    return [] if value is None else [name, value]


def run_step(module: str, output: Path, flags: Mapping[str, Path | str], more: Sequence[str] = ()) -> StepRecord:
    """Run the step unless its output exists already. Raises InputError when it fails or leaves a claim without
    result.
    """
    paired = [str(part) for pair in flags.items() for part in pair]
    done = subprocess.run([sys.executable, "-m", module, *paired, *more], cwd=ROOT, check=False)
    if done.returncode == 130:
        raise KeyboardInterrupt
    if done.returncode:
        raise InputError(f"{module} ended with exit code {done.returncode}; what it said stands above", path=output)
    return made_by(output)


def made_by(output: Path) -> StepRecord:
    """What the manifest of an output says. Raises InputError where there is none."""
    manifest = read_manifest(output)
    if manifest is None:
        raise InputError("no manifest says how it was made", path=output)
    held = manifest.fingerprint.settings
    settings = {name: str(value) for name, value in held.items() if value is not None and value is not False}
    seconds = manifest.seconds.get("work", manifest.seconds["wall"])
    return StepRecord(round(seconds, 2), _model(manifest), settings, manifest.revision, _hashes(manifest))


def _model(manifest: Manifest) -> str:
    """Return the model's name, engine and the first digits of its hash."""
    if not isinstance(manifest.model, dict):
        return ""
    of_encoder = manifest.model.get("encoder")
    model = of_encoder if isinstance(of_encoder, dict) else manifest.model
    named = [str(model[key]) for key in ("name", "engine") if model.get(key)]
    return " ".join([*named, *([f"sha256 {model['sha256'][:12]}"] if model.get("sha256") else [])])


def _hashes(manifest: Manifest) -> dict[str, str]:
    """Return the first digits of every hash among the model's details."""
    details = manifest.model.get("details", {}) if isinstance(manifest.model, dict) else {}
    return {name: value[:12] for name, value in details.items() if re.fullmatch("[0-9a-f]{64}", str(value))}

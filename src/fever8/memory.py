"""Estimate of the GPU memory that a system takes, from the sizes of its models.

    memory = 1.2 * (weights of all models + keys and values of the language model's batch) + 1 GB

All models count as if they were loaded at once, which is more than a run needs: a stage frees its models. A token's
keys and values are 2 * layers * key-value heads * width of a head * bytes of a number. The longest sequence is the
model's context, or `--context` if that is less. The tokens of a batch are `--batch_tokens` or the longest sequence,
whichever is more, on transformers; `--slots` longest sequences on llama.cpp; and one longest sequence on vLLM, which
takes what is free beyond it. A fifth more is for activations, 1 GB for CUDA itself.

Limitations: an estimate, not a measurement. Bundled models that small machines run on the processor count, too.
"""

import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from src.errors import InputError
from src.fever8.system import HUB_CACHE, OWN_MODELS, System
from src.fever8.weights import CONFIG, Shape, files_with_weights, shape_of, weight_bytes, weight_files
from src.llm import Options, parse_spec
from src.llm.gguf_files import COPY
from src.llm.loading import WIDTH
from src.llm.weights import LARGER, PRETRAINED, SMOLLM2
from src.store import read_json

MARGIN = 1.2
CUDA_BYTES = 10**9
FORMULA = "1.2 x (weights of all models + key-value cache) + 1 GB"
BUNDLED = {SMOLLM2.name: SMOLLM2, **LARGER}


class _Config(msgspec.Struct):
    dtype: str | None = None
    torch_dtype: str | None = None


class Estimate(msgspec.Struct, frozen=True):
    """GPU memory of a system, in bytes.

    `models`: weights of each model, by its path in the folder.
    `cache`: keys and values; `tokens`: how many tokens they are of.
    """

    models: dict[str, int]
    cache: int
    tokens: int

    @property
    def total(self) -> int:
        return int(MARGIN * (sum(self.models.values()) + self.cache)) + CUDA_BYTES


class _LanguageModel(NamedTuple):
    """Where a language model is: folder or file, and its engine."""

    path: Path
    engine: str


def estimate(folder: Path, system: System) -> Estimate:
    """Return the GPU memory that the system of a folder takes. Raises InputError for a model that is missing."""
    models = [model for spec in system.llms if (model := _language_model(folder, spec)) is not None]
    sizes = {model.path: weight_bytes(weight_files(model.path), system.dtype) for model in models}
    files = {file for model in models for file in weight_files(model.path)}
    sizes |= {path: weight_bytes(others, system.dtype) for path, others in _others(folder, files)}
    cache = tokens = 0
    for model in models:
        shape = shape_of(model.path)
        held = _tokens(model, system, shape)
        tokens += held
        cache += held * shape.token_bytes(_number_width(model, system.dtype))
    return Estimate({str(path.relative_to(folder)): size for path, size in sizes.items()}, cache, tokens)


def _tokens(model: _LanguageModel, system: System, shape: Shape) -> int:
    """Return the number of tokens whose keys and values a model holds at once."""
    longest = Options(context=system.context).limited(shape.context) or 0
    if model.engine == "transformers":
        return max(system.batch_tokens, longest)  # a longer row is a batch of its own
    return (system.slots if model.engine == "llama.cpp" else 1) * (longest or system.batch_tokens)


def _language_model(folder: Path, spec: str) -> _LanguageModel | None:
    """Return where the language model is; None for one that replays answers."""
    kind, argument = parse_spec(spec)
    if kind == "scripted":
        return None
    if kind in BUNDLED:
        archive = BUNDLED[kind]
        place = folder / PRETRAINED / archive.folder
        is_copy = kind == SMOLLM2.name or bool(argument)
        model = _LanguageModel(place / COPY, "transformers") if is_copy else _LanguageModel(
            place / archive.files[0].path, "llama.cpp"
        )  # fmt: skip
    elif kind == "gguf":
        model = _LanguageModel(folder / argument, "llama.cpp")
    else:
        model = _LanguageModel(_place(folder, argument), "vllm" if kind == "vllm" else "transformers")
    if not model.path.exists() or not weight_files(model.path):
        raise InputError(f"the model {spec} is not there; run installation.sh", path=model.path)
    return model


def _place(folder: Path, name: str) -> Path:
    """Return the folder of a model that is given by a path or by its name on the hub."""
    if (folder / name).is_dir():
        return folder / name
    snapshots = folder / HUB_CACHE / "hub" / f"models--{name.replace('/', '--')}" / "snapshots"
    versions = sorted(snapshots.glob("*"), key=lambda path: path.stat().st_mtime) if snapshots.is_dir() else []
    return versions[-1] if versions else snapshots


def _others(folder: Path, known: Collection[Path]) -> Iterator[tuple[Path, list[Path]]]:
    """Yield each folder with other files of weights than the known ones, and these files.

    Bundled language models that the system does not use are left out.
    """
    bundled = [folder / PRETRAINED / archive.folder for archive in BUNDLED.values()]
    for top in (folder / PRETRAINED, folder / OWN_MODELS):
        for path in sorted(Path(name) for name, _, _ in os.walk(top, followlinks=True)):
            weights = files_with_weights(path) if path == top else weight_files(path)  # at the top: several models
            files = [file for file in weights if file not in known]
            if files and not any(path.is_relative_to(other) for other in bundled):
                yield path, files


def _number_width(model: _LanguageModel, dtype: str) -> int:
    """Return the bytes of a number of the cache: those of the number format, 2 where it is not known."""
    if dtype:
        return WIDTH[dtype]
    if model.path.is_file():
        return 2
    config = read_json(model.path / CONFIG, _Config)
    return WIDTH.get(config.dtype or config.torch_dtype or "", 2)

"""The bundled model, SmolLM2-135M-Instruct: `smollm2` with the fastest measured engine, or a named one.

`python -m src.llm.fetch smollm2` downloads the GGUF file, unpacks a copy for transformers next to it and records the
fastest engine in engine.json. On another processor, or without that file, the engine is transformers.

Limitations: the model is weak. It exists to run everything on a laptop without a hub; good scores need a larger one.
"""

from functools import partial
from pathlib import Path

import msgspec

from src.atomic_file import write_whole
from src.errors import InputError
from src.json_decoding import decode
from src.llm import Options
from src.llm.convert_gguf import COPY
from src.llm.extras import require
from src.llm.measure import machine, short_run
from src.llm.protocol import LanguageModel
from src.llm.weights import PRETRAINED, SMOLLM2, is_there
from src.store import sha256

NAME = "SmolLM2-135M-Instruct"
ENGINES = {
    "transformers": Options(),
    "transformers-bfloat16": Options(dtype="bfloat16"),
    "transformers-float32": Options(dtype="float32"),
    "llamacpp": Options(),
}
MEASURED = ("transformers-bfloat16", "transformers-float32", "llamacpp")


class EngineChoice(msgspec.Struct, frozen=True):
    """Content of engine.json: the fastest engine, the machine, and all speeds in prompts per second."""

    engine: str
    machine: str
    prompts_per_second: dict[str, float]


def load(spec: str, argument: str, options: Options, root: Path = PRETRAINED) -> LanguageModel:
    """Return the model of `smollm2` or `smollm2:ENGINE`.

    Raises MissingExtra when it was not downloaded or a package is missing, InputError for an unknown engine.
    """
    folder = root / SMOLLM2.folder
    if not is_there(SMOLLM2, root):
        raise SMOLLM2.missing()
    engine = argument or remembered(folder)
    if engine not in ENGINES:
        raise InputError(f"{spec}: unknown engine {engine!r}; known are: {', '.join(ENGINES)}")
    if engine == "llamacpp":
        return _with_llamacpp(spec, folder, options)
    chosen = options if options.dtype else msgspec.structs.replace(options, dtype=ENGINES[engine].dtype)
    return _with_transformers(spec, folder, chosen)


def remembered(folder: Path) -> str:
    """Return the engine that was fastest on this machine, or "transformers" if that was not measured."""
    try:
        choice = decode((folder / "engine.json").read_bytes(), EngineChoice)
    except (OSError, msgspec.DecodeError):
        return "transformers"
    return choice.engine if choice.machine == machine() and choice.engine in ENGINES else "transformers"


def choose(root: Path = PRETRAINED) -> EngineChoice:
    """Time the engines and record the fastest in engine.json."""
    engines = {name: partial(load, f"smollm2:{name}", name, Options(), root) for name in MEASURED}
    speeds = short_run(engines)
    choice = EngineChoice(max(speeds, key=lambda name: speeds[name]), machine(), speeds)
    write_whole(root / SMOLLM2.folder / "engine.json", msgspec.json.format(msgspec.json.encode(choice)) + b"\n")
    return choice


def _gguf(folder: Path) -> Path:
    return folder / SMOLLM2.files[0].path


def _with_llamacpp(spec: str, folder: Path, options: Options) -> LanguageModel:
    require("xllamacpp", spec)
    from src.llm.llamacpp_backend import LlamaCppModel

    return LlamaCppModel(spec, _gguf(folder), options)


def _with_transformers(spec: str, folder: Path, options: Options) -> LanguageModel:
    require("torch", spec)
    require("transformers", spec)
    if not (folder / COPY).is_dir():
        raise SMOLLM2.missing()
    from src.llm.loading import load_pretrained
    from src.llm.transformers_backend import TransformersModel

    weights = sha256(_gguf(folder))
    loaded = load_pretrained(str(folder / COPY), options, weights)
    return TransformersModel(spec, NAME, loaded, options, weights)

"""The models that `python -m src.llm.fetch` downloads, by name: `smollm2` and the larger Qwen2.5-Coder.

`smollm2` runs on the engine that suits this machine, `smollm2:ENGINE` on a named one. `fetch smollm2` downloads the
GGUF file, unpacks a copy for transformers next to it, times the engines and records one in engine.json. That is torch,
our own layers (`llama_backend.py`), unless another is half as fast again: torch saves the seconds and the memory of
importing transformers. On another processor, or without that file, it is torch; on a GPU it is transformers. The name
`smollm2:torch` is torch on the CPU, whatever there is.

The larger models run on llama.cpp. `NAME:transformers` runs the copy that `fetch NAME --unpack` creates. It takes three
times the memory and, on a CPU that computes in bfloat16, half the time.

Limitations: smollm2 is weak. It exists to run everything on a laptop without a hub; good scores need a larger model.
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import msgspec

from src.atomic_file import write_whole
from src.errors import InputError, MissingExtra, require
from src.json_decoding import decode
from src.llm import Options
from src.llm.gguf_files import COPY
from src.llm.llamacpp_backend import LlamaCppModel
from src.llm.loading import computes_bfloat16, find_device, load_pretrained
from src.llm.measure import machine, short_run
from src.llm.protocol import LanguageModel
from src.llm.weights import LARGER, PRETRAINED, SMOLLM2, Archive, is_there
from src.store import sha256

NAME = "SmolLM2-135M-Instruct"
TORCH, TRANSFORMERS, LLAMACPP = "torch", "transformers", "llamacpp"
ENGINES = {
    TORCH: Options(),
    TRANSFORMERS: Options(),
    "transformers-bfloat16": Options(dtype="bfloat16"),
    "transformers-float32": Options(dtype="float32"),
    LLAMACPP: Options(),
}
MEASURED = (TORCH, "transformers-bfloat16", "transformers-float32", LLAMACPP)
WORTH_LOADING = 1.5  # times as fast as torch; below it, loading and the noise of a short run outweigh the gain


class EngineChoice(msgspec.Struct, frozen=True):
    """Content of engine.json.

    `engine`: the engine that suits this machine.
    `machine`: the machine on which the engines were timed.
    `prompts_per_second`: speed of each engine.
    """

    engine: str
    machine: str
    prompts_per_second: dict[str, float]


def load(spec: str, argument: str, options: Options, root: Path = PRETRAINED) -> LanguageModel:
    """Load the model of the spec `NAME` or `NAME:ENGINE`.

    Raises MissingExtra when the model is not downloaded or unpacked, or a package is missing. Raises InputError for an
    unknown engine, and for `smollm2:torch` with options that it does not follow.
    """
    check_engine(spec, argument)
    name = spec.partition(":")[0]
    archive = LARGER.get(name, SMOLLM2)
    if not is_there(archive, root):
        raise archive.missing()
    engine = engine_named(name, argument, root)
    if engine == LLAMACPP:
        require("xllamacpp", spec)
        return LlamaCppModel(spec, _gguf(archive, root), options)
    require("torch", spec)
    if archive is SMOLLM2 and engine == TORCH and (dtype := _plain_dtype(options, forced=bool(argument))):
        return _in_torch(spec, root, options, dtype)
    if argument == TORCH:
        raise InputError(f"{spec} runs on a CPU, in float32 or bfloat16; leave out :{TORCH}, --device or --dtype")
    chosen = options if options.dtype else msgspec.structs.replace(options, dtype=ENGINES[engine].dtype)
    return _in_transformers(spec, archive, root, chosen)


def check_engine(spec: str, argument: str) -> None:
    """Raise InputError if the argument of a spec, `NAME` or `NAME:ENGINE`, is an unknown engine."""
    known = [TRANSFORMERS] if spec.partition(":")[0] in LARGER else list(ENGINES)
    if argument and argument not in known:
        verb = "are" if len(known) > 1 else "is"
        raise InputError(f"{spec}: unknown engine {argument!r}; known {verb}: {', '.join(known)}")


def engine_named(name: str, argument: str, root: Path = PRETRAINED) -> str:
    """Return the engine of the spec `NAME` (`argument` is "") or `NAME:ENGINE`, one of `ENGINES`."""
    return argument or (LLAMACPP if name in LARGER else remembered(root / SMOLLM2.folder))


def _plain_dtype(options: Options, *, forced: bool) -> str | None:
    """Return the number format in which our own layers compute; None where transformers must do it.

    That is in float16, and on a GPU. `forced`: a GPU that --device does not name is left aside.
    """
    device = "cpu" if forced and options.device is None else find_device(options.device)
    if device != "cpu" or options.dtype == "float16":
        return None
    return options.dtype or ("bfloat16" if computes_bfloat16("cpu") else "float32")


def _in_torch(spec: str, root: Path, options: Options, dtype: str) -> LanguageModel:
    from src.llm.llama_backend import LlamaModel

    copy = root / SMOLLM2.folder / COPY
    if not copy.is_dir():
        raise SMOLLM2.missing()
    other = partial(_in_transformers, spec, SMOLLM2, root, msgspec.structs.replace(options, dtype=dtype, device="cpu"))
    return LlamaModel(spec, NAME, copy, options, sha256(_gguf(SMOLLM2, root)), dtype, other)


def _in_transformers(spec: str, archive: Archive, root: Path, options: Options) -> LanguageModel:
    require("transformers", spec)
    copy = root / archive.folder / COPY
    if not copy.is_dir() and archive is SMOLLM2:
        raise archive.missing()
    if not copy.is_dir():
        raise MissingExtra(f"{copy} is not here; run: python -m src.llm.fetch {archive.name} --unpack")
    from src.llm.transformers_backend import TransformersModel

    weights = sha256(_gguf(archive, root))
    name = NAME if archive is SMOLLM2 else archive.name
    return TransformersModel(spec, name, load_pretrained(str(copy), options, weights), options, weights)


def _gguf(archive: Archive, root: Path) -> Path:
    return root / archive.folder / archive.files[0].path


def remembered(folder: Path) -> str:
    """Return the engine that engine.json names; "torch" if not all were measured on this machine."""
    try:
        choice = decode((folder / "engine.json").read_bytes(), EngineChoice)
    except (OSError, msgspec.DecodeError):
        return TORCH
    is_measured = choice.machine == machine() and choice.prompts_per_second.keys() >= set(MEASURED)
    return choice.engine if is_measured and choice.engine in ENGINES else TORCH


def choose(root: Path = PRETRAINED) -> EngineChoice:
    """Time the engines and record the one that suits this machine in engine.json.

    One that beats torch is timed again together with it, because other work may have slowed torch down.
    """
    engines = {name: partial(load, f"smollm2:{name}", name, Options(), root) for name in MEASURED}
    speeds = short_run(engines, WORTH_LOADING)
    if (best := suitable(speeds)) != TORCH:
        again = short_run({name: engines[name] for name in (TORCH, best)}, WORTH_LOADING)
        speeds |= {name: max(speed, speeds[name]) for name, speed in again.items()}
    choice = EngineChoice(suitable(speeds), machine(), speeds)
    write_whole(root / SMOLLM2.folder / "engine.json", msgspec.json.format(msgspec.json.encode(choice)) + b"\n")
    return choice


def suitable(speeds: Mapping[str, float]) -> str:
    """Return the fastest engine if it is `WORTH_LOADING` times as fast as torch, else "torch"."""
    best = max(speeds, key=lambda name: speeds[name])
    return best if speeds[best] >= WORTH_LOADING * speeds[TORCH] else TORCH


def fastest(name: str, root: Path = PRETRAINED) -> str:
    """Return the spec of a larger model's faster engine on this machine; any other name is returned unchanged."""
    is_unpacked = name in LARGER and (root / LARGER[name].folder / COPY).is_dir()
    return f"{name}:{TRANSFORMERS}" if is_unpacked and computes_bfloat16(find_device()) else name

"""The larger models that `python -m src.llm.fetch` downloads, by name: GGUF files, run by llama.cpp.

`NAME:transformers` runs the copy that `fetch NAME --unpack` creates. It takes three times the memory and, on a CPU that
computes in bfloat16, half the time.
"""

from pathlib import Path

from src.errors import InputError, MissingExtra
from src.llm import Options
from src.llm.convert_gguf import COPY
from src.llm.extras import require
from src.llm.larger_weights import LARGER
from src.llm.llamacpp_backend import LlamaCppModel
from src.llm.loading import computes_bfloat16, find_device, load_pretrained
from src.llm.protocol import LanguageModel
from src.llm.weights import PRETRAINED, is_there
from src.store import sha256

TRANSFORMERS = "transformers"


def load(spec: str, argument: str, options: Options, root: Path = PRETRAINED) -> LanguageModel:
    """Return the model of that name.

    Raises MissingExtra when it was not downloaded or unpacked, InputError for an unknown engine.
    """
    name = spec.partition(":")[0]
    if argument not in ("", TRANSFORMERS):
        raise InputError(f"{spec}: unknown engine {argument!r}; known is: {TRANSFORMERS}")
    archive = LARGER[name]
    if not is_there(archive, root):
        raise archive.missing()
    gguf = root / archive.folder / archive.files[0].path
    return _with_transformers(spec, name, gguf, options) if argument else LlamaCppModel(spec, gguf, options)


def fastest(name: str, root: Path = PRETRAINED) -> str:
    """Return the spec of the engine that is faster here, or `name` itself if it is none of these models."""
    is_unpacked = name in LARGER and (root / LARGER[name].folder / COPY).is_dir()
    return f"{name}:{TRANSFORMERS}" if is_unpacked and computes_bfloat16(find_device()) else name


def _with_transformers(spec: str, name: str, gguf: Path, options: Options) -> LanguageModel:
    require("torch", spec)
    require("transformers", spec)
    if not (copy := gguf.parent / COPY).is_dir():
        raise MissingExtra(f"{copy} is not here; run: python -m src.llm.fetch {name} --unpack")
    from src.llm.transformers_backend import TransformersModel

    weights = sha256(gguf)
    return TransformersModel(spec, name, load_pretrained(str(copy), options, weights), options, weights)

"""The larger models that `python -m src.llm.fetch` brings, by their names: GGUF files, run by llama.cpp."""

from pathlib import Path

from src.errors import InputError
from src.llm import Options
from src.llm.larger_weights import LARGER
from src.llm.llamacpp_backend import LlamaCppModel
from src.llm.weights import PRETRAINED, is_there


def load(spec: str, argument: str, options: Options, root: Path = PRETRAINED) -> LlamaCppModel:
    """The model of that name. Raises MissingExtra when it was not fetched, InputError."""
    name = spec.partition(":")[0]
    if argument:
        raise InputError(f"{spec}: nothing goes behind {name}")
    archive = LARGER[name]
    if not is_there(archive, root):
        raise archive.missing()
    return LlamaCppModel(spec, root / archive.folder / archive.files[0].path, options)

"""Files of the models that a step's settings name, which the nodes of a cluster compare.

These are the files of `smollm2`, `mpnet` and the larger models of `src/llm/weights.py`, and of folders of transformers
and vLLM (`FOLDER`, `hf:FOLDER`, `vllm:FOLDER`), as far as this machine has them. Checkpoints, adapters and GGUF files
that are given by path are inputs of the run. minilm is compared with its known hashes whenever it is loaded.

Limitations: models that are given by their name on a hub have no files here; each node loads what its cache holds.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from src.errors import InputError
from src.llm import parse_spec
from src.llm.gguf_files import COPY
from src.llm.weights import ARCHIVES, LARGER, MINILM, PRETRAINED
from src.settings import values_of

KNOWN = ARCHIVES | LARGER
IN_FOLDER = ("hf", "vllm")


def named_model_files(settings: msgspec.Struct, root: Path = PRETRAINED) -> dict[str, Path]:
    """Return the files of the models that the settings name, by path. `root`: folder of the models that have names."""
    specs = [value for value in values_of(settings).values() if isinstance(value, str)]
    return {str(path): path for spec in specs for path in _files_of(spec, root)}


def _files_of(spec: str, root: Path) -> Iterator[Path]:
    """Yield the files of the model that a value names: those of a larger model's copy only if that is asked for."""
    name, _, engine = spec.partition(":")
    if name in KNOWN and name != MINILM.name:
        archive = KNOWN[name]
        paths = (root / archive.folder / file.path for file in archive.files)
        yield from filter(Path.is_file, paths)
        if name not in LARGER or engine:
            yield from _files_in(root / archive.folder / COPY)
    elif folder := _folder_of(spec):
        yield from _files_in(folder)


def _folder_of(spec: str) -> Path | None:
    """Return the path or hub name of a model that transformers or vLLM loads, as a path; None for other values."""
    try:
        kind, argument = parse_spec(spec)
    except InputError:
        return None
    return Path(argument) if kind in IN_FOLDER else None


def _files_in(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from (path for path in sorted(folder.iterdir()) if path.is_file())

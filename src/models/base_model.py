"""Finder of base models for training, by name.

A name is `smollm2`, `minilm`, `mpnet`, a larger model of `src/llm/weights.py`, or `hf:` followed by a folder or a hub
name. The model's hash is that of its weight file. For a language model of that module this is the GGUF file, from which
the folder for transformers was converted.

Limitations: finds the folder, and downloads it from the hub if needed, but loads no model.
"""

import os.path
from pathlib import Path

import msgspec

from src.errors import InputError, MissingExtra, require
from src.llm.gguf_files import COPY
from src.llm.loading import first_line
from src.llm.weights import ARCHIVES, LARGER, PRETRAINED, WEIGHTS, Archive, check, hash_of, is_there
from src.store import read_json

KNOWN = ARCHIVES | LARGER
SHOWN = 100  # characters of an unknown name that an error message shows
HUB_FILES = ("*.json", "*.safetensors", "*.txt", "*.model", "*.jinja")


class BaseModel(msgspec.Struct, frozen=True):
    """A base model.

    `name`: the name by which it was found.
    `folder`: the folder that transformers loads.
    `sha256`: hash of its weights; None if the folder has no weight file.
    """

    name: str
    folder: Path
    sha256: str | None


class Config(msgspec.Struct, frozen=True):
    """The fields of config.json that name the architecture."""

    architectures: list[str] | None = None


def find_base(name: str, root: Path = PRETRAINED) -> BaseModel:
    """Find a base model by its name, and download it from the hub if needed.

    Raises MissingExtra when a bundled model was not fetched, InputError when there is no such model.
    """
    if name in KNOWN:
        return _held(KNOWN[name], root)
    folder = Path(name.removeprefix("hf:"))
    if not os.path.isdir(folder):  # False, where Path.is_dir raises, for a name that is too long
        folder = _from_hub(name)
    if not (folder / "config.json").is_file():
        raise InputError("no config.json in it, so no model", path=folder)
    return BaseModel(name, folder, hash_of(folder))


def is_language_model(base: BaseModel) -> bool:
    """Return True if the base model generates text. Raises InputError when its config cannot be read."""
    config = read_json(base.folder / "config.json", Config)
    return any(architecture.endswith("ForCausalLM") for architecture in config.architectures or ())


def _held(archive: Archive, root: Path) -> BaseModel:
    folder = root / archive.folder
    if not is_there(archive, root):
        raise archive.missing()
    weights = next(file for file in archive.files if file.path.endswith(WEIGHTS))
    copy = folder / COPY if weights.path.endswith(".gguf") else folder
    if not copy.is_dir():
        raise MissingExtra(f"{copy} is not here; run: python -m src.llm.fetch {archive.name} --unpack")
    check(archive, folder)
    return BaseModel(archive.name, copy, weights.sha256)


def _from_hub(name: str) -> Path:
    if not name.startswith("hf:") and "/" not in name:
        known = ", ".join(KNOWN)
        raise InputError(f"no model {name[:SHOWN]}: known are {known}, else give hf:FOLDER or hf:OWNER/NAME")
    require("huggingface_hub", name)
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name.removeprefix("hf:"), allow_patterns=list(HUB_FILES)))
    except (OSError, ValueError) as error:
        raise InputError(f"no model {name[:SHOWN]}: {first_line(error)}") from None

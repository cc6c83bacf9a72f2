"""The model that something is trained from: `smollm2`, `minilm`, `mpnet`, or `hf:` and a folder or a hub's name.

The hash is that of the weight file: of the GGUF for SmolLM2, whose copy for transformers is made from it.

But: finds the folder, loads nothing.
"""

from pathlib import Path

import msgspec

from src.errors import InputError
from src.llm.extras import require
from src.llm.weights import ARCHIVES, PRETRAINED, SMOLLM2, WEIGHTS, check, hash_of, is_there

HUB_FILES = ("*.json", "*.safetensors", "*.txt", "*.model", "*.jinja")


class BaseModel(msgspec.Struct, frozen=True):
    """`name` as it was asked for, the folder that transformers loads, and the hash of its weights."""

    name: str
    folder: Path
    sha256: str | None


def find_base(name: str, root: Path = PRETRAINED) -> BaseModel:
    """Raises MissingExtra when a bundled one was not fetched, InputError when there is no such model."""
    if name in ARCHIVES:
        return _bundled(name, root)
    folder = Path(name.removeprefix("hf:"))
    if not folder.is_dir():
        folder = _from_hub(name)
    if not (folder / "config.json").is_file():
        raise InputError("no config.json in it, so no model", path=folder)
    return BaseModel(name, folder, hash_of(folder))


def _bundled(name: str, root: Path) -> BaseModel:
    archive = ARCHIVES[name]
    folder = root / archive.folder
    copy = folder / "transformers" if archive is SMOLLM2 else folder
    if not is_there(archive, root) or not copy.is_dir():
        raise archive.missing()
    check(archive, folder)
    weights = next(file for file in archive.files if file.path.endswith(WEIGHTS))
    return BaseModel(name, copy, weights.sha256)


def _from_hub(name: str) -> Path:
    if not name.startswith("hf:") and "/" not in name:
        known = ", ".join(ARCHIVES)
        raise InputError(f"no model {name}: known are {known}, else give hf:FOLDER or hf:OWNER/NAME")
    require("huggingface_hub", name)
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name.removeprefix("hf:"), allow_patterns=list(HUB_FILES)))
    except (OSError, ValueError) as error:
        raise InputError(f"no model {name}: {str(error).strip().partition(chr(10))[0]}") from None

"""Encoders that sentence-transformers loads from a folder or a hub, with their prompts, on a GPU where there is one.

Limitations: code that comes with a model is not run. A model is loaded in the number format that it was saved in.
"""

import hashlib
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from src.errors import InputError
from src.llm.loading import silence
from src.llm.protocol import ModelInfo
from src.llm.weights import hash_of
from src.models.sentence_encoder import SentenceEncoder, Vectors
from src.models.vocabulary import first_line
from src.store import sha256


def load_library(name: str) -> SentenceEncoder:
    """Return the encoder of a folder or of a hub's name. Raises InputError when it is missing or cannot be loaded."""
    folder = Path(name)
    if folder.is_dir() and not (folder / "modules.json").is_file():
        raise InputError("not a sentence-transformers model: it has no modules.json", path=folder)
    revision = None if folder.is_dir() else _revision_on_hub(name)
    model = _load(name, revision)
    device = model.device.type
    info = ModelInfo(
        spec=name,
        engine="sentence-transformers",
        name=folder.name,
        sha256=hash_of(folder) if folder.is_dir() else None,
        context=model.max_seq_length,
        deterministic=device == "cpu",
        details={
            "dtype": str(model.dtype).removeprefix("torch."),
            "device": device,
            **({"revision": revision} if revision else {}),
        },
    )
    identity = f"{name}@{revision}" if revision else _identity(folder)
    return SentenceEncoder(info, model.get_embedding_dimension(), identity, lambda: LibraryEngine(model))


class LibraryEngine:
    """A loaded SentenceTransformer. Its prompts for queries and documents, if any, are put before the texts."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def lengths(self, texts: Sequence[str], *, queries: bool) -> list[int]:
        tokenizer = self._model.tokenizer
        if not callable(tokenizer):  # a model of static word vectors: the length does not matter
            return [0] * len(texts)
        rows = tokenizer(list(texts), truncation=True, max_length=self._model.max_seq_length)["input_ids"]
        return [len(row) for row in rows]

    def embed(self, texts: Sequence[str], *, queries: bool) -> Vectors:
        encode = self._model.encode_query if queries else self._model.encode_document
        found = np.asarray(encode(list(texts), batch_size=len(texts), show_progress_bar=False), np.float32)
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        some = (lengths > 0) & np.isfinite(lengths)  # rows of zeros and rows that are not finite stay as they are
        unit: Vectors = np.divide(found, lengths, out=found, where=some)
        return unit


def _revision_on_hub(name: str) -> str:
    """Return the commit of a hub's name. Loading by commit avoids repeated requests to the hub.

    Raises InputError when the hub has no such model.
    """
    from huggingface_hub import hf_hub_download

    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    try:
        return Path(hf_hub_download(name, "modules.json")).parent.name  # .../snapshots/COMMIT/modules.json
    except (OSError, ValueError) as error:
        raise InputError(f"no encoder {name}: no such folder, nor on the hub ({first_line(error)})") from None


def _load(name: str, revision: str | None) -> Any:
    from sentence_transformers import SentenceTransformer

    silence()
    try:
        return SentenceTransformer(name, revision=revision, local_files_only=revision is None).eval()
    except (OSError, ValueError, RuntimeError, KeyError, ImportError) as error:
        raise InputError(f"cannot load the encoder {name}: {first_line(error)}") from None


def _identity(folder: Path) -> str:
    """Return a hash of the names and content of all files of the folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    lines = (f"{sha256(path)}  {path.relative_to(folder).as_posix()}\n" for path in files)
    return hashlib.sha256("".join(lines).encode()).hexdigest()

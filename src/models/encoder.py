"""Sentence encoders: texts in, vectors of length 1 out.

`load_encoder` loads the bundled all-MiniLM-L6-v2, `mpnet`, or any sentence-transformers model by folder or name. The
bundled model runs in `bert_layers.py`, without transformers. Its vectors equal those of sentence-transformers up to
rounding (tests/models/test_encoder.py). The others run in sentence-transformers with their prompts, on a GPU where
there is one.

A batch holds texts of equal length in tokens, so nothing is padded; the bundled model multiplies batches of several
lengths together. The other texts of a call therefore change a vector by nothing in bfloat16, and by rounding (1e-7) in
float32.

Limitations: no training. The bundled model runs on the CPU only. Code that comes with a model is not run, and a model
is loaded in the number format that it was saved in. `src/reranking/hybrid/vectors.py` stores vectors on disk.
"""

import hashlib
import logging
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from src.errors import InputError, ModelError, require
from src.llm.loading import first_line, silence
from src.llm.protocol import ModelInfo
from src.llm.tensor_file import TensorFile
from src.llm.weights import MINILM, MPNET, PRETRAINED, check, hash_of, is_there
from src.models.bert_layers import WORDS, Bert, Shape
from src.store import sha256, storable

Vectors = npt.NDArray[np.float32]
Dtype = Literal["float32", "bfloat16"]

BATCH_TOKENS, PACK_TOKENS = 1024, 2048
CHARACTERS_A_TOKEN = 64  # a longer text is cut before it is tokenized; words of a language are far shorter


class EncoderEngine(Protocol):
    """A loaded sentence encoder.

    `lengths` returns the number of tokens of each text. `embed` takes batches of texts with equal numbers of tokens and
    returns the vectors of each batch: [texts, width], each of length 1.
    """

    def lengths(self, texts: Sequence[str], *, queries: bool) -> list[int]: ...

    def embed(self, batches: Sequence[Sequence[str]], *, queries: bool) -> list[Vectors]: ...


class SentenceEncoder:
    """A sentence encoder. The bundled model is loaded when the first vector is computed.

    `identity` is the key under which vectors are stored on disk; vectors with another key are not used. It contains a
    hash of the model's files, or its hub name and revision, and for the bundled model the number format.
    """

    def __init__(self, info: ModelInfo, width: int, identity: str, start: Callable[[], EncoderEngine]) -> None:
        self.info, self.width, self.identity = info, width, identity
        self._start = start

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of documents: float32 [len(texts), width], each of length 1.

        Equal texts get equal vectors. Raises ModelError when the model returns a value that is not finite.
        """
        return self._encoded(texts, queries=False)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of queries: `encode` with the model's prompt for queries, if it has one."""
        return self._encoded(texts, queries=True)

    @cached_property
    def _engine(self) -> EncoderEngine:
        return self._start()

    def _encoded(self, texts: Sequence[str], *, queries: bool) -> Vectors:
        if not texts:
            return np.empty((0, self.width), np.float32)
        limit = CHARACTERS_A_TOKEN * (self.info.context or 512)
        cut = [storable(text[:limit]) for text in texts]
        distinct = list(dict.fromkeys(cut))
        vectors = np.empty((len(distinct), self.width), np.float32)
        for pack in packs(self._engine.lengths(distinct, queries=queries)):
            texts_of_pack = [[distinct[index] for index in batch] for batch in pack]
            embedded = self._engine.embed(texts_of_pack, queries=queries)
            for batch, rows in zip(pack, embedded, strict=True):
                vectors[batch] = rows
        if not np.isfinite(vectors).all():
            raise ModelError(f"the encoder {self.info.name} gave a vector that is no number")
        indices = {text: index for index, text in enumerate(distinct)}
        return vectors[[indices[text] for text in cut]]


def equal_lengths(lengths: Sequence[int], tokens: int) -> list[list[int]]:
    """Group rows of these lengths into batches of equal length, as lists of row indices; shortest first.

    A batch has at most `tokens` tokens, or one row.
    """
    batches = []
    for length, group in groupby(sorted(range(len(lengths)), key=lengths.__getitem__), lengths.__getitem__):
        indices, rows = list(group), max(1, tokens // max(1, length))
        batches += [indices[first : first + rows] for first in range(0, len(indices), rows)]
    return batches


def packs(lengths: Sequence[int]) -> Iterator[list[list[int]]]:
    """Yield batches of rows of equal length (`equal_lengths`) that are computed together, shortest first.

    Together they have at most `PACK_TOKENS` tokens, or are one batch. A product of few rows takes as long as one of
    many, so many small batches are computed together.
    """
    pack: list[list[int]] = []
    tokens = 0
    for batch in equal_lengths(lengths, BATCH_TOKENS):
        more = len(batch) * lengths[batch[0]]
        if pack and tokens + more > PACK_TOKENS:
            yield pack
            pack, tokens = [], 0
        pack.append(batch)
        tokens += more
    if pack:
        yield pack


WIDTH = 384
HEADS = 12
MAX_LENGTH = 256  # tokens
_BFLOAT16 = {"avx512_bf16", "amx_bf16", "bf16"}  # what Linux calls the instructions


def load_bundled(dtype: Dtype | None, root: Path = PRETRAINED) -> SentenceEncoder:
    """Return the bundled encoder.

    Raises MissingExtra when it is not downloaded or torch is not installed, InputError when a file has a wrong hash.
    """
    if not is_there(MINILM, root):
        raise MINILM.missing()
    for package in ("torch", "tokenizers"):
        require(package, "the bundled sentence encoder")
    folder = root / MINILM.folder
    check(MINILM, folder)
    chosen: Dtype = dtype or ("bfloat16" if computes_bfloat16() else "float32")
    hashes = {file.path: file.sha256 for file in MINILM.files}
    info = ModelInfo(
        spec=str(folder),
        engine="torch",
        name=folder.name,
        sha256=hashes["model.safetensors"],
        context=MAX_LENGTH,
        details={"dtype": chosen, "device": "cpu"},
    )
    identity = hashlib.sha256("".join(f"{hashes[path]}  {path}\n" for path in sorted(hashes)).encode()).hexdigest()
    return SentenceEncoder(info, WIDTH, f"{identity} {chosen}", partial(BundledEngine, folder, chosen))


def computes_bfloat16(processor: Path = Path("/proc/cpuinfo")) -> bool:
    """Return True if Linux reports that the processor has instructions for bfloat16.

    torch also knows, but importing it takes a second.
    """
    try:
        lines = processor.read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    flags = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    return not _BFLOAT16.isdisjoint(flags.split())


class BundledEngine:
    """The bundled encoder, loaded. It has no prompts: queries are encoded like documents."""

    def __init__(self, folder: Path, dtype: Dtype) -> None:
        import torch
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(MAX_LENGTH)
        self._tokenizer.no_padding()
        weights = TensorFile(folder / "model.safetensors").weights()
        cast = weights.mapped(lambda _, weight: weight.to(getattr(torch, dtype)), only_cast=[WORDS])
        self._bert = Bert(cast, Shape(HEADS))

    def lengths(self, texts: Sequence[str], *, queries: bool) -> list[int]:
        return [len(encoding.ids) for encoding in self._tokenizer.encode_batch_fast(list(texts))]

    def embed(self, batches: Sequence[Sequence[str]], *, queries: bool) -> list[Vectors]:
        import torch
        from torch.nn.functional import normalize

        tokens = [[encoding.ids for encoding in self._tokenizer.encode_batch_fast(list(batch))] for batch in batches]
        with torch.inference_mode():
            outputs = self._bert([(torch.tensor(ids), None) for ids in tokens])
            vectors: list[Vectors] = [normalize(one.float().mean(1), dim=-1).numpy() for one in outputs]
        return vectors


def load_library(name: str) -> SentenceEncoder:
    """Load a sentence-transformers model by folder or hub name.

    Raises InputError when it is missing or cannot be loaded.
    """
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
    """A loaded SentenceTransformer. The model's prompts for queries and documents, if any, are put before texts."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def lengths(self, texts: Sequence[str], *, queries: bool) -> list[int]:
        tokenizer = self._model.tokenizer
        if not callable(tokenizer):  # a model of static word vectors: the length does not matter
            return [0] * len(texts)
        rows = tokenizer(list(texts), truncation=True, max_length=self._model.max_seq_length)["input_ids"]
        return [len(row) for row in rows]

    def embed(self, batches: Sequence[Sequence[str]], *, queries: bool) -> list[Vectors]:
        return [self._embedded(batch, queries) for batch in batches]

    def _embedded(self, texts: Sequence[str], queries: bool) -> Vectors:
        encode = self._model.encode_query if queries else self._model.encode_document
        vectors = np.asarray(encode(list(texts), batch_size=len(texts), show_progress_bar=False), np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        some = (lengths > 0) & np.isfinite(lengths)  # rows of zeros and rows that are not finite stay as they are
        unit: Vectors = np.divide(vectors, lengths, out=vectors, where=some)
        return unit


def _revision_on_hub(name: str) -> str:
    """Return the commit of a model on the hub. Loading by commit avoids repeated requests to the hub.

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


def load_encoder(name: str | None = None, *, dtype: Dtype | None = None) -> SentenceEncoder:
    """Load a sentence encoder: the bundled one (None), `mpnet`, or a sentence-transformers folder or hub name.

    The bundled encoder runs on the CPU in `dtype`. The default is bfloat16 where the processor computes in it, else
    float32. Other encoders run in sentence-transformers in their own number format, on a GPU where there is one.

    Raises InputError when there is no such model, or a `dtype` is given for another encoder than the bundled one.
    Raises MissingExtra when the bundled model, `mpnet` or a package is not installed.
    """
    if name is None:
        return load_bundled(dtype)
    if dtype is not None:
        raise InputError(f"the encoder {name} runs in its own number format, not in {dtype}")
    require("sentence_transformers", f"the encoder {name}")
    if name == MPNET.name:
        if not is_there(MPNET):
            raise MPNET.missing()
        name = str(PRETRAINED / MPNET.folder)

    return load_library(name)

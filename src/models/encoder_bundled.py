"""The bundled encoder, all-MiniLM-L6-v2: a BERT (`src/models/bert_layers.py`) whose word vectors are averaged.

Its vectors equal those of sentence-transformers up to rounding (tests/models/test_encoder.py).

Limitations: this model only, on the CPU only. Any other model, or this one on a GPU, runs in
`src/models/encoder_library.py`.
"""

import hashlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from src.llm.extras import require
from src.llm.protocol import ModelInfo
from src.llm.weights import MINILM, PRETRAINED, check, is_there
from src.models.bert_layers import Bert, Shape
from src.models.sentence_encoder import Dtype, SentenceEncoder, Vectors

WIDTH = 384
HEADS = 12
MAX_LENGTH = 256  # tokens
_BFLOAT16 = {"avx512_bf16", "amx_bf16", "bf16"}  # what Linux calls the instructions


def load_bundled(dtype: Dtype | None, root: Path = PRETRAINED) -> SentenceEncoder:
    """Return the bundled encoder.

    Raises MissingExtra when it was not fetched or torch is not installed, InputError when a file has another hash.
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
    """The loaded model. It has no prompts: queries are encoded like documents."""

    def __init__(self, folder: Path, dtype: Dtype) -> None:
        import torch
        from safetensors.torch import load_file
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(MAX_LENGTH)
        self._tokenizer.no_padding()
        held = load_file(folder / "model.safetensors")
        state = {name: weight.to(getattr(torch, dtype)) for name, weight in held.items() if weight.is_floating_point()}
        self._bert = Bert(state, Shape(HEADS))

    def lengths(self, texts: Sequence[str], *, queries: bool) -> list[int]:
        return [len(found.ids) for found in self._tokenizer.encode_batch_fast(list(texts))]

    def embed(self, texts: Sequence[str], *, queries: bool) -> Vectors:
        import torch
        from torch.nn.functional import normalize

        ids = torch.tensor([found.ids for found in self._tokenizer.encode_batch_fast(list(texts))])
        with torch.inference_mode():
            vectors: Vectors = normalize(self._bert(ids).float().mean(1), dim=-1).numpy()
        return vectors.astype(np.float32, copy=False)

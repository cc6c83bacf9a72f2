"""The bundled encoder, all-MiniLM-L6-v2, as plain tensor operations: a BERT whose word vectors are averaged.

Loading it needs torch and its weights alone; importing transformers would take as long as encoding a thousand
sentences. Equal to sentence-transformers up to rounding (tests/models/test_encoder.py).

But: this model only, on the CPU only, without padding: all texts of a batch have the same length. Any other model, or
this one on a GPU, runs in `src/models/encoder_library.py`.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from src.llm.extras import require
from src.llm.protocol import ModelInfo
from src.llm.weights import MINILM, PRETRAINED, check, is_there
from src.models.sentence_encoder import Dtype, SentenceEncoder, Vectors

if TYPE_CHECKING:
    from torch import Tensor

WIDTH = 384
HEADS = 12
LAYERS = 6
MAX_LENGTH = 256  # tokens
EPSILON = 1e-12  # of layer normalisation
_BFLOAT16 = {"avx512_bf16", "amx_bf16", "bf16"}  # what Linux calls the instructions


def load_bundled(dtype: Dtype | None, root: Path = PRETRAINED) -> SentenceEncoder:
    """Raises MissingExtra when it was not fetched or torch is not installed, InputError when a file is another."""
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
    """Whether Linux says that the processor has instructions for bfloat16; importing torch to ask takes a second."""
    try:
        lines = processor.read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    flags = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    return not _BFLOAT16.isdisjoint(flags.split())


@dataclass(frozen=True)
class _Affine:
    """Weight and bias of a linear map or of a normalisation."""

    weight: "Tensor"
    bias: "Tensor"

    @classmethod
    def read(cls, state: Mapping[str, "Tensor"], *names: str) -> "_Affine":
        """Those of that name; of several linear maps, one that gives all their outputs beside each other."""
        import torch

        return cls(*(torch.cat([state[f"{name}.{kind}"] for name in names]) for kind in ("weight", "bias")))

    def linear(self, x: "Tensor") -> "Tensor":
        from torch.nn.functional import linear

        return linear(x, self.weight, self.bias)

    def norm(self, x: "Tensor") -> "Tensor":
        from torch.nn.functional import layer_norm

        return layer_norm(x, (WIDTH,), self.weight, self.bias, EPSILON)


@dataclass(frozen=True)
class _Layer:
    """One layer of BERT (Devlin et al. 2019): attention, then feed-forward, each added to its input and normalised."""

    attention: _Affine
    attended: _Affine
    attended_norm: _Affine
    up: _Affine
    down: _Affine
    norm: _Affine

    @classmethod
    def read(cls, state: Mapping[str, "Tensor"], name: str) -> "_Layer":
        return cls(
            _Affine.read(state, *(f"{name}.attention.self.{part}" for part in ("query", "key", "value"))),
            _Affine.read(state, f"{name}.attention.output.dense"),
            _Affine.read(state, f"{name}.attention.output.LayerNorm"),
            _Affine.read(state, f"{name}.intermediate.dense"),
            _Affine.read(state, f"{name}.output.dense"),
            _Affine.read(state, f"{name}.output.LayerNorm"),
        )

    def __call__(self, x: "Tensor") -> "Tensor":
        """[rows, tokens, WIDTH] to the same."""
        from torch.nn.functional import gelu

        rows, tokens, _ = x.shape
        heads = self.attention.linear(x).view(rows, tokens, 3, HEADS, WIDTH // HEADS)
        query, key, value = heads.permute(2, 0, 3, 1, 4)
        weights = (query @ key.transpose(-1, -2) * (WIDTH // HEADS) ** -0.5).softmax(-1)
        seen = (weights @ value).transpose(1, 2).reshape(rows, tokens, WIDTH)
        x = self.attended_norm.norm(x + self.attended.linear(seen))
        return self.norm.norm(x + self.down.linear(gelu(self.up.linear(x))))


class BundledEngine:
    """The loaded model. It has no prompts: queries are texts like others."""

    def __init__(self, folder: Path, dtype: Dtype) -> None:
        import torch
        from safetensors.torch import load_file
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(MAX_LENGTH)
        self._tokenizer.no_padding()
        held = load_file(folder / "model.safetensors")
        state = {name: weight.to(getattr(torch, dtype)) for name, weight in held.items() if weight.is_floating_point()}
        types = state["embeddings.token_type_embeddings.weight"]
        self._places = state["embeddings.position_embeddings.weight"] + types[0]
        self._words = state["embeddings.word_embeddings.weight"]
        self._norm = _Affine.read(state, "embeddings.LayerNorm")
        self._layers = [_Layer.read(state, f"encoder.layer.{number}") for number in range(LAYERS)]

    def lengths(self, texts: Sequence[str], *, queries: bool) -> list[int]:
        return [len(found.ids) for found in self._tokenizer.encode_batch_fast(list(texts))]

    def embed(self, texts: Sequence[str], *, queries: bool) -> Vectors:
        import torch
        from torch.nn.functional import embedding, normalize

        ids = torch.tensor([found.ids for found in self._tokenizer.encode_batch_fast(list(texts))])
        with torch.inference_mode():
            x = self._norm.norm(embedding(ids, self._words) + self._places[: ids.shape[1]])
            for layer in self._layers:
                x = layer(x)
            vectors: Vectors = normalize(x.float().mean(1), dim=-1).numpy()
        return vectors.astype(np.float32, copy=False)

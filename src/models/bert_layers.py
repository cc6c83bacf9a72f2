"""The layers of a BERT as plain tensor operations (Devlin et al. 2019), sizes read off the weights.

Loading it needs torch and the weights alone; importing transformers would take as long as encoding a thousand
sentences. Equal to transformers up to rounding (tests/models/test_bert_layers.py).

But: inference only, and no padding: all texts of a batch have the same length, which costs no time worth naming on a
CPU and makes a text's result independent of what stands beside it. `fits` says which configs it serves.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from src.errors import InputError

if TYPE_CHECKING:
    from torch import Tensor

PARTS = ("embeddings.", "encoder.")
EPSILON = 1e-12  # of layer normalisation
SHORT = 256  # tokens; up to here attention in three operations is the faster way (bfloat16, CPU)


def fits(config: Mapping[str, Any]) -> bool:
    """Whether a config of transformers describes what stands here."""
    return (
        config.get("model_type") == "bert"
        and config.get("hidden_act", "gelu") == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
        and config.get("layer_norm_eps", EPSILON) == EPSILON
        and config.get("type_vocab_size", 2) == 2
    )


def read_bert(folder: Path) -> "tuple[dict[str, Tensor], int]":
    """The weights of a folder that `fits`, by the names of transformers' BertModel, and the number of its heads.

    Raises InputError unless one file holds them all.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    (path,) = folder.glob("*.safetensors")
    try:
        held = load_file(path)
    except (SafetensorError, OSError) as error:
        raise InputError(f"cannot be read: {error}", path=path) from None
    state = {_present_name(name): weight for name, weight in held.items()}
    config = msgspec.json.decode((folder / "config.json").read_bytes(), type=dict[str, Any])
    if "embeddings.word_embeddings.weight" not in state:
        raise InputError("not a BERT: embeddings.word_embeddings.weight is missing", path=path)
    kept = {name: weight for name, weight in state.items() if name.startswith(PARTS) and weight.is_floating_point()}
    return kept, int(config["num_attention_heads"])


def _present_name(name: str) -> str:
    """Files of 2018 call the parts of a normalisation gamma and beta, and begin with the task's model."""
    short = name.removeprefix("bert.")
    return short.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")


@dataclass(frozen=True)
class Affine:
    """Weight and bias of a linear map or of a normalisation."""

    weight: "Tensor"
    bias: "Tensor"

    @classmethod
    def read(cls, state: Mapping[str, "Tensor"], *names: str) -> "Affine":
        """Those of that name; of several linear maps, one that gives all their outputs beside each other."""
        import torch

        return cls(*(torch.cat([state[f"{name}.{kind}"] for name in names]) for kind in ("weight", "bias")))

    def linear(self, x: "Tensor") -> "Tensor":
        from torch.nn.functional import linear

        return linear(x, self.weight, self.bias)

    def norm(self, x: "Tensor") -> "Tensor":
        from torch.nn.functional import layer_norm

        return layer_norm(x, self.weight.shape, self.weight, self.bias, EPSILON)


@dataclass(frozen=True)
class Layer:
    """Attention, then feed-forward, each added to its input and normalised."""

    attention: Affine
    attended: Affine
    attended_norm: Affine
    up: Affine
    down: Affine
    norm: Affine
    heads: int

    @classmethod
    def read(cls, state: Mapping[str, "Tensor"], name: str, heads: int) -> "Layer":
        return cls(
            Affine.read(state, *(f"{name}.attention.self.{part}" for part in ("query", "key", "value"))),
            Affine.read(state, f"{name}.attention.output.dense"),
            Affine.read(state, f"{name}.attention.output.LayerNorm"),
            Affine.read(state, f"{name}.intermediate.dense"),
            Affine.read(state, f"{name}.output.dense"),
            Affine.read(state, f"{name}.output.LayerNorm"),
            heads,
        )

    def __call__(self, x: "Tensor") -> "Tensor":
        """[rows, tokens, width] to the same."""
        from torch.nn.functional import gelu

        rows, tokens, width = x.shape
        parts = self.attention.linear(x).view(rows, tokens, 3, self.heads, width // self.heads)
        seen = _attend(*parts.permute(2, 0, 3, 1, 4)).transpose(1, 2).reshape(rows, tokens, width)
        x = self.attended_norm.norm(x + self.attended.linear(seen))
        return self.norm.norm(x + self.down.linear(gelu(self.up.linear(x))))


def _attend(query: "Tensor", key: "Tensor", value: "Tensor") -> "Tensor":
    from torch.nn.functional import scaled_dot_product_attention

    tokens, width = query.shape[-2:]
    found: Tensor
    if tokens > SHORT:
        found = scaled_dot_product_attention(query, key, value)
    else:
        found = (query @ key.transpose(-1, -2) * width**-0.5).softmax(-1) @ value
    return found


class Bert:
    """Embeddings and layers; `state` has the names of transformers' BertModel, in the number format to compute in."""

    def __init__(self, state: Mapping[str, "Tensor"], heads: int) -> None:
        import torch

        layers = len({name.split(".")[2] for name in state if name.startswith("encoder.layer.")})
        types = state["embeddings.token_type_embeddings.weight"]
        self._places = torch.stack([state["embeddings.position_embeddings.weight"] + segment for segment in types])
        self._words = state["embeddings.word_embeddings.weight"]
        self._norm = Affine.read(state, "embeddings.LayerNorm")
        self._layers = [Layer.read(state, f"encoder.layer.{number}", heads) for number in range(layers)]

    def __call__(self, ids: "Tensor", segments: "Tensor | None" = None) -> "Tensor":
        """[rows, tokens] to the last layer's vectors, [rows, tokens, width]; `segments` are 0 or 1, None: all 0."""
        import torch
        from torch.nn.functional import embedding

        tokens = ids.shape[1]
        if segments is None:
            places = self._places[0, :tokens]
        else:
            places = self._places[segments, torch.arange(tokens, device=ids.device)]
        x = self._norm.norm(embedding(ids, self._words) + places)
        for layer in self._layers:
            x = layer(x)
        return x

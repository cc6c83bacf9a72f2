"""The layers of a BERT (Devlin et al. 2019) or an MPNet (Song et al. 2020) as plain tensor operations.

Loading needs only torch and the weights. Importing transformers would take as long as encoding a thousand sentences.
The results equal those of transformers up to rounding (tests/models/test_bert_layers.py).

On a CPU, bfloat16 linear layers use oneDNN's packed weights (`src/llm/packed.py`), else a plain matrix product. There
is no padding: texts of all lengths are multiplied by the weights together, and attention is computed for the texts of
each length. This makes the result of a text independent of the others in bfloat16.

An MPNet has the layers of a BERT under other names, with two differences. Attention has a bias for the distance between
two words, which all layers share. A text has one segment.

Limitations: inference only, and only the configs that `fits` and `fits_mpnet` accept. The sizes are read from the
weights.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from src.errors import InputError
from src.llm.packed import can_pack, in_blocks, packed_map
from src.llm.tensor_file import LazyWeights, TensorFile, lookup_of
from src.store import read_json

if TYPE_CHECKING:
    from torch import Tensor


class Blocks:
    """Linear layer that multiplies rows in blocks of equal size; the last block is padded with zeros.

    On some processors the rounding of a product depends on the number of rows. With blocks, the result of a row is
    bit-identical for all other rows.
    """

    def __init__(self, weight: "Tensor", bias: "Tensor") -> None:
        self._map = packed_map(weight, bias)

    def __call__(self, rows: "Tensor") -> "Tensor":
        """Apply the layer to rows [..., width]; return [..., outputs]. A block has BLOCK_ROWS rows."""
        flat = in_blocks(self._map, rows.reshape(-1, rows.shape[-1]), BLOCK_ROWS)
        return flat.view(*rows.shape[:-1], -1)


class Linear:
    """Linear layer with weight [outputs, width] and bias [outputs]."""

    def __init__(self, weight: "Tensor", bias: "Tensor") -> None:
        from torch.nn.functional import linear

        plain = partial(linear, weight=weight, bias=bias)
        self._map: Callable[[Tensor], Tensor] = Blocks(weight, bias) if can_pack(weight) else plain

    @classmethod
    def read(cls, state: Mapping[str, "Tensor"], *names: str) -> "Linear":
        """Return the layer with the weights of this name; several names give one layer with concatenated outputs."""
        import torch

        return cls(*(torch.cat([state[f"{name}.{kind}"] for name in names]) for kind in ("weight", "bias")))

    def __call__(self, x: "Tensor") -> "Tensor":
        """Apply the layer to x [..., width]; return [..., outputs]."""
        return self._map(x)


class Norm:
    """Layer normalization with the weights named `name`; `epsilon` is added to the variance."""

    def __init__(self, state: Mapping[str, "Tensor"], name: str, epsilon: float) -> None:
        self._weight, self._bias, self._epsilon = state[f"{name}.weight"], state[f"{name}.bias"], epsilon

    def __call__(self, x: "Tensor") -> "Tensor":
        """Return x normalized, [..., width]."""
        from torch.nn.functional import layer_norm

        return layer_norm(x, self._weight.shape, self._weight, self._bias, self._epsilon)


def scaled(means: "Tensor") -> "Tensor":
    """Return float32 vectors [..., width] scaled to mean square 1: the input of a classifier's head.

    Without scaling, the size of a text's mean vector differs by ten times between base models, and a head on small
    values learns late.
    """
    from torch.nn.functional import rms_norm

    return rms_norm(means, means.shape[-1:])


BLOCK_ROWS = 256
PARTS = ("embeddings.", "encoder.")
WORDS = "embeddings.word_embeddings.weight"


Batch = tuple["Tensor", "Tensor | None"]
"""Token ids [rows, tokens] of texts of equal length, and their segments, 0 or 1, [rows, tokens]; None means all 0."""


class Shape(NamedTuple):
    """Sizes of a model that cannot be read from its weights.

    `heads`: number of attention heads.
    `epsilon`: added to the variance by layer normalization.
    """

    heads: int
    epsilon: float = 1e-12


def fits(config: Mapping[str, Any]) -> bool:
    """Return True if a config of transformers describes a BERT that this module can run."""
    return (
        config.get("model_type") == "bert"
        and config.get("hidden_act", "gelu") == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
        and config.get("type_vocab_size", 2) == 2
    )


def read_bert(folder: Path) -> tuple[LazyWeights, Shape]:
    """Return the weights and the shape of a BERT or MPNet in a folder.

    The weights have the names of transformers' model without a head. Each is read when it is asked for. The config must
    pass `fits` or `fits_mpnet`, and the folder must have exactly one weight file. Raises InputError when that file is
    damaged or not a BERT.
    """
    (path,) = folder.glob("*.safetensors")
    stored = TensorFile(path).weights()
    state = stored.renamed({name: _present_name(name) for name in stored})
    config = read_json(folder / "config.json", dict[str, Any])
    if WORDS not in state:
        raise InputError(f"not a BERT: {WORDS} is missing", path=path)
    weights = state.renamed({name: name for name in state if name.startswith(PARTS)})
    shape = Shape(int(config["num_attention_heads"]))
    return weights, shape._replace(epsilon=float(config.get("layer_norm_eps", shape.epsilon)))


def _present_name(name: str) -> str:
    """Return the name of a weight in today's transformers.

    Files of 2018 call a normalization's weight and bias gamma and beta. Other files prefix the model's name.
    """
    short = name.removeprefix("bert.").removeprefix("mpnet.")
    return short.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")


@dataclass(frozen=True)
class Layer:
    """Transformer layer: attention, then feed-forward; each output is added to its input and normalized.

    `attention`: linear layer from the input to queries, keys and values, concatenated.
    `attended`, `attended_norm`: linear layer after attention, and the normalization of its sum with the input.
    `up`, `down`: linear layers of the feed-forward part.
    `norm`: normalization of the layer's output.
    `heads`: number of attention heads.
    """

    attention: Linear
    attended: Linear
    attended_norm: Norm
    up: Linear
    down: Linear
    norm: Norm
    heads: int

    @classmethod
    def read(cls, state: Mapping[str, "Tensor"], name: str, shape: Shape) -> "Layer":
        return cls(
            Linear.read(state, *(f"{name}.attention.self.{part}" for part in ("query", "key", "value"))),
            Linear.read(state, f"{name}.attention.output.dense"),
            Norm(state, f"{name}.attention.output.LayerNorm", shape.epsilon),
            Linear.read(state, f"{name}.intermediate.dense"),
            Linear.read(state, f"{name}.output.dense"),
            Norm(state, f"{name}.output.LayerNorm", shape.epsilon),
            shape.heads,
        )

    def __call__(self, x: "Tensor", groups: Sequence["Group"]) -> "Tensor":
        """Return the layer's output for x, both [tokens of all groups, width]."""
        import torch
        from torch.nn.functional import gelu

        parts = self.attention(x).split([group.rows * group.tokens for group in groups])
        seen = torch.cat([self._seen(part, group) for part, group in zip(parts, groups, strict=True)])
        x = self.attended_norm(x + self.attended(seen))
        return self.norm(x + self.down(gelu(self.up(x))))

    def _seen(self, part: "Tensor", group: "Group") -> "Tensor":
        """Return what the tokens of a group see, [tokens, width], from queries, keys and values [tokens, 3 width]."""
        both = part.view(group.rows, group.tokens, 3, self.heads, -1)
        query, key, value = both.permute(2, 0, 3, 1, 4)
        return _attend(query, key, value, group.bias).transpose(1, 2).reshape(len(part), -1)


class Group(NamedTuple):
    """Texts of equal length among the texts that are read together.

    `rows`, `tokens`: number of texts, and of the tokens of each.
    `bias`: added to the attention scores, [heads, tokens, tokens]; None for no bias.
    """

    rows: int
    tokens: int
    bias: "Tensor | None" = None


def _attend(query: "Tensor", key: "Tensor", value: "Tensor", bias: "Tensor | None") -> "Tensor":
    """Return the attended values [rows, heads, tokens, numbers]; torch's own attention is slow with a bias on a CPU."""
    from torch.nn.functional import scaled_dot_product_attention

    output: Tensor
    if bias is None:
        output = scaled_dot_product_attention(query, key, value)
    else:
        output = (query @ key.transpose(-1, -2)).mul_(query.shape[-1] ** -0.5).add_(bias).softmax(-1) @ value
    return output


def read_layers(state: Mapping[str, "Tensor"], shape: Shape) -> list[Layer]:
    """Return a model's transformer layers, first to last; `state` has the weights by their names in BertModel."""
    count = len({name.split(".")[2] for name in state if name.startswith("encoder.layer.")})
    return [Layer.read(state, f"encoder.layer.{number}", shape) for number in range(count)]


class Bert:
    """A BERT: embeddings and layers.

    `state` has the weights by their names in transformers' BertModel, in the number format to compute in.
    """

    def __init__(self, state: Mapping[str, "Tensor"], shape: Shape) -> None:
        import torch

        types = state["embeddings.token_type_embeddings.weight"]
        self._positions = torch.stack([state["embeddings.position_embeddings.weight"] + segment for segment in types])
        self._words = lookup_of(state, WORDS)
        self._norm = Norm(state, "embeddings.LayerNorm", shape.epsilon)
        self._layers = read_layers(state, shape)

    def __call__(self, batches: Sequence[Batch]) -> "list[Tensor]":
        """Return the last layer's vectors, [rows, tokens, width], of each batch."""
        x = [self._embedded(ids, segments) for ids, segments in batches]
        return through(self._layers, x, [Group(len(ids), ids.shape[1]) for ids, _ in batches])

    def _embedded(self, ids: "Tensor", segments: "Tensor | None") -> "Tensor":
        import torch

        tokens = ids.shape[1]
        if segments is None:
            positions = self._positions[0, :tokens]
        else:
            positions = self._positions[segments, torch.arange(tokens, device=ids.device)]
        return self._norm(self._words(ids).to(positions.dtype) + positions)


def through(layers: Sequence[Layer], embedded: "Sequence[Tensor]", groups: Sequence[Group]) -> "list[Tensor]":
    """Return the last layer's vectors of each group, [rows, tokens, width]; `embedded` has those before the first one.

    All texts are multiplied by the weights together, whatever their length; attention is within each text.
    """
    import torch

    width = embedded[0].shape[-1]
    x = torch.cat([one.view(-1, width) for one in embedded])
    for layer in layers:
        x = layer(x, groups)
    parts = x.split([group.rows * group.tokens for group in groups])
    return [part.view(group.rows, group.tokens, width) for part, group in zip(parts, groups, strict=True)]


NAMES = {  # MPNet's names of weights to BERT's
    ".attention.attn.q.": ".attention.self.query.",
    ".attention.attn.k.": ".attention.self.key.",
    ".attention.attn.v.": ".attention.self.value.",
    ".attention.attn.o.": ".attention.output.dense.",
    ".attention.LayerNorm.": ".attention.output.LayerNorm.",
}
BUCKETS = 32  # of distances, half of them for following words
NEAR, FAR = (
    8,
    128,
)  # below NEAR each distance has its own bucket; beyond, buckets widen logarithmically; past FAR all share one
PADDING = 1  # the padding piece, to which transformers gives no position; positions begin after it


def fits_mpnet(config: Mapping[str, Any]) -> bool:
    """Return True if a config of transformers describes an MPNet that this module can run."""
    return (
        config.get("model_type") == "mpnet"
        and config.get("hidden_act", "gelu") == "gelu"
        and config.get("relative_attention_num_buckets", BUCKETS) == BUCKETS
    )


class MPNet:
    """An MPNet: embeddings and layers.

    `state` has the weights by their names in transformers' MPNetModel, in the number format to compute in.
    """

    def __init__(self, state: LazyWeights, shape: Shape) -> None:
        self._words = lookup_of(state, WORDS)
        self._positions = state["embeddings.position_embeddings.weight"]
        self._norm = Norm(state, "embeddings.LayerNorm", shape.epsilon)
        self._distance_bias = state["encoder.relative_attention_bias.weight"]
        self._layers = read_layers(state.renamed({name: _name_in_bert(name) for name in state}), shape)

    def __call__(self, batches: Sequence[Batch]) -> "list[Tensor]":
        """Return the last layer's vectors, [rows, tokens, width], of each batch. Segments are ignored."""
        x = [self._embedded(ids) for ids, _ in batches]
        return through(self._layers, x, [Group(len(ids), ids.shape[1], self._bias(ids)) for ids, _ in batches])

    def _embedded(self, ids: "Tensor") -> "Tensor":
        from torch.nn.functional import embedding

        is_token = (ids != PADDING).long()
        positions = is_token.cumsum(1) * is_token + PADDING
        places = embedding(positions, self._positions)
        return self._norm(self._words(ids).to(places.dtype) + places)

    def _bias(self, ids: "Tensor") -> "Tensor":
        from torch.nn.functional import embedding

        return embedding(buckets(ids.shape[1]).to(ids.device), self._distance_bias).permute(2, 0, 1).contiguous()


def _name_in_bert(name: str) -> str:
    for old, new in NAMES.items():
        name = name.replace(old, new)
    return name


def buckets(tokens: int) -> "Tensor":
    """Return MPNet's buckets of relative positions, [tokens, tokens]: entry (i, j) is the bucket of j - i."""
    import torch

    positions = torch.arange(tokens)
    ahead = positions[None] - positions[:, None]
    half, distance = BUCKETS // 2, ahead.abs()
    wide = NEAR + ((distance.clamp(min=1) / NEAR).log() / math.log(FAR / NEAR) * (half - NEAR)).long()
    return torch.where(distance < NEAR, distance, wide.clamp(max=half - 1)) + half * (ahead > 0)

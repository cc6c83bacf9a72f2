"""The layers of an MPNet as plain tensor operations (Song et al. 2020), such as all-mpnet-base-v2.

They are those of a BERT (`src/models/bert_layers.py`) under other names; what differs is that attention also sees how
far two words stand apart, through a bias that all layers share, and that a text has one segment. Equal to transformers
up to rounding (tests/models/test_mpnet_layers.py).

But: inference only, and no padding, as there.
"""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from src.models.bert_layers import Shape, read_layers
from src.models.plain_maps import Norm

if TYPE_CHECKING:
    from torch import Tensor

NAMES = {  # of MPNet's weights, and those of the same in a BERT
    ".attention.attn.q.": ".attention.self.query.",
    ".attention.attn.k.": ".attention.self.key.",
    ".attention.attn.v.": ".attention.self.value.",
    ".attention.attn.o.": ".attention.output.dense.",
    ".attention.LayerNorm.": ".attention.output.LayerNorm.",
}
BUCKETS = 32  # of distances, half of them for words that follow
NEAR, FAR = (
    8,
    128,
)  # up to NEAR each distance has its own; beyond, they widen with its logarithm; past FAR all share one
PADDING = 1  # the word piece that transformers gives no place of its own; places begin after it


def fits_mpnet(config: Mapping[str, Any]) -> bool:
    """Whether a config of transformers describes what stands here."""
    return (
        config.get("model_type") == "mpnet"
        and config.get("hidden_act", "gelu") == "gelu"
        and config.get("relative_attention_num_buckets", BUCKETS) == BUCKETS
    )


class MPNet:
    """Embeddings and layers; `state` has the names of transformers' MPNetModel, in the number format to compute in."""

    def __init__(self, state: Mapping[str, "Tensor"], shape: Shape) -> None:
        self._words = state["embeddings.word_embeddings.weight"]
        self._places = state["embeddings.position_embeddings.weight"]
        self._norm = Norm(state, "embeddings.LayerNorm", shape.epsilon)
        self._apart = state["encoder.relative_attention_bias.weight"]
        self._layers = read_layers({_name_in_bert(name): weight for name, weight in state.items()}, shape)

    def __call__(self, ids: "Tensor", segments: "Tensor | None" = None) -> "Tensor":
        """[rows, tokens] to the last layer's vectors, [rows, tokens, width]; `segments` change nothing."""
        from torch.nn.functional import embedding

        some = (ids != PADDING).long()
        places = some.cumsum(1) * some + PADDING
        x = self._norm(embedding(ids, self._words) + embedding(places, self._places))
        bias = embedding(buckets(ids.shape[1]).to(ids.device), self._apart).permute(2, 0, 1).contiguous()
        for layer in self._layers:
            x = layer(x, bias)
        return x


def _name_in_bert(name: str) -> str:
    for old, new in NAMES.items():
        name = name.replace(old, new)
    return name


def buckets(tokens: int) -> "Tensor":
    """[tokens, tokens]: into which bucket falls the distance from the word of a row to that of a column."""
    import torch

    places = torch.arange(tokens)
    ahead = places[None] - places[:, None]
    half, distance = BUCKETS // 2, ahead.abs()
    wide = NEAR + ((distance.clamp(min=1) / NEAR).log() / math.log(FAR / NEAR) * (half - NEAR)).long()
    return torch.where(distance < NEAR, distance, wide.clamp(max=half - 1)) + half * (ahead > 0)

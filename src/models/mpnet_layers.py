"""The layers of an MPNet, such as all-mpnet-base-v2, as plain tensor operations (Song et al. 2020).

They are the layers of a BERT (`src/models/bert_layers.py`) under other names, with two differences. Attention has a
bias for the distance between two words, which all layers share. A text has one segment. The results equal those of
transformers up to rounding (tests/models/test_mpnet_layers.py).

Limitations: inference only, and no padding, as in `bert_layers.py`.
"""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from src.models.bert_layers import Shape, read_layers
from src.models.plain_maps import Norm

if TYPE_CHECKING:
    from torch import Tensor

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
    """Return True if a config of transformers describes an MPNet that this module computes."""
    return (
        config.get("model_type") == "mpnet"
        and config.get("hidden_act", "gelu") == "gelu"
        and config.get("relative_attention_num_buckets", BUCKETS) == BUCKETS
    )


class MPNet:
    """An MPNet: embeddings and layers.

    `state` has the weights by their names in transformers' MPNetModel, in the number format to compute in.
    """

    def __init__(self, state: Mapping[str, "Tensor"], shape: Shape) -> None:
        self._words = state["embeddings.word_embeddings.weight"]
        self._places = state["embeddings.position_embeddings.weight"]
        self._norm = Norm(state, "embeddings.LayerNorm", shape.epsilon)
        self._apart = state["encoder.relative_attention_bias.weight"]
        self._layers = read_layers({_name_in_bert(name): weight for name, weight in state.items()}, shape)

    def __call__(self, ids: "Tensor", segments: "Tensor | None" = None) -> "Tensor":
        """Return the last layer's vectors, [rows, tokens, width], of ids [rows, tokens]. `segments` are ignored."""
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
    """Return [tokens, tokens]: the bucket of the distance from the word of a row to the word of a column."""
    import torch

    places = torch.arange(tokens)
    ahead = places[None] - places[:, None]
    half, distance = BUCKETS // 2, ahead.abs()
    wide = NEAR + ((distance.clamp(min=1) / NEAR).log() / math.log(FAR / NEAR) * (half - NEAR)).long()
    return torch.where(distance < NEAR, distance, wide.clamp(max=half - 1)) + half * (ahead > 0)

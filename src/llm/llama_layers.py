"""The layers of a Llama (Touvron et al. 2023) as plain tensor operations, for several continuations of each prompt.

Loading needs only torch and the weights; importing transformers takes longer than a check may. A prompt is read once,
and all its continuations (branches) attend to the same keys and values. Linear layers in bfloat16 have packed weights.
The logits equal those of transformers up to rounding (tests/llm/test_llama_layers.py).

Limitations: inference on the CPU, and only configs that `fits` accepts. Attention scores are computed in the number
format of the weights, the softmax in float32.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from src.llm.packed import LinearMap
from src.llm.tensor_file import lookup_of

if TYPE_CHECKING:
    from torch import Tensor

PLACES = 64  # keys and values have a multiple of it, so that sums do not depend on the longest prompt of a batch
ROOM = 16  # tokens of branches for which memory is taken at once; products of one shape are faster
LAYERS, HEAD, WORDS = "model.layers.", "lm_head.weight", "model.embed_tokens.weight"


class LlamaShape(NamedTuple):
    """Sizes of a Llama that cannot be read from its weights.

    `heads`, `key_heads`: number of attention heads, and of heads of keys and values.
    `epsilon`: added to the mean square by normalization.
    `theta`: base of the rotary position embedding.
    """

    heads: int
    key_heads: int
    epsilon: float
    theta: float

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> "LlamaShape":
        """Return the shape that a config of transformers describes, which must pass `fits`."""
        heads = int(config["num_attention_heads"])
        return cls(
            heads,
            int(config.get("num_key_value_heads") or heads),
            float(config.get("rms_norm_eps", 1e-6)),
            float(_rope(config)["rope_theta"]),
        )


def fits(config: Mapping[str, Any]) -> bool:
    """Return True if a config of transformers describes a Llama that this module can run."""
    rope, width, heads = _rope(config), config.get("hidden_size"), config.get("num_attention_heads")
    return (
        config.get("model_type") == "llama"
        and config.get("hidden_act", "silu") == "silu"
        and not config.get("attention_bias")
        and not config.get("mlp_bias")
        and "rope_theta" in rope
        and _is_plain(rope)
        and _is_plain(config.get("rope_scaling") or {})
        and isinstance(width, int)
        and isinstance(heads, int)
        and heads > 0
        and width % heads == 0
        and config.get("head_dim") in (None, width // heads)
        and all(isinstance(config.get(name), int) for name in ("vocab_size", "intermediate_size", "num_hidden_layers"))
    )


def shapes_of(config: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """Return the shape of each weight of a model with this config, which must pass `fits`."""
    width, inner, shape = config["hidden_size"], config["intermediate_size"], LlamaShape.of(config)
    keys = width // shape.heads * shape.key_heads
    attention: dict[str, tuple[int, ...]] = {
        "q": (width, width),
        "k": (keys, width),
        "v": (keys, width),
        "o": (width, width),
    }
    forward = {"gate": (inner, width), "up": (inner, width), "down": (width, inner)}
    layer = {f"self_attn.{name}_proj": size for name, size in attention.items()}
    layer |= {f"mlp.{name}_proj": size for name, size in forward.items()}
    layer |= {"input_layernorm": (width,), "post_attention_layernorm": (width,)}
    shapes = {WORDS: (config["vocab_size"], width), "model.norm.weight": (width,)}
    for number in range(config["num_hidden_layers"]):
        shapes |= {f"{LAYERS}{number}.{name}.weight": size for name, size in layer.items()}
    return shapes


def _is_plain(rope: Mapping[str, Any]) -> bool:
    """Return True if positions are not scaled; older configs name the kind of scaling `type`."""
    return {rope.get("rope_type", "default"), rope.get("type", "default")} == {"default"}


def _rope(config: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = config.get("rope_parameters") or config
    return found


class Branches:
    """Keys and values of prompts, and of the branches that continue them.

    The branches are a grid [prompts, width] in rows of `width`; `length` tokens of each are stored, and there is room
    for some more. `places` are the positions [prompts] of the prompts' ends. `mask` [prompts, tokens and room] is added
    to scores: -inf where nothing is stored.
    """

    def __init__(self, prompts: "list[tuple[Tensor, Tensor]]", lengths: "Tensor", width: int) -> None:
        import torch

        self.prompts, self.places, self.width, self.length = prompts, lengths, width, 0
        keys = prompts[0][0]
        rows, heads, tokens, numbers = len(lengths) * width, *keys.shape[1:]
        self.own = [tuple(keys.new_zeros(rows, heads, ROOM, numbers) for _ in "kv") for _ in prompts]
        is_beyond = torch.arange(tokens) >= lengths[:, None]
        stored = torch.zeros(is_beyond.shape, dtype=keys.dtype).masked_fill(is_beyond, -torch.inf)
        self.mask = torch.cat([stored, stored.new_full((len(lengths), ROOM), -torch.inf)], -1)

    def begin_token(self) -> None:
        """Make room for one more token of each branch; scores of it count."""
        import torch

        room = self.own[0][0].shape[2]
        if self.length == room:
            self.own = [
                tuple(torch.cat([one, torch.zeros_like(one[:, :, :ROOM])], 2) for one in own) for own in self.own
            ]
            self.mask = torch.cat([self.mask, self.mask.new_full((len(self.mask), ROOM), -torch.inf)], -1)
        self.mask[:, self.prompts[0][0].shape[2] + self.length] = 0

    def keep(self, prompts: Sequence[int], rows: Sequence[int], width: int) -> None:
        """Keep these prompts, and of the branches these rows: `width` for each of the prompts, in their order."""
        import torch

        at, taken = torch.tensor(list(prompts)), torch.tensor(list(rows))
        if len(at) < len(self.places):
            self.prompts = [(keys[at], values[at]) for keys, values in self.prompts]
            self.places, self.mask = self.places[at], self.mask[at]
        self.own = [tuple(one[taken] for one in pair) for pair in self.own]
        self.width = width


class Llama:
    """A Llama; it scores the next token by the embeddings of words unless it has a head of its own.

    `state` has the weights by their names in transformers' LlamaForCausalLM, in the number format to compute in.
    """

    def __init__(self, state: "Mapping[str, Tensor]", shape: LlamaShape) -> None:
        self._shape = shape
        count = len({name.split(".")[2] for name in state if name.startswith(LAYERS)})
        self._words = lookup_of(state, WORDS)
        head = state[HEAD if HEAD in state else WORDS]
        self._width, self._dtype, self._score = head.shape[1], head.dtype, LinearMap(head)
        self._norm = _Norm(state["model.norm.weight"], shape.epsilon)
        self._layers = [_Layer(state, f"{LAYERS}{number}.", shape) for number in range(count)]

    def read(self, prompts: Sequence[Sequence[int]], width: int) -> "tuple[Branches, Tensor]":
        """Read prompts of at least one token each; return their branches, and the logits [prompts, vocabulary] that
        follow each.

        Each prompt gets `width` branches.
        """
        import torch

        lengths = [len(prompt) for prompt in prompts]
        x = self._embedded([token for prompt in prompts for token in prompt])
        turn = self._rotary(torch.cat([torch.arange(length) for length in lengths]))
        stored = []
        for layer in self._layers:
            x, keys, values = layer.read(x, turn, lengths)
            stored.append((keys, values))
        last = torch.tensor(lengths).cumsum(0) - 1
        return Branches(stored, torch.tensor(lengths), width), self._scores(x[last])

    def step(self, branches: Branches, tokens: Sequence[int]) -> "Tensor":
        """Add one token to each branch, in order of rows; return the logits [rows, vocabulary] that follow."""
        branches.begin_token()
        x = self._embedded(tokens)
        turn = self._rotary((branches.places + branches.length).repeat_interleave(branches.width))
        for number, layer in enumerate(self._layers):
            x = layer.step(x, turn, branches, number)
        branches.length += 1
        return self._scores(x[: len(tokens)])

    def _embedded(self, tokens: Sequence[int]) -> "Tensor":
        """Return the embeddings of the tokens [rows, width]; further rows are those of token 0 (`LinearMap`)."""
        import torch

        missing = self._score.rows_for(len(tokens)) - len(tokens)
        return self._words(torch.tensor([*tokens, *[0] * missing])).to(self._dtype)

    def _scores(self, x: "Tensor") -> "Tensor":
        """Return the logits [rows, vocabulary] that follow the outputs x [rows, width] of the last layer."""
        from torch.nn.functional import pad

        filled = pad(x, (0, 0, 0, self._score.rows_for(len(x)) - len(x)))
        return self._score(self._norm(filled))[: len(x)]

    def _rotary(self, places: "Tensor") -> "tuple[Tensor, Tensor]":
        """Return cosine and sine [tokens, 1, numbers of a head] for the positions [tokens].

        The first half of the sines is negative: it is that of the numbers which are subtracted.
        """
        import torch

        half = self._width // self._shape.heads // 2
        steps = self._shape.theta ** (-torch.arange(half, dtype=torch.float32) / half)
        angles = places[:, None, None].float() * steps
        cosine, sine = angles.cos().to(self._dtype), angles.sin().to(self._dtype)
        return torch.cat([cosine, cosine], -1), torch.cat([-sine, sine], -1)


class _Norm:
    """Root-mean-square normalization, computed in float32."""

    def __init__(self, weight: "Tensor", epsilon: float) -> None:
        self._weight, self._epsilon = weight, epsilon

    def __call__(self, x: "Tensor") -> "Tensor":
        from torch.nn.functional import rms_norm

        return rms_norm(x, self._weight.shape, self._weight, self._epsilon)


class _Layer:
    """Transformer layer: attention, then feed-forward, each on the normalized input and added to it."""

    def __init__(self, state: "Mapping[str, Tensor]", name: str, shape: LlamaShape) -> None:
        import torch

        def weights(*names: str) -> "Tensor":
            return torch.cat([state[f"{name}{one}.weight"] for one in names])

        self._attention = LinearMap(weights(*(f"self_attn.{part}_proj" for part in "qkv")))
        self._attended = LinearMap(weights("self_attn.o_proj"))
        self._gate, self._up, self._down = (LinearMap(weights(f"mlp.{part}_proj")) for part in ("gate", "up", "down"))
        self._before = _Norm(weights("input_layernorm"), shape.epsilon)
        self._between = _Norm(weights("post_attention_layernorm"), shape.epsilon)
        self._heads, self._key_heads = shape.heads, shape.key_heads

    def read(
        self, x: "Tensor", turn: "tuple[Tensor, Tensor]", lengths: Sequence[int]
    ) -> "tuple[Tensor, Tensor, Tensor]":
        """Return the output [tokens, width] for whole prompts, one after the other, and their keys and values.

        Both are [prompts, key heads, places, numbers], with at least as many places as the longest prompt has tokens;
        places behind a prompt are zero.
        """
        from torch.nn.functional import scaled_dot_product_attention

        query, key, value = self._projected(x, turn)
        stored = key.new_zeros(2, len(lengths), self._key_heads, -(-max(lengths) // PLACES) * PLACES, key.shape[-1])
        attended = x.new_zeros(len(x), *query.shape[1:])
        first = 0
        for prompt, length in enumerate(lengths):
            span = slice(first, first + length)
            keys, values = key[span].transpose(0, 1), value[span].transpose(0, 1)
            stored[0, prompt, :, :length], stored[1, prompt, :, :length] = keys, values
            attended[span] = scaled_dot_product_attention(
                query[span].transpose(0, 1)[None], keys[None], values[None], is_causal=True, enable_gqa=True
            )[0].transpose(0, 1)
            first += length
        return self._after(x, attended.flatten(1)), stored[0], stored[1]

    def step(self, x: "Tensor", turn: "tuple[Tensor, Tensor]", branches: Branches, number: int) -> "Tensor":
        """Return the output [rows, width] for the next token of each branch; `number` is that of this layer."""
        import torch

        query, key, value = self._projected(x, turn)
        (prompt_keys, prompt_values), (own_keys, own_values) = branches.prompts[number], branches.own[number]
        own_keys[:, :, branches.length], own_values[:, :, branches.length] = key, value
        (rows, heads, numbers), width = query.shape, branches.width
        prompts, keys, tokens = len(prompt_keys), self._key_heads, prompt_keys.shape[2]
        grid = (prompts, width, keys, heads // keys)
        query = (query * (1 / math.sqrt(numbers))).view(*grid, numbers)
        of_prompts = query.transpose(1, 2).reshape(prompts, keys, -1, numbers) @ prompt_keys.transpose(-1, -2)
        of_own = own_keys @ query.view(rows, keys, -1, numbers).transpose(-1, -2)
        of_own = of_own.transpose(-1, -2).view(*grid, -1).transpose(1, 2)
        scores = torch.cat([of_prompts.view(prompts, keys, width, -1, tokens), of_own], -1)
        weights = scores.add_(branches.mask[:, None, None, None]).softmax(-1)
        from_prompts = weights[..., :tokens].reshape(prompts, keys, -1, tokens) @ prompt_values
        by_rows = weights[..., tokens:].transpose(1, 2).reshape(rows, keys, heads // keys, -1)
        seen = from_prompts.view(prompts, keys, width, -1, numbers).transpose(1, 2).reshape(rows, -1)
        attended = torch.zeros_like(x)
        torch.add(seen, (by_rows @ own_values).view(rows, -1), out=attended[:rows])
        return self._after(x, attended)

    def _projected(self, x: "Tensor", turn: "tuple[Tensor, Tensor]") -> "tuple[Tensor, Tensor, Tensor]":
        """Return queries, keys and values [tokens, heads, numbers] of the first rows of x, as many as `turn` has
        tokens; the first two are rotated.
        """
        import torch

        heads, keys = self._heads, self._key_heads
        numbers, (cosine, sine) = x.shape[1] // heads, turn
        projected = self._attention(self._before(x))[: len(cosine)].view(-1, heads + 2 * keys, numbers)
        turned = projected[:, : heads + keys]
        turned = torch.addcmul(turned * cosine, turned.roll(numbers // 2, -1), sine)
        return turned[:, :heads], turned[:, heads:], projected[:, heads + keys :]

    def _after(self, x: "Tensor", seen: "Tensor") -> "Tensor":
        x = self._attended.combined(seen, x, "add")
        between = self._between(x)
        return self._down.combined(self._up.combined(between, self._gate.silu(between), "mul"), x, "add")

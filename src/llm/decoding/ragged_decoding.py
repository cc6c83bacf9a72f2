"""Decodes many prompts at once, greedily or by sampling: each step adds one token to every row that has not ended.

The tokens with which all prompts begin are read once, and so is a prompt that several rows share (its samples); every
row goes on from their keys and values. A row ends at its own limit, at an ending token or with a stop string, and
leaves the batch. The model never reads one token alone: a matrix times one vector is another routine on CPUs, which
rounds differently now and then.

But: for decoders whose layers all attend to the whole text before them (llama and its like); others, beams and n-gram
bans are left to `generate`.
"""

from collections.abc import Sequence
from inspect import signature
from typing import Any

import torch

from src.llm.decoding.padding import right_padded
from src.llm.decoding.ragged_cache import RaggedCache
from src.llm.decoding.rows import RowSampling
from src.llm.decoding.stopping import Stopping
from src.llm.loading import Loaded

LEFT = 0.75  # the share of a batch's rows below which the ended ones are taken out; each time costs a copy


def suits(loaded: Loaded) -> bool:
    """Whether the model can be decoded here."""
    from transformers import DynamicCache
    from transformers.cache_utils import DynamicLayer

    model = loaded.model
    if loaded.seq2seq or loaded.device == "spread" or model.config._attn_implementation != "sdpa":
        return False
    layers = DynamicCache(config=model.config).layers
    plain = bool(layers) and all(type(layer) is DynamicLayer for layer in layers)
    return plain and "position_ids" in signature(model.forward).parameters


class RaggedDecoder:
    """The prompts of one call, which begin alike. `decode` takes any of them as a batch."""

    def __init__(self, model: Any, prompts: Sequence[list[int]], pad: int) -> None:
        self._model, self._pad = model, pad
        self._shared = _alike(prompts)
        self._beginning = RaggedCache(self._shared)
        if self._shared:
            self._read(self._beginning, [prompts[0][: self._shared]], 0)

    def decode(
        self,
        prompts: Sequence[list[int]],
        limits: Sequence[int],
        ends: Sequence[int],
        stopping: Stopping,
        sampling: RowSampling | None = None,
    ) -> list[list[int]]:
        """The new tokens of each row, with the ending token where there is one; the likeliest without `sampling`."""
        count = len(prompts)
        open_ = set(range(count))
        prompts = prompts if len(prompts) > 1 else [*prompts, *prompts]
        cache = self._filled(prompts, max(limits))
        said: list[list[int]] = [[] for _ in prompts]
        inside = list(range(len(prompts)))  # the rows of the cache
        last = [prompt[-1] for prompt in prompts]
        while open_:
            places = [len(prompts[row]) - 1 + len(said[row]) for row in inside]
            scores = self._scores(cache, [last[row] for row in inside], places)
            asked = [place for place, row in enumerate(inside) if row in open_]
            rows = [inside[place] for place in asked]
            tokens = sampling.drawn(scores[asked], rows) if sampling else scores[asked].argmax(-1)
            for row, token in zip(rows, tokens.tolist(), strict=True):
                said[row].append(token)
                last[row] = token
                if len(said[row]) >= limits[row] or token in ends or stopping.ended(said[row]):
                    open_.remove(row)
            if 0 < len(open_) < LEFT * len(inside):
                kept = sorted(range(len(inside)), key=lambda place: inside[place] not in open_)[: max(2, len(open_))]
                cache.select(kept)
                inside = [inside[place] for place in kept]
        return said[:count]

    def _filled(self, prompts: Sequence[list[int]], most: int) -> RaggedCache:
        """A row for each prompt, read but for its last token, with room for `most` more."""
        distinct = list(dict.fromkeys(map(tuple, prompts)))
        longest = max(map(len, prompts))
        cache = self._beginning.repeated(len(distinct), self._shared, longest + most)
        if longest - 1 > self._shared:
            self._read(cache, [list(prompt[self._shared : -1]) for prompt in distinct], self._shared)
        if len(distinct) == len(prompts):
            return cache
        places = {prompt: place for place, prompt in enumerate(distinct)}
        cache.select([places[tuple(prompt)] for prompt in prompts])
        return cache

    def _read(self, cache: RaggedCache, rows: list[list[int]], first: int) -> None:
        """Puts keys and values of these tokens into the cache, from slot `first` on.

        What padding writes lies behind the row's end: it is overwritten before it is seen.
        """
        ids, _ = right_padded(rows, self._pad, self._model.device)
        slots = torch.arange(first, first + ids.shape[1], device=ids.device).expand(ids.shape)
        mask = cache.at(slots, first + ids.shape[1])
        self._model.base_model(
            input_ids=ids, attention_mask=mask, position_ids=slots, past_key_values=cache, use_cache=True
        )

    def _scores(self, cache: RaggedCache, tokens: list[int], places: list[int]) -> torch.Tensor:
        """Logits (rows, vocabulary) of what follows each row's last token, which stands in slot `places`."""
        slots = torch.tensor(places, device=self._model.device).unsqueeze(1)
        mask = cache.at(slots, max(places) + 1)
        ids = torch.tensor(tokens, device=self._model.device).unsqueeze(1)
        logits: torch.Tensor = self._model(
            input_ids=ids, attention_mask=mask, position_ids=slots, past_key_values=cache, use_cache=True
        ).logits
        return logits[:, -1]


def _alike(prompts: Sequence[list[int]]) -> int:
    """With how many tokens all prompts begin, but for the last token of each; a single one is read later."""
    first, last = min(prompts), max(prompts)
    most = min(map(len, prompts)) - 1
    alike = next((place for place in range(most) if first[place] != last[place]), most)
    return alike if alike > 1 else 0

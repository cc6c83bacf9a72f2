"""Decoding of many prompts at once, greedily or by sampling: each step adds one token to every row that goes on.

The common prefix of all prompts is read once. So is a prompt that several rows share (its samples), if they enter the
batch together or one after the other. Every row continues from these keys and values. A row ends at its own limit, at
an ending token or with a stop string, and another one takes its slot (`batch_slots.py`). The model rarely reads a
single token: on CPUs a matrix times one vector uses another routine, which sometimes rounds differently.

Limitations: only for decoders whose layers all attend to the whole preceding text (llama and similar). Others, beams
and n-gram bans are left to `generate`.
"""

from collections.abc import Sequence
from inspect import signature
from typing import Any

import torch

from src.llm.batching import right_padded
from src.llm.decoding.batch_slots import Part, Seats, distinct
from src.llm.decoding.ragged_cache import RaggedCache
from src.llm.decoding.rows import RowSampling, Stopping
from src.llm.decoding.tiled_attention import in_tiles
from src.llm.loading import Loaded
from src.llm.progress import answered


def suits(loaded: Loaded) -> bool:
    """Return True if the model can be decoded here."""
    from transformers import DynamicCache
    from transformers.cache_utils import DynamicLayer

    model = loaded.model
    if loaded.seq2seq or loaded.device == "spread" or model.config._attn_implementation != "sdpa":
        return False
    layers = DynamicCache(config=model.config).layers
    plain = bool(layers) and all(type(layer) is DynamicLayer for layer in layers)
    return plain and "position_ids" in signature(model.forward).parameters


class RaggedDecoder:
    """Decoder for the prompts of one call, with their common prefix read once. `decode` takes any of them."""

    def __init__(self, model: Any, prompts: Sequence[list[int]], pad: int) -> None:
        self._model, self._pad = model, pad
        self._shared = _alike(prompts)
        self._beginning = RaggedCache(self._shared)
        self._last_read: tuple[int, ...] = ()
        self._last_cache = self._beginning
        if self._shared:
            self._read(self._beginning, [prompts[0][: self._shared]], 0)

    def decode(
        self,
        prompts: Sequence[list[int]],
        limits: Sequence[int],
        ends: Sequence[int],
        stopping: Stopping,
        seats: int,
        sampling: RowSampling | None = None,
    ) -> list[list[int]]:
        """Return the new tokens of each row, with the ending token if there is one; the likeliest without `sampling`.

        At most `seats` rows, but at least two, are decoded at once.
        """
        width = max(len(prompt) + limit for prompt, limit in zip(prompts, limits, strict=True))
        taken = Seats(len(prompts), seats, width, lambda rows: self._filled([tuple(prompts[row]) for row in rows]))
        said: list[list[int]] = [[] for _ in prompts]
        while taken.busy:
            taken.settle()
            places = [len(prompts[row]) - 1 + len(said[row]) for row in taken.rows]
            scores = self._scores(taken.cache, [(said[row] or prompts[row])[-1] for row in taken.rows], places)
            asked = {row: place for place, row in enumerate(taken.rows) if row in taken.open}
            heard = scores[list(asked.values())]
            tokens = sampling.drawn(heard, list(asked)) if sampling else heard.argmax(-1)
            for row, token in zip(asked, tokens.tolist(), strict=True):
                said[row].append(token)
                if len(said[row]) >= limits[row] or token in ends or stopping.ended(said[row]):
                    taken.open.remove(row)
            answered(sum(row not in taken.open for row in asked))
        return said

    def _filled(self, prompts: list[tuple[int, ...]]) -> list[Part]:
        """Return caches in which each prompt is read except its last token.

        The last prompt of the previous call is not read again.
        """
        known = [place for place, prompt in enumerate(prompts) if prompt == self._last_read]
        new = [place for place, prompt in enumerate(prompts) if prompt != self._last_read]
        parts = [Part(known, self._last_cache, [0] * len(known))]
        if new:
            each, numbers = distinct([prompts[place] for place in new])
            longest = max(map(len, each))
            cache = self._beginning.repeated(len(each), self._shared, longest)
            if longest - 1 > self._shared:
                first = max(0, min(self._shared, longest - 3))
                self._read(cache, [list(prompt[first:-1]) for prompt in each], first)
            self._last_read, self._last_cache = each[-1], cache.row(len(each) - 1)
            parts.append(Part(new, cache, numbers))
        return [part for part in parts if part.places]

    def _read(self, cache: RaggedCache, rows: list[list[int]], first: int) -> None:
        """Put keys and values of these tokens into the cache, from slot `first` on.

        Padding is written after the row's end, where it is overwritten before it is seen.
        """
        ids, _ = right_padded(rows, self._pad, self._model.device)
        slots = torch.arange(first, first + ids.shape[1], device=ids.device).expand(ids.shape)
        mask = cache.at(slots, first + ids.shape[1])
        with in_tiles(self._model):
            self._model.base_model(
                input_ids=ids, attention_mask=mask, position_ids=slots, past_key_values=cache, use_cache=True
            )

    def _scores(self, cache: RaggedCache, tokens: list[int], places: list[int]) -> torch.Tensor:
        """Return the logits (rows, vocabulary) after each row's last token, which is in slot `places`."""
        slots = torch.tensor(places, device=self._model.device).unsqueeze(1)
        mask = cache.at(slots, max(places) + 1)
        ids = torch.tensor(tokens, device=self._model.device).unsqueeze(1)
        logits: torch.Tensor = self._model(
            input_ids=ids, attention_mask=mask, position_ids=slots, past_key_values=cache, use_cache=True
        ).logits
        return logits[:, -1]


def _alike(prompts: Sequence[list[int]]) -> int:
    """Return the length of the prompts' common prefix, without the last token of each; 0 instead of 1."""
    first, last = min(prompts), max(prompts)
    most = min(map(len, prompts)) - 1
    alike = next((place for place in range(most) if first[place] != last[place]), most)
    return alike if alike > 1 else 0

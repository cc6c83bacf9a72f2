"""Text generation: with our own loop (`ragged_decoding.py`) if the model allows it, else with `generate`.

`generate` is that of transformers, on a padded batch. It is used for beams, for the n-gram ban, and for models of other
architectures. Beams stop as soon as enough have ended (`early_stopping`), as in the published baseline. The
checkpoint's own generation settings (sampling, penalties) are ignored: a request has all settings.

Limitations: the rows of a batch must have the same decoding settings; `TransformersModel` groups them.
"""

from collections.abc import Iterator
from inspect import signature
from itertools import groupby
from typing import Any, NamedTuple

import torch
from transformers import GenerationConfig

from src.llm.batching import left_padded, right_padded, sub_batches
from src.llm.decoding.ngram_ban import BanRepeats
from src.llm.decoding.ragged_decoding import RaggedDecoder, suits
from src.llm.decoding.rows import LENGTH_EVERY, EarlyStop, RowLimit, RowSampling, Stopping, StopStrings
from src.llm.loading import Loaded
from src.llm.protocol import Reply, Request, Stopped
from src.llm.replies import first_stop, text_reply

KEPT_SETTINGS = ("bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id", "forced_bos_token_id")


class Row(NamedTuple):
    """A request with its prompt in tokens and the maximum number of tokens of its answer."""

    request: Request
    tokens: list[int]
    limit: int

    @property
    def most(self) -> int:
        """Return the token limit of the answer: `limit`, or less if only its first characters are read."""
        reading = self.request.reading
        return self.limit if reading is None else min(self.limit, 4 * reading.characters + LENGTH_EVERY)

    @property
    def cost(self) -> int:
        """Return the tokens that this row takes in a batch, once per beam or choice.

        Few answers are longer than the part that is read, so a longer limit does not count.
        """
        reading = self.request.reading
        limit = self.limit if reading is None else min(self.limit, reading.characters)
        return (len(self.tokens) + limit) * max(1, self.request.num_beams, len(self.request.choices))


class Generator:
    """A loaded model with its padding and ending tokens."""

    def __init__(self, loaded: Loaded) -> None:
        self._model, self._tokenizer, self._seq2seq = loaded.model, loaded.tokenizer, loaded.seq2seq
        own = self._model.generation_config
        kept = {name: getattr(own, name, None) for name in KEPT_SETTINGS}
        self._model.generation_config = GenerationConfig(**kept)
        ends = own.eos_token_id if own.eos_token_id is not None else self._tokenizer.eos_token_id
        self.ends: list[int] = ends if isinstance(ends, list) else [end for end in [ends] if end is not None]
        pads = [self._tokenizer.pad_token_id, own.pad_token_id, *self.ends, 0]
        self.pad: int = next(pad for pad in pads if pad is not None)
        self._by_ourselves = suits(loaded)
        self._spread = loaded.device == "spread"
        self._takes_positions = "position_ids" in signature(self._model.forward).parameters

    def answers(self, rows: list[Row], batch_rows: int, batch_tokens: int) -> Iterator[tuple[int, Reply]]:
        """Yield position and answer of each row, in batches of similar length; all rows have the same settings."""
        asked = rows[0].request
        if self._by_ourselves and beams_of(asked) == 1 and not asked.no_repeat_ngram_size:
            yield from self._ragged(rows, batch_rows, batch_tokens)
            return
        for batch in sub_batches([row.cost for row in rows], batch_rows, batch_tokens):
            yield from zip(batch, self.generate([rows[place] for place in batch]), strict=True)

    def _ragged(self, rows: list[Row], batch_rows: int, batch_tokens: int) -> Iterator[tuple[int, Reply]]:
        """Yield the answers in order of length, so that similar rows share a batch; the common prefix is read once."""
        decoder = RaggedDecoder(self._model, [row.tokens for row in rows], self.pad)
        stopping = Stopping(self._tokenizer, rows[0].request.stop, rows[0].request.reading)
        order = sorted(range(len(rows)), key=lambda place: (rows[place].cost, place))
        for seats, places in groupby(order, lambda place: _seats(rows[place].cost, batch_rows, batch_tokens)):
            batch = list(places)
            some = [rows[place] for place in batch]
            prompts, limits = [row.tokens for row in some], [row.most for row in some]
            said = decoder.decode(prompts, limits, self.ends, stopping, seats, _sampling(some))
            for place, row, tokens in zip(batch, some, said, strict=True):
                yield place, self._reply(row, tokens)

    def generate(self, rows: list[Row]) -> list[Reply]:
        """Return the answers in the order of the rows."""
        padded = right_padded if self._seq2seq else left_padded
        ids, mask = padded([row.tokens for row in rows], self.pad, self._model.device)
        start = 1 if self._seq2seq else ids.shape[1]
        out = self._model.generate(
            input_ids=ids,
            attention_mask=mask,
            generation_config=self._config(rows),
            logits_processor=_processors(rows),
            stopping_criteria=self._criteria(rows, start),
            **({} if self._seq2seq else self._read(ids, mask, beams_of(rows[0].request))),
        )
        return [self._reply(row, tokens) for row, tokens in zip(rows, out[:, start:].tolist(), strict=True)]

    def _read(self, ids: torch.Tensor, mask: torch.Tensor, beams: int) -> dict[str, Any]:
        """Return keys and values of the prompts without their last token.

        A prompt is read once, not once per beam, nor once per sample.
        """
        distinct: dict[tuple[int, ...], int] = {}
        rows = [row for row, prompt in enumerate(ids.tolist()) if distinct.setdefault(tuple(prompt), row) == row]
        if (beams == 1 and len(rows) == len(ids)) or ids.shape[1] < 2 or self._spread:
            return {}
        places = {row: place for place, row in enumerate(rows)}
        each = [places[distinct[tuple(prompt)]] for prompt in ids.tolist() for _ in range(beams)]
        ids, mask = ids[rows], mask[rows]
        positions = {"position_ids": (mask.cumsum(1) - 1).clamp(min=0)[:, :-1]} if self._takes_positions else {}
        read = self._model.base_model(
            input_ids=ids[:, :-1], attention_mask=mask[:, :-1], use_cache=True, **positions
        ).past_key_values
        read.batch_select_indices(torch.tensor(each, device=ids.device))
        return {"past_key_values": read}

    def _config(self, rows: list[Row]) -> GenerationConfig:
        asked = rows[0].request
        beams = beams_of(asked)
        return GenerationConfig(
            max_new_tokens=max(row.limit for row in rows),
            num_beams=beams,
            early_stopping=beams > 1,
            do_sample=False,
            pad_token_id=self.pad,
            eos_token_id=self.ends or None,
        )

    def _criteria(self, rows: list[Row], start: int) -> list[Any]:
        criteria: list[Any] = [RowLimit(start, [row.limit for row in rows])]
        if stop := rows[0].request.stop:
            criteria.append(StopStrings(Stopping(self._tokenizer, stop), start))
        readings = [row.request.reading for row in rows if row.request.reading is not None]
        if len(readings) == len(rows) and not stop:
            criteria.append(EarlyStop(self._tokenizer, start, beams_of(rows[0].request), self.ends, readings))
        return criteria

    def _reply(self, row: Row, tokens: list[int]) -> Reply:
        """Return the reply of a row: its answer up to its end, without padding, which may consist of ending tokens."""
        used = tokens[: row.limit]
        end = next((place for place, token in enumerate(used) if token in self.ends), None)
        if end is not None:
            used = used[: end + 1]
        while end is None and used and used[-1] == self.pad:
            used.pop()
        text = self._tokenizer.decode(used, skip_special_tokens=True)
        if end is not None and first_stop(text, row.request.stop) >= 0:
            used.pop()  # nothing is generated after a stop string: this end is padding
        stopped: Stopped = "length" if end is None else "eos"
        return text_reply(row.request, text, len(row.tokens), len(used), stopped)


def beams_of(request: Request) -> int:
    """Return the number of beams; sampling follows one answer only."""
    return 1 if request.temperature > 0 else request.num_beams


def _seats(cost: int, batch_rows: int, batch_tokens: int) -> int:
    """Return how many rows of this many tokens are decoded at once; if not the whole batch, a power of two."""
    fitting = max(1, batch_tokens // cost)
    return batch_rows if fitting >= batch_rows else 1 << (fitting.bit_length() - 1)


def _processors(rows: list[Row]) -> list[Any]:
    asked = rows[0].request
    ban = [BanRepeats(asked.no_repeat_ngram_size, beams_of(asked))] if asked.no_repeat_ngram_size else []
    sampling = _sampling(rows)
    return [*ban, sampling] if sampling else ban


def _sampling(rows: list[Row]) -> RowSampling | None:
    if all(row.request.temperature <= 0 for row in rows):
        return None
    return RowSampling([row.request.temperature for row in rows], [row.request.seed for row in rows])

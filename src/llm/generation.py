"""Text generation with transformers' `generate`, on padded batches in which every row is treated as if it were alone.

A batch thus gives the answers of its requests one by one, up to rounding. A prompt is read once, not once per beam or
sample. Beams stop as soon as enough have ended (`early_stopping`), as in the published baseline. The checkpoint's own
generation settings (sampling, penalties) are ignored: a request has all settings.

`EarlyStop` ends a prompt's beam search as soon as the part of the answer that is read can no longer change. This is the
case when all active beams and all ended answers agree on it. (The published code generates up to 5,000 tokens and reads
250 characters.)

Limitations: the rows of a batch must have the same decoding settings; `TransformersModel` groups them. A row that has
ended is computed on until the last one of its batch ends.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from inspect import signature
from typing import Any

import torch
from llguidance import LLTokenizer
from transformers import GenerationConfig, LogitsProcessor, StaticCache, StoppingCriteria

from src.llm.batching import left_padded, right_padded, sub_batches
from src.llm.loading import Loaded
from src.llm.ngram_ban import BanRepeats
from src.llm.progress import answered
from src.llm.protocol import Reading, Reply, Stopped
from src.llm.replies import first_stop, text_reply
from src.llm.rows import Row, beams_of
from src.llm.sampling import Sampler
from src.llm.schema_mask import SchemaMask, follows_schema, schema_tokenizer
from src.llm.stopping import BROKEN, Stopping

SPECIAL_TOKENS = ("bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id", "forced_bos_token_id")


class Heartbeat(StoppingCriteria):
    """Stopping criterion that never stops a row; it calls the listener of `progress.py` after every token."""

    def __call__(self, input_ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:
        answered(0)
        return torch.zeros(len(input_ids), dtype=torch.bool, device=input_ids.device)


class RowLimit(StoppingCriteria):
    """Stopping criterion that ends a row at its maximum number of new tokens.

    `limits` has one number per prompt; with beams, a prompt's rows are adjacent. `start` is the index, in each row, of
    the first token of the answer.
    """

    def __init__(self, start: int, limits: Sequence[int]) -> None:
        self.start = start
        self.limits = torch.tensor(list(limits))

    def __call__(self, input_ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:
        limits = self.limits.to(input_ids.device).repeat_interleave(len(input_ids) // len(self.limits))
        return limits <= input_ids.shape[1] - self.start


class StopStrings(StoppingCriteria):
    """Stopping criterion that ends a row as soon as its new text contains a stop string."""

    def __init__(self, stopping: Stopping, start: int) -> None:
        self.stopping = stopping
        self.start = start

    def __call__(self, input_ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:
        tails = input_ids[:, max(self.start, input_ids.shape[1] - self.stopping.tail) :].tolist()
        return torch.tensor([self.stopping.ended(tail) for tail in tails], device=input_ids.device)


class RowSampling(LogitsProcessor):
    """Sampling instead of the greedy choice, with a temperature and a seed for each row (`sampling.py`)."""

    def __init__(self, temperatures: Sequence[float], seeds: Sequence[int]) -> None:
        self._sampler = Sampler(temperatures, seeds)

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        tokens = self._sampler(scores)
        return torch.full_like(scores, -torch.inf).scatter_(1, tokens.unsqueeze(1), 0.0)


class EarlyStop(StoppingCriteria):
    """Stopping criterion that ends a prompt's beam search once all beams agree on the part of the answer that is read.

    Answers that have ended must agree with it, too. `generate` passes more than `beams` candidates per prompt, best
    first; an ended candidate counts only among the first `beams`. `start` is the index, in each row, of the first token
    of the answer.
    """

    def __init__(
        self, tokenizer: Any, start: int, beams: int, ends: Sequence[int], readings: Sequence[Reading]
    ) -> None:
        self._tokenizer, self._start, self._beams = tokenizer, start, beams
        self._ends, self._readings = set(ends), readings
        self._ended: list[set[str]] = [set() for _ in readings]  # the part that is read of each ended answer
        self._is_final = [False] * len(readings)

    def __call__(self, input_ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:
        each = len(input_ids) // len(self._readings)
        last = input_ids[:, -1].tolist()
        is_time = (input_ids.shape[1] - self._start) % BEAMS_EVERY == 0
        for prompt, is_final in enumerate(self._is_final):
            rows = range(prompt * each, (prompt + 1) * each)
            ended = [row for row in rows[: self._beams] if last[row] in self._ends]
            if is_final or not (is_time or ended):
                continue
            self._ended[prompt] |= {self._readings[prompt].of(self._text(input_ids[row])) for row in ended}
            active = [row for row in rows if last[row] not in self._ends][: self._beams]
            if is_time:
                self._is_final[prompt] = self._agree(prompt, [self._text(input_ids[row]) for row in active])
        return torch.tensor(self._is_final, device=input_ids.device).repeat_interleave(each)

    def _agree(self, prompt: int, active: list[str]) -> bool:
        reading = self._readings[prompt]
        texts = [text.rstrip(BROKEN) for text in active]
        final = all(len(text) >= reading.characters or reading.until in text for text in texts)
        return final and len(self._ended[prompt] | set(map(reading.of, texts))) == 1

    def _text(self, tokens: torch.Tensor) -> str:
        text: str = self._tokenizer.decode(tokens[self._start :].tolist(), skip_special_tokens=True)
        return text


class Generator:
    """Batched text generation with a loaded model, its padding token and its end tokens."""

    def __init__(self, loaded: Loaded) -> None:
        self._model, self._tokenizer, self._seq2seq = loaded.model, loaded.tokenizer, loaded.seq2seq
        own = self._model.generation_config
        special_tokens = {name: getattr(own, name, None) for name in SPECIAL_TOKENS}
        self._model.generation_config = GenerationConfig(**special_tokens)
        ends = own.eos_token_id if own.eos_token_id is not None else self._tokenizer.eos_token_id
        self.ends: list[int] = ends if isinstance(ends, list) else [end for end in [ends] if end is not None]
        pads = [self._tokenizer.pad_token_id, own.pad_token_id, *self.ends, 0]
        self.pad: int = next(pad for pad in pads if pad is not None)
        self._spread = loaded.device == "spread"
        self._takes_positions = "position_ids" in signature(self._model.forward).parameters
        # transformers 5.23 does not give the ALiBi of Falcon its mask with a static cache
        has_alibi = bool(getattr(self._model.config, "alibi", False))
        self._has_static_cache = bool(getattr(self._model, "_can_compile_fullgraph", False)) and not has_alibi

    def answers(self, rows: list[Row], batch_rows: int, batch_tokens: int) -> Iterator[tuple[int, Reply]]:
        """Answer the rows in batches of similar length; yield each row's index in `rows` and its reply.

        All rows must have the same decoding settings.
        """
        for batch in sub_batches([row.cost for row in rows], batch_rows, batch_tokens):
            yield from zip(batch, self.generate([rows[index] for index in batch]), strict=True)
            answered(len(batch))

    def generate(self, rows: list[Row]) -> list[Reply]:
        """Return the reply of each row, in order; the rows are one batch."""
        padded = right_padded if self._seq2seq else left_padded
        ids, mask = padded([row.tokens for row in rows], self.pad, self._model.device)
        start = 1 if self._seq2seq else ids.shape[1]
        out = self._model.generate(
            input_ids=ids,
            attention_mask=mask,
            generation_config=self._config(rows),
            logits_processor=self._processors(rows, start),
            stopping_criteria=self._criteria(rows, start),
            **({} if self._seq2seq else self._read(ids, mask, rows)),
        )
        return [self._reply(row, tokens) for row, tokens in zip(rows, out[:, start:].tolist(), strict=True)]

    def _read(self, ids: torch.Tensor, mask: torch.Tensor, rows: Sequence[Row]) -> dict[str, Any]:
        """Return `generate`'s argument with the key-value cache of the prompts without their last token.

        A prompt is read once, not once per beam or sample. If that saves nothing, or cannot be done, the cache is
        empty.
        """
        beams = beams_of(rows[0].request)
        first: dict[tuple[int, ...], int] = {}  # a prompt's first row
        firsts = [first.setdefault(tuple(row.tokens), index) for index, row in enumerate(rows)]
        distinct = list(first.values())
        if (beams == 1 and len(distinct) == len(rows)) or ids.shape[1] < 2 or self._spread:
            return self._room(ids.shape[1], rows) if beams == 1 else {}
        indices = {row: index for index, row in enumerate(distinct)}
        repeated = torch.tensor([indices[row] for row in firsts for _ in range(beams)], device=ids.device)
        ids, mask = ids[distinct], mask[distinct]
        positions = {"position_ids": (mask.cumsum(1) - 1).clamp(min=0)[:, :-1]} if self._takes_positions else {}
        cache = self._model.base_model(
            input_ids=ids[:, :-1], attention_mask=mask[:, :-1], use_cache=True, **positions
        ).past_key_values
        cache.batch_select_indices(repeated)
        return {"past_key_values": cache}

    def _room(self, width: int, rows: Sequence[Row]) -> dict[str, Any]:
        """Return `generate`'s argument with an empty key-value cache for prompts of `width` tokens and their answers.

        The default cache is copied for every token, which on a CPU can take longer than the model. Returns {} where
        that is the one to use: on a GPU, under autocast, whose number formats differ from the weights', for models
        without a cache of constant size, and for answers that end long before their limit (`Request.reading`).
        """
        if not self._has_static_cache or any(row.request.reading for row in rows):
            return {}
        if self._model.device.type != "cpu" or torch.is_autocast_enabled("cpu"):
            return {}
        config = self._model.config.get_text_config(decoder=True)
        room = width + max(row.limit for row in rows)
        return {"past_key_values": StaticCache(config, max_cache_len=room)}

    def _config(self, rows: list[Row]) -> GenerationConfig:
        request = rows[0].request
        beams = beams_of(request)
        return GenerationConfig(
            max_new_tokens=max(row.limit for row in rows),
            num_beams=beams,
            early_stopping=beams > 1,
            do_sample=False,
            pad_token_id=self.pad,
            eos_token_id=self.ends or None,
        )

    def _criteria(self, rows: list[Row], start: int) -> list[Any]:
        criteria: list[Any] = [Heartbeat(), RowLimit(start, [row.limit for row in rows])]
        if stop := rows[0].request.stop:
            criteria.append(StopStrings(Stopping(self._tokenizer, stop), start))
        readings = [row.request.reading for row in rows if row.request.reading is not None]
        if len(readings) == len(rows) and not stop:
            criteria.append(EarlyStop(self._tokenizer, start, beams_of(rows[0].request), self.ends, readings))
        return criteria

    def _processors(self, rows: list[Row], start: int) -> list[Any]:
        request = rows[0].request
        processors: list[Any] = []
        if follows_schema(request) and not self._seq2seq:
            schemas = [row.request.schema for row in rows]
            processors.append(SchemaMask(self._schema_tokenizer, schemas, start, self.ends))
        if request.no_repeat_ngram_size:
            processors.append(BanRepeats(request.no_repeat_ngram_size, beams_of(request)))
        sampling = _sampling(rows)
        return [*processors, sampling] if sampling else processors

    @cached_property
    def _schema_tokenizer(self) -> LLTokenizer:
        return schema_tokenizer(self._tokenizer, self._model.config.get_text_config().vocab_size, self.ends)

    def _reply(self, row: Row, tokens: list[int]) -> Reply:
        """Return the reply of a row: its answer up to its end token, without padding, which may be end tokens too."""
        used = tokens[: row.limit]
        end = next((index for index, token in enumerate(used) if token in self.ends), None)
        if end is not None:
            used = used[: end + 1]
        while end is None and used and used[-1] == self.pad:
            used.pop()
        text = self._tokenizer.decode(used, skip_special_tokens=True)
        if end is not None and first_stop(text, row.request.stop) >= 0:
            used.pop()  # nothing is generated after a stop string: this end is padding
        stopped: Stopped = "length" if end is None else "eos"
        return text_reply(row.request, text, len(row.tokens), len(used), stopped)


def _sampling(rows: list[Row]) -> RowSampling | None:
    if all(row.request.temperature <= 0 for row in rows):
        return None
    return RowSampling([row.request.temperature for row in rows], [row.request.seed for row in rows])


BEAMS_EVERY = 4  # tokens between two checks of the beams; the text must be decoded for it

"""Generates text for a padded batch with transformers' own `generate`: greedy, beams, n-gram ban, sampling.

Beams stop as soon as enough have ended (`early_stopping`), as in the published baseline. The checkpoint's own
generation settings (sampling, penalties) are set aside: a request says all.

But: the rows of a batch must be decoded alike; `TransformersModel` groups them.
"""

from typing import Any, NamedTuple

from transformers import GenerationConfig

from src.llm.decoding import RowLimit, RowSampling, StopStrings
from src.llm.loading import Loaded
from src.llm.padding import left_padded, right_padded
from src.llm.protocol import Reply, Request, Stopped
from src.llm.replies import first_stop, text_reply

KEPT_SETTINGS = ("bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id", "forced_bos_token_id")


class Row(NamedTuple):
    """A request with its prompt in tokens and the most tokens that its answer may have."""

    request: Request
    tokens: list[int]
    limit: int

    @property
    def cost(self) -> int:
        """Tokens that this row takes in a batch, counted once for every beam or choice."""
        return (len(self.tokens) + self.limit) * max(1, self.request.num_beams, len(self.request.choices))


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

    def generate(self, rows: list[Row]) -> list[Reply]:
        """Answers in the order of the rows."""
        padded = right_padded if self._seq2seq else left_padded
        ids, mask = padded([row.tokens for row in rows], self.pad, self._model.device)
        start = 1 if self._seq2seq else ids.shape[1]
        out = self._model.generate(
            input_ids=ids,
            attention_mask=mask,
            generation_config=self._config(rows),
            logits_processor=_sampling(rows),
            stopping_criteria=self._criteria(rows, start),
        )
        return [self._reply(row, tokens) for row, tokens in zip(rows, out[:, start:].tolist(), strict=True)]

    def _config(self, rows: list[Row]) -> GenerationConfig:
        asked = rows[0].request
        beams = 1 if asked.temperature > 0 else asked.num_beams
        return GenerationConfig(
            max_new_tokens=max(row.limit for row in rows),
            num_beams=beams,
            early_stopping=beams > 1,
            no_repeat_ngram_size=asked.no_repeat_ngram_size,
            do_sample=False,
            pad_token_id=self.pad,
            eos_token_id=self.ends or None,
        )

    def _criteria(self, rows: list[Row], start: int) -> list[Any]:
        limit = RowLimit(start, [row.limit for row in rows])
        stop = rows[0].request.stop
        return [limit, StopStrings(self._tokenizer, start, stop)] if stop else [limit]

    def _reply(self, row: Row, tokens: list[int]) -> Reply:
        """Finds where the row's own answer ended; what follows is padding, at times made of ending tokens."""
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


def _sampling(rows: list[Row]) -> list[Any]:
    if rows[0].request.temperature <= 0:
        return []
    return [RowSampling([row.request.temperature for row in rows], [row.request.seed for row in rows])]

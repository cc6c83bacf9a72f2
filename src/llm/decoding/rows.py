"""What ends each row of a batch, and how it is sampled: stop strings, limits, early stop of beams, seeds.

Every row is treated as if it were alone. A batch thus gives the answers of its requests one by one.

`Stopping` finds stop strings after every token, without decoding every time. A stop string can only be complete after a
token that contains its last character, or one that ends inside a character. This property is determined once for each
token that occurs; the text is decoded only after such tokens.

`EarlyStop` ends a prompt's beams as soon as the part of their answer that is read can no longer change: it is the same
for all active beams and all ended answers, so it does not matter which of them is chosen. (The published code generates
up to 5,000 tokens and reads 250 characters.)

Limitations: a stop string that ends in white space is looked for after every token, since a tokenizer may hide it. No
top-k or top-p; sampling draws from the whole distribution at the given temperature.
"""

from collections.abc import Sequence
from typing import Any

import torch
from transformers import LogitsProcessor, StoppingCriteria

from src.llm.protocol import Reading
from src.llm.replies import first_stop

LENGTH_EVERY = 16  # tokens between two checks of the text's length
BEAMS_EVERY = 4  # tokens between two checks of the beams; the text must be decoded for it
BROKEN = "\ufffd"  # what a decoder writes for bytes that are no character yet


class Stopping:
    """Stop detection for one tokenizer and one set of stop strings.

    Only the last tokens are decoded: as many as the longest stop string has bytes, plus one, since a token is at least
    one byte.
    """

    def __init__(self, tokenizer: Any, stop: Sequence[str], reading: Reading | None = None) -> None:
        self._tokenizer = tokenizer
        self._stop = [text for text in (*stop, reading.until if reading else "") if text]
        self._characters = reading.characters if reading else None
        self._last = {text[-1] for text in self._stop} | {BROKEN}
        self._always = any(text[-1].isspace() for text in self._stop)
        self.tail = max((len(text.encode()) for text in self._stop), default=0) + 1
        self._suspect: dict[int, bool] = {}

    def ended(self, said: Sequence[int]) -> bool:
        """Return True if the last of these new tokens completes a stop string, or if nothing more would be read."""
        if self._characters is not None and said and len(said) % LENGTH_EVERY == 0:
            text = self._tokenizer.decode(list(said), skip_special_tokens=True)
            if len(text.rstrip(BROKEN)) >= self._characters:
                return True
        if not self._stop or not said or not (self._always or self._is_suspect(said[-1])):
            return False
        text = self._tokenizer.decode(list(said[-self.tail :]), skip_special_tokens=True)
        return first_stop(text, self._stop) >= 0

    def _is_suspect(self, token: int) -> bool:
        if token not in self._suspect:
            text = self._tokenizer.decode([token], skip_special_tokens=True)
            self._suspect[token] = not self._last.isdisjoint(text)
        return self._suspect[token]


class RowLimit(StoppingCriteria):
    """Stopping criterion that ends a row at its own number of new tokens. With beams, a prompt's rows are adjacent."""

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
    """Sampling from softmax(logits / temperature) instead of the greedy choice, with a seed per row.

    By inverse transform: the sample is the token at which the summed probabilities exceed a uniform number. A row's
    numbers come from its own generator, so they do not depend on its neighbors in the batch. At temperature 0 the
    likeliest token is taken.
    """

    def __init__(self, temperatures: Sequence[float], seeds: Sequence[int]) -> None:
        self.temperatures = torch.tensor(list(temperatures))
        self.generators = [torch.Generator().manual_seed(seed) for seed in seeds]

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        drawn = self.drawn(scores, range(len(scores))).unsqueeze(1)
        return torch.full_like(scores, -torch.inf).scatter_(1, drawn, 0.0)

    def drawn(self, scores: torch.Tensor, rows: Sequence[int]) -> torch.Tensor:
        """Return a token for each of these rows, whose scores are (rows, vocabulary)."""
        tokens = scores.argmax(-1)
        heat = self.temperatures[list(rows)]
        warm = (heat > 0).nonzero().squeeze(1)
        if len(warm):
            places = warm.to(scores.device)
            seeded = [self.generators[rows[place]] for place in warm.tolist()]
            tokens[places] = _draw(scores[places], heat[warm].to(scores.device), seeded)
        return tokens


def _draw(scores: torch.Tensor, heat: torch.Tensor, seeded: Sequence[torch.Generator]) -> torch.Tensor:
    summed = (scores.float() / heat.unsqueeze(1)).softmax(-1).cumsum(-1, dtype=torch.float64)
    uniform = torch.cat([torch.rand(1, 1, dtype=torch.float64, generator=one) for one in seeded])
    passed = torch.searchsorted(summed, uniform.to(scores.device) * summed[:, -1:], right=True)
    return passed.squeeze(1).clamp(max=scores.shape[1] - 1)


class EarlyStop(StoppingCriteria):
    """Stopping criterion for prompts with `beams` beams each; `start` is the position where their answers begin.

    `generate` passes candidates: for each prompt, best first, more of them than it continues, so that enough are left
    when some have ended. An ended one is kept as an answer only if it is among the best `beams`.
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
            places = range(prompt * each, (prompt + 1) * each)
            ended = [place for place in places[: self._beams] if last[place] in self._ends]
            if is_final or not (is_time or ended):
                continue
            self._ended[prompt] |= {self._readings[prompt].of(self._text(input_ids[place])) for place in ended}
            going = [place for place in places if last[place] not in self._ends][: self._beams]
            if is_time:
                self._is_final[prompt] = self._agree(prompt, [self._text(input_ids[place]) for place in going])
        return torch.tensor(self._is_final, device=input_ids.device).repeat_interleave(each)

    def _agree(self, prompt: int, going: list[str]) -> bool:
        reading = self._readings[prompt]
        whole = [text.rstrip(BROKEN) for text in going]
        final = all(len(text) >= reading.characters or reading.until in text for text in whole)
        return final and len(self._ended[prompt] | set(map(reading.of, whole))) == 1

    def _text(self, tokens: torch.Tensor) -> str:
        text: str = self._tokenizer.decode(tokens[self._start :].tolist(), skip_special_tokens=True)
        return text

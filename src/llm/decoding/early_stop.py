"""Early stop of a prompt's beams, as soon as the part of their answer that is read can no longer change.

This is the case if the part that is read is the same for all active beams and all ended answers: it does not matter
which of them is chosen. (The published code generates up to 5,000 tokens and reads 250 characters.)

Limitations: checked every few tokens only, since the text must be decoded for it.
"""

from collections.abc import Sequence
from typing import Any

import torch
from transformers import StoppingCriteria

from src.llm.decoding.stopping import BROKEN
from src.llm.protocol import Reading

EVERY = 4  # tokens


class Settled(StoppingCriteria):
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
        self._settled = [False] * len(readings)

    def __call__(self, input_ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:
        each = len(input_ids) // len(self._readings)
        last = input_ids[:, -1].tolist()
        look = (input_ids.shape[1] - self._start) % EVERY == 0
        for prompt, settled in enumerate(self._settled):
            places = range(prompt * each, (prompt + 1) * each)
            ended = [place for place in places[: self._beams] if last[place] in self._ends]
            if settled or not (look or ended):
                continue
            self._ended[prompt] |= {self._readings[prompt].of(self._text(input_ids[place])) for place in ended}
            going = [place for place in places if last[place] not in self._ends][: self._beams]
            if look:
                self._settled[prompt] = self._agree(prompt, [self._text(input_ids[place]) for place in going])
        return torch.tensor(self._settled, device=input_ids.device).repeat_interleave(each)

    def _agree(self, prompt: int, going: list[str]) -> bool:
        reading = self._readings[prompt]
        whole = [text.rstrip(BROKEN) for text in going]
        final = all(len(text) >= reading.characters or reading.until in text for text in whole)
        return final and len(self._ended[prompt] | set(map(reading.of, whole))) == 1

    def _text(self, tokens: torch.Tensor) -> str:
        text: str = self._tokenizer.decode(tokens[self._start :].tolist(), skip_special_tokens=True)
        return text

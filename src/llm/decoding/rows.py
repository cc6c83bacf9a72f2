"""Extensions of transformers' generation: limit, stop strings and sampling per row.

Each class works on a padded batch and treats every row as if it were alone. A batch thus gives the answers of its
requests one by one.

Limitations: no top-k or top-p; sampling draws from the whole distribution at the given temperature.
"""

from collections.abc import Sequence
from typing import Any

import torch
from transformers import LogitsProcessor, StoppingCriteria

from src.llm.decoding.stopping import Stopping


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

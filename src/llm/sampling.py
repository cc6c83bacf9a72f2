"""Sampling of tokens by inverse transform, with a random generator of its own for each row.

A sample is the token at which the summed probabilities exceed a uniform number. The sums are taken over blocks of the
vocabulary first, then within the block that has the token: adding up a whole vocabulary in float64 takes longer than a
step of a small model.

Limitations: no top-k or top-p; sampling draws from the whole distribution.
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import pad

BLOCK = 256  # tokens of the vocabulary that are summed at once
ROWS = 16  # rows that are drawn at once: more do not fit in the processor's cache


class Sampler:
    """Sampler of the next tokens of some rows; a row's temperature of 0 means its likeliest token.

    A row's random numbers come from its own generator, so they do not depend on its neighbors in the batch.
    """

    def __init__(self, temperatures: Sequence[float], seeds: Sequence[int]) -> None:
        self._temperatures = torch.tensor(list(temperatures))
        self._generators = [torch.Generator().manual_seed(seed) for seed in seeds]

    def __call__(self, scores: Tensor, rows: Sequence[int] | None = None) -> Tensor:
        """Return the tokens [n] of `rows` from their scores [n, vocabulary]; None means all rows, in order."""
        of_rows = torch.arange(len(scores)) if rows is None else torch.tensor(list(rows))
        temperatures = self._temperatures[of_rows]
        tokens = scores.new_empty(len(scores), dtype=torch.long)
        cold, warm = ((temperatures > 0) == is_warm for is_warm in (False, True))
        if cold.any():
            tokens[cold] = scores[cold].argmax(-1)
        if warm.any():
            generators = [self._generators[row] for row in of_rows[warm].tolist()]
            tokens[warm] = drawn(scores[warm], temperatures[warm].to(scores.device), generators)
        return tokens


def drawn(scores: Tensor, temperatures: Tensor, generators: Sequence[torch.Generator]) -> Tensor:
    """Return a token [rows] for each row of scores [rows, vocabulary], drawn from softmax(scores / temperature)."""
    uniform = torch.cat([torch.rand(1, 1, dtype=torch.float64, generator=generator) for generator in generators])
    parts = zip(*(one.split(ROWS) for one in (scores, temperatures, uniform.to(scores.device))), strict=True)
    return torch.cat([_drawn(*part) for part in parts])


def _drawn(scores: Tensor, temperatures: Tensor, uniform: Tensor) -> Tensor:
    """Return `drawn` for some rows, from a uniform number [rows, 1] for each."""
    size = scores.shape[1]
    chances = pad((scores.float() / temperatures.unsqueeze(1)).softmax(-1), (0, -size % BLOCK))
    blocks = chances.view(len(scores), -1, BLOCK)
    summed = blocks.sum(-1, dtype=torch.float64).cumsum(-1)
    target = uniform * summed[:, -1:]
    block = torch.searchsorted(summed, target, right=True).clamp(max=summed.shape[1] - 1)
    before = pad(summed, (1, 0)).gather(1, block)
    within = blocks[torch.arange(len(scores), device=scores.device), block.squeeze(1)].cumsum(-1, dtype=torch.float64)
    place = torch.searchsorted(within, target - before, right=True).clamp(max=BLOCK - 1)
    return (block * BLOCK + place).squeeze(1).clamp(max=size - 1)

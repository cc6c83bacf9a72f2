"""Samples follow the distribution, and are those of a sum over the whole vocabulary."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from src.llm.sampling import BLOCK, Sampler, drawn


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 3 * BLOCK), st.integers(0, 2**31 - 1), st.floats(0.2, 3.0))
def test_blocks_draw_what_a_whole_sum_draws(size: int, seed: int, heat: float) -> None:
    scores = 3 * torch.randn(4, size, generator=torch.Generator().manual_seed(seed))
    scores[0, : size // 2] = -torch.inf
    heats = torch.full((4,), heat)
    generators = [torch.Generator().manual_seed(seed + row) for row in range(4)]
    tokens = drawn(scores, heats, generators)
    summed = (scores / heats[:, None]).softmax(-1).cumsum(-1, dtype=torch.float64)
    uniform = [
        torch.rand(1, 1, dtype=torch.float64, generator=one.manual_seed(seed + row))
        for row, one in enumerate(generators)
    ]
    expected = torch.searchsorted(summed, torch.cat(uniform) * summed[:, -1:], right=True).squeeze(1)
    assert (tokens - expected.clamp(max=size - 1)).abs().max() <= 1  # a number may fall on a boundary
    assert torch.isfinite(scores[torch.arange(4), tokens]).all()


def test_frequencies_are_the_probabilities() -> None:
    chances = torch.tensor([0.5, 0.3, 0.2])
    scores = torch.full((1, 600), -torch.inf)
    places = torch.tensor([3, 290, 599])
    scores[0, places] = chances.log()
    generator = torch.Generator().manual_seed(0)
    tokens = torch.cat([drawn(scores, torch.ones(1), [generator]) for _ in range(4000)])
    counts = torch.stack([(tokens == place).float().mean() for place in places])
    torch.testing.assert_close(counts, chances, atol=0.03, rtol=0)


def test_a_row_draws_the_same_beside_others() -> None:
    scores = torch.randn(3, 50, generator=torch.Generator().manual_seed(1))
    together = Sampler([0.9, 0.0, 0.9], [4, 5, 6])(scores)
    assert together[1] == scores[1].argmax()
    assert Sampler([0.9, 0.0, 0.9], [4, 5, 6])(scores[2:], [2]) == together[2]

"""Any classes as two: the probability of one class, and of all others together."""

import pytest
import torch

from src.models.two_classes import TwoClasses


class _Fixed(torch.nn.Module):
    def __init__(self, logits: torch.Tensor) -> None:
        super().__init__()
        self._logits = logits

    def forward(self) -> torch.Tensor:
        return self._logits


@pytest.mark.parametrize(("classes", "true"), [(3, 0), (3, 2), (4, 1)])
def test_others_count_together(classes: int, true: int) -> None:
    logits = torch.randn(5, classes, generator=torch.Generator().manual_seed(1))
    found = TwoClasses(_Fixed(logits), true)().softmax(-1)
    assert torch.allclose(found[:, 0], logits.softmax(-1)[:, true])
    assert torch.allclose(found.sum(-1), torch.ones(5))


def test_two_classes_stay_as_they_are() -> None:
    logits = torch.tensor([[1.0, -2.0], [0.5, 3.0]])
    assert torch.allclose(TwoClasses(_Fixed(logits), 0)(), logits)
    assert torch.allclose(TwoClasses(_Fixed(logits), 1)(), logits.flip(-1))

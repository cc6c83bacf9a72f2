"""A task that trains quickly: a linear map with dropout, so that order, random numbers and moments all matter."""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from src.training.task import Final, Scores, Task

EXAMPLES = 40


def small_task(interrupt: Callable[[], None] = lambda: None, held_out: Callable[[Any], Scores] | None = None) -> Task:
    """Return the task. `interrupt` is called before every part of a step and may raise."""
    torch.manual_seed(0)
    inputs = torch.randn(EXAMPLES, 6)
    wanted = inputs @ torch.randn(6, 2)
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.Dropout(0.2), torch.nn.Linear(16, 2))

    def loss(model: Any, places: Sequence[int]) -> torch.Tensor:
        interrupt()
        distance: torch.Tensor = model(inputs[list(places)].to(_device(model))) - wanted[list(places)].to(
            _device(model)
        )
        return distance.square().sum()

    def error(model: Any) -> Scores:
        return {"closeness": -float((model(inputs.to(_device(model))).cpu() - wanted).square().mean())}

    return Task(
        model=model,
        tokenizer=None,
        layout="numbers",
        lengths=[3 + place % 7 for place in range(EXAMPLES)],
        weights=[1.0] * EXAMPLES,
        loss=loss,
        held_out=held_out or error,
        chosen_by="closeness",
        final=lambda model: Final(error(model)),
    )


def _device(model: Any) -> torch.device:
    device: torch.device = next(iter(model.parameters())).device
    return device

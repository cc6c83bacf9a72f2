"""The interface of a training task: model, lengths of the examples, loss, held-out scores. All else is shared."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from src.models.base_model import BaseModel
from src.records import Claim
from src.training.recipe import Recipe
from src.training.split import Split

if TYPE_CHECKING:
    from torch import Tensor

Scores = dict[str, float]


class Final(msgspec.Struct, frozen=True):
    """The results of a finished model.

    `scores` are measured on held-out claims, and `baselines` are the scores of baselines on them. `temperature` and
    `biases` are those fitted, if any.
    """

    scores: Scores
    baselines: Scores = {}
    temperature: float = 1.0
    biases: tuple[float, ...] = ()


class Task(msgspec.Struct, frozen=True):
    """A model to train and its examples, which are identified by their indices 0 to n - 1.

    `lengths` are the tokens of each example, and `weights` are their weights in the loss (1, or the number of learned
    tokens). `loss` returns the sum of the losses of the examples at some indices, each multiplied by its weight.
    `held_out` scores the current model. `chosen_by` names the score that chooses the best weights; higher is better.
    `finish`, if any, changes the best weights after training. `final` is called once, after it. `counts` are printed
    before training starts.
    """

    model: Any
    tokenizer: Any
    layout: str
    lengths: Sequence[int]
    weights: Sequence[float]
    loss: "Callable[[Any, Sequence[int]], Tensor]"
    held_out: Callable[[Any], Scores]
    chosen_by: str
    final: Callable[[Any], Final]
    finish: Callable[[Any], None] | None = None
    labels: tuple[str, ...] = ()
    counts: Mapping[str, int] = {}


class Material(msgspec.Struct, frozen=True):
    """The inputs that a task is made from. `claims` are all claims of the training file, used or not."""

    recipe: Recipe
    split: Split
    claims: Sequence[Claim]
    base: BaseModel
    quiet: bool = False


Prepare = Callable[[Material], Task]

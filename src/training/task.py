"""What a training step brings along: model, examples as lengths, loss, held-out score. The rest is the same for all."""

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
    """What is known of the finished model: held-out scores, floors beside them, a temperature where one was fitted."""

    scores: Scores
    floors: Scores = {}
    temperature: float = 1.0
    biases: tuple[float, ...] = ()


class Task(msgspec.Struct, frozen=True):
    """A model to train and its examples, which are known by their places 0 to n - 1.

    `lengths` are their tokens and `weights` how much each counts (1, or its tokens that are learned). `loss` gives the
    sum of the losses of the examples at some places, already multiplied by their weights. `held_out` scores the model
    as it stands; `chosen_by` names the score that decides, higher being better. `final` is asked once, with the best
    weights, which `finish` may change before (None: it does not). `counts` are told before training starts.
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
    """What a task is made from. `claims` are all those of the training file, used or not."""

    recipe: Recipe
    split: Split
    claims: Sequence[Claim]
    base: BaseModel
    quiet: bool = False


Prepare = Callable[[Material], Task]

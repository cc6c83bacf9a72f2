"""Interface of a training task (model, examples, loss, scores) for the training loop that all tasks share."""

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
    """Final results of a trained model.

    `scores`: scores on held-out claims.
    `baselines`: scores of baselines on the same claims.
    `temperature`: fitted temperature of the logits; 1: none.
    `biases`: fitted biases of the decision, one per class; empty: none.
    """

    scores: Scores
    baselines: Scores = {}
    temperature: float = 1.0
    biases: tuple[float, ...] = ()


class Task(msgspec.Struct, frozen=True):
    """A model to train and its examples, which are identified by their indices 0 to n - 1.

    `model`, `tokenizer`: the model and its tokenizer.
    `layout`: name of the format of its inputs.
    `lengths`: number of tokens of each example.
    `weights`: weight of each example in the loss: 1, or its number of learned tokens.
    `loss`: from the model and indices of examples to the sum of their weighted losses.
    `held_out`: from the model to its held-out scores, called during training.
    `chosen_by`: name of the held-out score that selects the best weights; higher is better.
    `final`: from the model to its final results, called once at the end.
    `finish`: changes the best weights after training, before `final`; None: no change.
    `labels`: the classes.
    `counts`: numbers of examples by kind, printed before training.
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
    """Inputs from which a task is built.

    `recipe`: the recipe of the training.
    `split`: the claims, split into training and held-out claims.
    `claims`: all claims of the training file, used or not.
    `base`: the base model.
    `quiet`: print errors only.
    """

    recipe: Recipe
    split: Split
    claims: Sequence[Claim]
    base: BaseModel
    quiet: bool = False


Prepare = Callable[[Material], Task]

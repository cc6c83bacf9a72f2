"""Models that learn to classify inputs: an encoder, which gets a head, or a language model, which answers in one
word."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from src.models.base_model import BaseModel, is_language_model
from src.models.evidence_rows import LAYOUT, Input, Row, RowMaker
from src.models.prompted_classifier import PromptLayout
from src.training.calibration import Floats
from src.training.classifier import Label, all_logits, load_classifier, loss_of
from src.training.recipe import Recipe

if TYPE_CHECKING:
    from torch import Tensor


class Learner(Protocol):
    """A model that learns to classify. `layout` names the format of its inputs; rows are inputs in tokens."""

    model: Any
    tokenizer: Any
    layout: str

    def rows(self, inputs: Sequence[Input]) -> list[Any]: ...

    def lengths(self, rows: Sequence[Any]) -> list[int]:
        """Return the number of tokens of each row."""

    def loss_of(
        self, rows: Sequence[Any], labels: Sequence[Label], weights: Sequence[float]
    ) -> "Callable[[Any, Sequence[int]], Tensor]":
        """Return the loss function of a training: from a model and indices of rows to the sum of their losses."""

    def ask(self, model: Any) -> Callable[[Sequence[Input]], Floats]:
        """Return a function from inputs to their logits, [inputs, classes], with the model's current weights."""


class Encoded:
    """An encoder with a head."""

    def __init__(self, base: BaseModel, recipe: Recipe, classes: int) -> None:
        """Load the base. Raises InputError when it cannot be loaded, or has fewer positions than the longest rows."""
        self.model, self.tokenizer = load_classifier(base, recipe, classes)
        self.layout = LAYOUT
        self._maker = RowMaker(base.folder, recipe.max_length)

    def rows(self, inputs: Sequence[Input]) -> list[Row]:
        return self._maker.rows(inputs)

    def lengths(self, rows: Sequence[Row]) -> list[int]:
        return [len(row.ids) for row in rows]

    def loss_of(
        self, rows: Sequence[Row], labels: Sequence[Label], weights: Sequence[float]
    ) -> "Callable[[Any, Sequence[int]], Tensor]":
        return loss_of(rows, labels, weights)

    def ask(self, model: Any) -> Callable[[Sequence[Input]], Floats]:
        return lambda inputs: all_logits(model, self._maker.rows(inputs)).double().numpy()


def learner_of(base: BaseModel, recipe: Recipe, classes: int, prompt: PromptLayout) -> Learner:
    """Return the learner for a base model. `prompt` is the layout for a language model.

    Raises InputError when the base cannot be loaded, is a language model without a chat template, or has a tokenizer
    that begins two answers with the same token.
    """
    if not is_language_model(base):
        return Encoded(base, recipe, classes)
    from src.training.prompted import Prompted  # loads torch

    return Prompted(base, recipe, prompt)

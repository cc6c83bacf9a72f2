"""A model that learns to give inputs a class: an encoder, which gets a head, or a language model, which answers in one
word."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from src.models.base_model import BaseModel, is_language_model
from src.models.evidence_rows import LAYOUT, Input, Row, RowMaker
from src.models.passage_prompt import PromptLayout
from src.training.calibration import Floats
from src.training.classifier import Label, all_logits, load_classifier, loss_of
from src.training.recipe import Recipe

if TYPE_CHECKING:
    from torch import Tensor


class Learner(Protocol):
    """`layout` names how its inputs are laid out; rows are inputs in tokens."""

    model: Any
    tokenizer: Any
    layout: str

    def rows(self, inputs: Sequence[Input]) -> list[Any]: ...

    def lengths(self, rows: Sequence[Any]) -> list[int]:
        """Return the tokens of each row."""

    def loss_of(
        self, rows: Sequence[Any], labels: Sequence[Label], weights: Sequence[float]
    ) -> "Callable[[Any, Sequence[int]], Tensor]":
        """Return what a training asks for: model and places of some of the rows to the sum of their losses."""

    def ask(self, model: Any) -> Callable[[Sequence[Input]], Floats]:
        """Return a function that gives the logits of inputs, [inputs, classes], with the model's present weights."""


class Encoded:
    """An encoder with a head."""

    def __init__(self, base: BaseModel, recipe: Recipe, classes: int) -> None:
        """Raises InputError when the base cannot be loaded, or has no room for the longest rows."""
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
    """`prompt` is that of a language model.

    Raises InputError when the base cannot be loaded, or is a language model without a chat template, or one whose
    tokenizer begins two answers alike.
    """
    if not is_language_model(base):
        return Encoded(base, recipe, classes)
    from src.training.prompted import Prompted  # loads torch

    return Prompted(base, recipe, prompt)

"""Training of classifiers: their interface (`Learner`), and an encoder with a head: loading, loss and logits.

The other learner, a language model that answers in one word, is in `language_model.py`.

Limitations: the tasks define the content of the rows and the meaning of the classes.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from src.errors import InputError
from src.llm.batching import sub_batches
from src.models.base_model import BaseModel
from src.models.evidence_rows import LAYOUT, Input, Row, RowMaker
from src.models.trained_classifier import lay_over
from src.training.adapters import base_dtype, with_adapters
from src.training.calibration import Floats
from src.training.recipe import Recipe

if TYPE_CHECKING:
    from torch import Tensor

Label = int | Sequence[float]  # a class, or the probability of each class
BATCH_ROWS, BATCH_TOKENS = 128, 4096
FROM_PADDING = ("mpnet", "roberta", "xlm-roberta", "camembert", "longformer")


def load_classifier(
    base: BaseModel, recipe: Recipe, classes: int, trained: Path | None = None, *, own_head: bool = False
) -> tuple[Any, Any]:
    """Load a base model as a classifier that is ready for training; return it with its tokenizer.

    `trained`: folder of a classifier with this base; training begins with its weights. None: with those of the base.
    `own_head`: keep the classification head of the base. By default the head is new, for `classes` classes.

    Raises InputError when the base cannot be loaded, or has fewer positions than the recipe's `max_length`.
    """
    from transformers import AutoTokenizer

    from src.llm.loading import silence
    from src.models.pooled import classifier_of, new_classifier

    silence()
    try:
        tokenizer = AutoTokenizer.from_pretrained(base.folder)
    except (OSError, ValueError) as error:
        raise InputError(f"no tokenizer: {str(error).strip().splitlines()[0]}", path=base.folder) from None
    # "eager" attention: with padding, the fused kernels take up to half as long again on a CPU
    how: Any = {"dtype": base_dtype(trained=recipe.rank == 0), "attention": "eager"}
    model: Any = classifier_of(base.folder, **how) if own_head else new_classifier(base.folder, classes, **how)
    if trained is not None:
        lay_over(model, trained)
    if recipe.max_length > (most := positions(model.config)):
        raise InputError(f"--max_length {recipe.max_length}: {base.name} has {most:g} positions")
    return with_adapters(model, recipe, classifies=True), tokenizer


def positions(config: Any) -> float:
    """Return how many tokens a model can read; infinity without a limit.

    Models like RoBERTa number positions from `pad_token_id` + 1, so fewer positions are left for tokens.
    """
    most: float = getattr(config, "max_position_embeddings", float("inf"))
    return most - (config.pad_token_id + 1 if config.model_type in FROM_PADDING else 0)


def loss_of(
    rows: Sequence[Row], labels: Sequence[Label], weights: Sequence[float]
) -> "Callable[[Any, Sequence[int]], Tensor]":
    """Return the loss function of a training.

    It takes a model and indices of rows (from 0), and returns the sum of the rows' losses, each multiplied by its
    weight.
    """

    def loss(model: Any, places: Sequence[int]) -> "Tensor":
        chosen = [rows[place] for place in places]
        return class_loss(model, chosen, [labels[place] for place in places], [weights[place] for place in places])

    return loss


def class_loss(model: Any, rows: Sequence[Row], labels: Sequence[Label], weights: Sequence[float]) -> "Tensor":
    """Return the sum of the cross-entropies of a batch of rows, each multiplied by its weight."""
    return weighted_loss(logits(model, rows), labels, weights)


def weighted_loss(logits: "Tensor", labels: Sequence[Label], weights: Sequence[float]) -> "Tensor":
    """Return the sum of the rows' cross-entropies, each multiplied by its weight, from logits [rows, classes]."""
    import torch
    from torch.nn.functional import cross_entropy

    losses = cross_entropy(logits, torch.tensor(labels, device=logits.device), reduction="none")
    return (losses * torch.tensor(weights, device=logits.device, dtype=losses.dtype)).sum()


def logits(model: Any, rows: Sequence[Row]) -> "Tensor":
    """Return the logits of a batch of rows: float32 [rows, classes], with gradients where autograd is on."""
    from src.models.pooled import padded

    plain = model.get_base_model() if hasattr(model, "get_base_model") else model
    result: Tensor = plain(**padded(rows, plain.config, plain.device))
    return result


def all_logits(model: Any, rows: Sequence[Row]) -> "Tensor":
    """Return the logits of any number of rows, at least one: [rows, classes] on the CPU, without gradients."""
    import torch

    batches = sub_batches([len(row.ids) for row in rows], BATCH_ROWS, BATCH_TOKENS)
    with torch.no_grad():
        batched = torch.cat([logits(model, [rows[place] for place in batch]).float().cpu() for batch in batches])
    return batched[torch.tensor([place for batch in batches for place in batch]).argsort()]


class Learner(Protocol):
    """A model that learns to classify, with its tokenizer. `layout` is the name of the format of its inputs."""

    model: Any
    tokenizer: Any
    layout: str

    def rows(self, inputs: Sequence[Input]) -> list[Any]:
        """Convert inputs to rows of token ids, one for each input."""

    def lengths(self, rows: Sequence[Any]) -> list[int]:
        """Return the number of tokens of each row."""

    def loss_of(
        self, rows: Sequence[Any], labels: Sequence[Label], weights: Sequence[float]
    ) -> "Callable[[Any, Sequence[int]], Tensor]":
        """Return the loss function of a training, as the function `loss_of` does."""

    def ask(self, model: Any) -> Callable[[Sequence[Input]], Floats]:
        """Return a function that computes logits of inputs, [inputs, classes].

        The function uses the weights that `model` has at the time of the call.
        """


class Encoded:
    """Learner that trains an encoder with a classification head on pairs of texts."""

    def __init__(self, base: BaseModel, recipe: Recipe, classes: int) -> None:
        """Load the base model with a new head for `classes` classes.

        Raises InputError when it cannot be loaded, or has fewer positions than the recipe's `max_length`.
        """
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

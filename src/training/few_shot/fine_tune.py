"""Fine-tuning of an encoder on a few claims with their evidence, and its predictions for other claims.

It is repeatable: the seed determines the initial weights of the head and the order of the examples. The last weights
are used, because no examples are held out of so few. The recipes are in `recipes.py`.
"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import msgspec

from src.llm.protocol import ModelInfo
from src.models.evidence_rows import LAYOUT, Input
from src.training.few_shot.encoders import Encoder, Maker
from src.training.few_shot.recipes import Choices, recipe_for
from src.training.recipe import Recipe
from src.training.task import Final, Scores, Task

if TYPE_CHECKING:
    from torch import Tensor

    from src.models.two_classes import TwoClasses, TwoWords

TRUE, FALSE = 0, 1  # the indices of the two classes
LEARNED = "share of the examples that is told right"


class Shot(msgspec.Struct, frozen=True):
    """An example: a claim with its passages, and its truth."""

    text: Input
    is_true: bool


class FineTuned:
    """A fine-tuned encoder. `learned` is its accuracy on its training examples, `seconds` is the time of training."""

    def __init__(
        self, model: "TwoClasses | TwoWords", encoder: Encoder, recipe: Recipe, maker: Maker, learned: float,
        seconds: float,
    ) -> None:  # fmt: skip
        self._model, self._encoder, self._recipe, self._maker = model, encoder, recipe, maker
        self.learned, self.seconds = learned, seconds

    @property
    def info(self) -> ModelInfo:
        device = self._model.device.type
        details = self._encoder.info.details | {"device": device, "recipe": str(msgspec.to_builtins(self._recipe))}
        return msgspec.structs.replace(
            self._encoder.info, context=self._maker.max_length, deterministic=device == "cpu", details=details
        )

    def cut(self, inputs: Sequence[Input]) -> list[bool]:
        """Return True for each input that is longer than the encoder can read."""
        return [length > self._maker.max_length for length in self._maker.whole_lengths(inputs)]

    def probabilities(self, inputs: Sequence[Input]) -> list[float]:
        """Return the probability that each claim is true. Raises ModelError when one is not finite."""
        from src.models.classifier import finite
        from src.training.classifier import all_logits
        from src.training.loop.precision import autocast

        self._model.eval()
        with autocast(self._model.device.type):
            logits = all_logits(self._model, self._encoder.rows(self._maker, inputs))
        found: list[float] = finite(logits).softmax(-1)[:, TRUE].tolist()
        return found


def recipe_of(encoder: Encoder, seed: int, choices: Choices) -> Recipe:
    """Return the recipe of an encoder. Its rows have at most as many tokens as the encoder has positions.

    Raises InputError when the encoder's config cannot be read.
    """
    from src.models.pooled import read_config

    return recipe_for(read_config(encoder.base.folder), encoder.base.name, seed, choices)


def fine_tune(encoder: Encoder, shots: Sequence[Shot], whole: Recipe, *, tried: bool = False) -> FineTuned:
    """Return the encoder, fine-tuned on the shots with the recipe `whole`.

    `tried` trains only one epoch, to estimate the time: `seconds` is then extrapolated to all epochs. Raises InputError
    when the encoder cannot be loaded, ModelError when the loss is not finite.
    """
    from transformers import set_seed

    from src.training.loop.fit import fit

    recipe = msgspec.structs.replace(whole, epochs=1.0) if tried else whole
    set_seed(recipe.seed)
    model = encoder.loaded(recipe)
    maker = encoder.maker(recipe.max_length)
    task = _task(model, encoder, maker, shots)
    with TemporaryDirectory() as folder:
        fitted = fit(task, recipe, Path(folder), quiet=True)
    learned, seconds = fitted.history.scores[-1].scores[LEARNED], fitted.seconds * whole.epochs / recipe.epochs
    return FineTuned(model, encoder, recipe, maker, learned, seconds)


def _task(model: "TwoClasses | TwoWords", encoder: Encoder, maker: Maker, shots: Sequence[Shot]) -> Task:
    import torch

    from src.models.pooled import padded
    from src.training.classifier import all_logits

    rows = encoder.rows(maker, [shot.text for shot in shots])
    labels = [TRUE if shot.is_true else FALSE for shot in shots]

    def loss(model: "TwoClasses | TwoWords", places: Sequence[int]) -> "Tensor":
        asked = padded([rows[place] for place in places], model.config, model.device)
        wanted = torch.tensor([labels[place] for place in places], device=model.device)
        return model.losses(wanted, **asked).sum()

    def learned(model: "TwoClasses | TwoWords") -> Scores:
        told = all_logits(model, rows).argmax(-1).tolist()
        return {LEARNED: sum(one == label for one, label in zip(told, labels, strict=True)) / len(labels)}

    return Task(
        model=model,
        tokenizer=None,
        layout=LAYOUT,
        lengths=[len(row.ids) for row in rows],
        weights=[1.0] * len(shots),
        loss=loss,
        held_out=learned,
        chosen_by=LEARNED,
        final=lambda model: Final(learned(model)),
        labels=("true", "false"),
    )

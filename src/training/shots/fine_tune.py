"""Fine-tunes an encoder on a few claims with their evidence, and asks it about others.

Ten epochs in batches of 4, AdamW, a rate of 5e-4 that falls to 0, LoRA of rank 16: the same for every encoder, since
nothing is held out of so few examples and no score along the way chooses. Tried with MiniLM on FEVEROUS-S, 100 of the
claims for tuning that were not examples, macro-F1 of seeds 0 and 1: ten epochs 59 and 64, twenty 63 and 63, twenty of
all weights at 5e-5 65 and 61. No more than noise apart, so the cheapest was taken.

Repeatable: the seed gives the head's first weights and the order of the examples.

But: LoRA and the head are trained, not all weights, and dropout is off, as in the other trainings here.
"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import msgspec

from src.llm.protocol import ModelInfo
from src.models.evidence_rows import LAYOUT, Input, RowMaker
from src.training.recipe import Recipe
from src.training.shots.encoders import Encoder
from src.training.task import Final, Scores, Task

if TYPE_CHECKING:
    from src.models.two_classes import TwoClasses

TRUE, FALSE = 0, 1  # the places of the two classes
LEARNED = "share of the examples that is told right"
RECIPE = Recipe("few-shot", "", epochs=10.0, batch=4, tokens=2048, learning_rate=5e-4, warmup=0.1, max_length=512,
                every=10**9)  # fmt: skip


class Shot(msgspec.Struct, frozen=True):
    """An example: a claim with its passages, and whether it is true."""

    text: Input
    is_true: bool


class FineTuned:
    """An encoder that has learned: `learned` is the share of its examples that it tells right, `seconds` its time."""

    def __init__(
        self, model: "TwoClasses", encoder: Encoder, recipe: Recipe, maker: RowMaker, learned: float, seconds: float
    ) -> None:
        self._model, self._encoder, self._recipe, self._maker = model, encoder, recipe, maker
        self.learned, self.seconds = learned, seconds

    @property
    def info(self) -> ModelInfo:
        device = self._model.device.type
        details = self._encoder.info.details | {"device": device, "recipe": str(msgspec.to_builtins(self._recipe))}
        return msgspec.structs.replace(
            self._encoder.info, context=self._maker.max_length, deterministic=device == "cpu", details=details
        )

    def probabilities(self, inputs: Sequence[Input]) -> list[float]:
        """That each is true. Raises ModelError."""
        from src.models.veracity import finite
        from src.training.classifier import all_logits
        from src.training.loop.precision import autocast

        self._model.eval()
        with autocast(self._model.device.type):
            logits = all_logits(self._model, self._encoder.rows(self._maker, inputs))
        found: list[float] = finite(logits).softmax(-1)[:, TRUE].tolist()
        return found


def recipe_of(encoder: Encoder, seed: int) -> Recipe:
    """Rows are as long as the encoder has positions for, up to 512 tokens. Raises InputError."""
    from src.models.pooled import read_config
    from src.training.classifier import positions

    most = min(RECIPE.max_length, positions(read_config(encoder.base.folder)))
    return msgspec.structs.replace(RECIPE, base=encoder.base.name, seed=seed, max_length=int(most))


def fine_tune(encoder: Encoder, shots: Sequence[Shot], seed: int, *, tried: bool = False) -> FineTuned:
    """Where it is only tried, for its time, one epoch is trained; the seconds are those of all.

    Raises InputError when the encoder cannot be loaded, ModelError when the loss is no number.
    """
    from transformers import set_seed

    from src.training.loop.fit import fit

    whole = recipe_of(encoder, seed)
    recipe = msgspec.structs.replace(whole, epochs=1.0) if tried else whole
    set_seed(seed)
    model = encoder.loaded(recipe)
    maker = RowMaker(encoder.base.folder, recipe.max_length)
    task = _task(model, encoder, maker, shots)
    with TemporaryDirectory() as folder:
        fitted = fit(task, recipe, Path(folder), quiet=True)
    learned, seconds = fitted.history.scores[-1].scores[LEARNED], fitted.seconds * whole.epochs / recipe.epochs
    return FineTuned(model, encoder, recipe, maker, learned, seconds)


def _task(model: "TwoClasses", encoder: Encoder, maker: RowMaker, shots: Sequence[Shot]) -> Task:
    from src.training.classifier import all_logits, loss_of

    rows = encoder.rows(maker, [shot.text for shot in shots])
    labels = [TRUE if shot.is_true else FALSE for shot in shots]
    weights = [1.0] * len(shots)

    def learned(model: "TwoClasses") -> Scores:
        told = all_logits(model, rows).argmax(-1).tolist()
        return {LEARNED: sum(one == label for one, label in zip(told, labels, strict=True)) / len(labels)}

    return Task(
        model=model,
        tokenizer=None,
        layout=LAYOUT,
        lengths=[len(row.ids) for row in rows],
        weights=weights,
        loss=loss_of(rows, labels, weights),
        held_out=learned,
        chosen_by=LEARNED,
        final=lambda model: Final(learned(model)),
        labels=("true", "false"),
    )

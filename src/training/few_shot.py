"""Fine-tuning of an encoder on a few claims with their evidence: its recipes, and its predictions for other claims.

Training is reproducible: the seed determines the initial weights of the head and the order of the examples. The last
weights are used, because there are too few examples to hold some out.

The paper (Pan et al. 2023, appendix A) states 20 examples and 10 seeds. It states no learning rates, epochs or batches
for its five fine-tuned baselines, and its code does not contain the baselines. The recipe "published" therefore takes
the learning rate from the code of each method, if it was found:

    BERT-like models     2e-5   BERT-FC: README of ASoleimaniB/BERT_FEVER (2 epochs of batches of 32, over FEVER)
    Longformer           1e-5   MULTIVERS: script/train_target.py of dwadden/multivers
    T5                   1e-4   LisT5's was not found; transformers' documentation of T5 advises 1e-4 to 3e-4 with AdamW

Twenty epochs in batches of 8 are from MULTIVERS, the only one of these methods that fine-tunes on a small set. Two
epochs of 20 claims would be two updates.

The recipe "ours" is LoRA of rank 16, ten epochs in batches of 4, and a learning rate of 5e-4 for every encoder. It was
tuned with MiniLM on 100 claims of FEVEROUS-S that were not training examples. Macro-F1 of seeds 0 and 1 was 59 and 64
for ten epochs, and 63 and 63 for twenty. It was 65 and 61 for twenty epochs of all weights at 5e-5. The differences are
noise, so the cheapest was chosen.

Both recipes use AdamW with weight decay 0.01. The learning rate rises over a tenth of the steps, then falls to 0.
Dropout is off.
"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from src.llm.protocol import ModelInfo
from src.models.evidence_rows import LAYOUT, Input
from src.settings import AboveZero, Flag, Positive
from src.training.classifier import positions
from src.training.few_shot_encoders import ENCODER_DECODERS, Encoder, Maker
from src.training.recipe import InputLength, Recipe
from src.training.run_folder import Run, RunFolder
from src.training.task import Final, Scores, Task

if TYPE_CHECKING:
    from torch import Tensor

    from src.models.two_classes import TwoClasses, TwoWords

RANK = 16
UNBOUNDED = 16_384  # word pieces for models with relative positions: longer than any input
_BASE = Recipe("few-shot", "", tokens=2048, warmup=0.1, every=10**9)

Named = Literal["published", "ours"]
Trains = Literal["whole", "lora"]

OURS = msgspec.structs.replace(_BASE, learning_rate=5e-4, epochs=10.0, batch=4, rank=RANK)
TRUE, FALSE = 0, 1  # the indices of the two classes
LEARNED = "accuracy on the examples"


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the fine-tuning. None means that the recipe's value is used."""

    recipe: Annotated[
        Named,
        Flag(
            "published: all weights, 20 epochs in batches of 8, the rate of the method's own code, as the paper states "
            "none; ours: LoRA, 10 epochs in batches of 4, 5e-4"
        ),
    ] = "published"
    train: Annotated[Trains | None, Flag("all weights, or LoRA and the head (default: as the recipe)")] = None
    learning_rate: Annotated[
        AboveZero | None,
        Flag("the highest (default: as the recipe: 2e-5, of a Longformer 1e-5, of a T5 1e-4; ours 5e-4)"),
    ] = None
    epochs: Annotated[AboveZero | None, Flag("times that every example is seen (default: as the recipe)")] = None
    batch: Annotated[Positive | None, Flag("examples of an update (default: as the recipe)")] = None
    max_length: Annotated[
        InputLength | None,
        Flag("word pieces of an input, cut beyond (default: as many as the encoder reads)"),
    ] = None

    def resolved(self, recipe: Recipe) -> "Choices":
        """Return the settings with the recipe's values in place of None, for the run's manifest."""
        values = {name: getattr(recipe, name) for name in ("learning_rate", "epochs", "batch", "max_length")}
        return msgspec.structs.replace(self, train="lora" if recipe.rank else "whole", **values)


def recipe_for(config: Any, base: str, seed: int, choices: Choices) -> Recipe:
    """Return the recipe for an encoder with this config of transformers, changed by the settings `choices`."""
    named = published(config.model_type) if choices.recipe == "published" else OURS
    given = {name: getattr(choices, name) for name in ("learning_rate", "epochs", "batch")}
    changed = {name: value for name, value in given.items() if value is not None}
    if choices.train is not None:
        changed["rank"] = RANK if choices.train == "lora" else 0
    length = min(choices.max_length or UNBOUNDED, positions(config), UNBOUNDED)
    return msgspec.structs.replace(named, base=base, seed=seed, max_length=int(length), **changed)


def published(model_type: str) -> Recipe:
    """Return the published recipe for a model type of transformers, such as "longformer"."""
    rate = 1e-5 if model_type == "longformer" else 1e-4 if model_type in ENCODER_DECODERS else 2e-5
    return msgspec.structs.replace(_BASE, learning_rate=rate, epochs=20.0, batch=8, rank=0)


class Shot(msgspec.Struct, frozen=True):
    """Few-shot training example: a claim with its passages, and whether it is true."""

    text: Input
    is_true: bool


class FineTuned:
    """A fine-tuned encoder.

    `learned`: accuracy on its training examples.
    `seconds`: time of the training.
    """

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
        """Return True for each input that is longer than the encoder can read, so that it is cut."""
        return [length > self._maker.max_length for length in self._maker.whole_lengths(inputs)]

    def probabilities(self, inputs: Sequence[Input]) -> list[float]:
        """Return the probability that each claim is true. Raises ModelError when one is not finite."""
        from src.models.classifier import finite
        from src.training.adapters import autocast
        from src.training.classifier import all_logits

        self._model.eval()
        with autocast(self._model.device.type):
            logits = all_logits(self._model, self._encoder.rows(self._maker, inputs))
        probabilities: list[float] = finite(logits).softmax(-1)[:, TRUE].tolist()
        return probabilities


def recipe_of(encoder: Encoder, seed: int, choices: Choices) -> Recipe:
    """Return the recipe for fine-tuning an encoder; its `max_length` is at most the encoder's number of positions.

    Raises InputError when the encoder's config cannot be read.
    """
    from src.models.pooled import read_config

    return recipe_for(read_config(encoder.base.folder), encoder.base.name, seed, choices)


def fine_tune(encoder: Encoder, shots: Sequence[Shot], full: Recipe, *, tried: bool = False) -> FineTuned:
    """Fine-tune an encoder on the examples `shots`.

    `full`: the recipe.
    `tried`: if True, only one epoch is trained, to estimate the time; `seconds` of the result is then extrapolated to
    all epochs. By default the recipe's number of epochs is trained.

    Raises InputError when the encoder cannot be loaded, ModelError when the loss is not finite.
    """
    from transformers import set_seed

    from src.training.fit import fit

    recipe = msgspec.structs.replace(full, epochs=1.0) if tried else full
    set_seed(recipe.seed)
    model = encoder.loaded(recipe)
    maker = encoder.maker(recipe.max_length)
    task = _task(model, encoder, maker, shots)
    with TemporaryDirectory() as folder:
        run = Run("few_shot", recipe, encoder.sha256, {}, {})
        with RunFolder(Path(folder), run) as held:
            fitted = fit(task, recipe, held, quiet=True)
    learned, seconds = fitted.history.scores[-1].scores[LEARNED], fitted.seconds * full.epochs / recipe.epochs
    return FineTuned(model, encoder, recipe, maker, learned, seconds)


def _task(model: "TwoClasses | TwoWords", encoder: Encoder, maker: Maker, shots: Sequence[Shot]) -> Task:
    import torch

    from src.models.pooled import padded
    from src.training.classifier import all_logits

    rows = encoder.rows(maker, [shot.text for shot in shots])
    labels = [TRUE if shot.is_true else FALSE for shot in shots]

    def loss(model: "TwoClasses | TwoWords", places: Sequence[int]) -> "Tensor":
        inputs = padded([rows[place] for place in places], model.config, model.device)
        wanted = torch.tensor([labels[place] for place in places], device=model.device)
        return model.losses(wanted, **inputs).sum()

    def learned(model: "TwoClasses | TwoWords") -> Scores:
        guessed = all_logits(model, rows).argmax(-1).tolist()
        return {LEARNED: sum(one == label for one, label in zip(guessed, labels, strict=True)) / len(labels)}

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

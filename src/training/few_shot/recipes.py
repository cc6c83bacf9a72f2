"""The recipes for fine-tuning an encoder on a few claims: the published one, and ours.

The paper (Pan et al. 2023, appendix A) states 20 examples and 10 seeds. It states no learning rates, epochs or batches
for its five fine-tuned baselines, and its code does not contain the baselines. Each published rate is therefore that of
the code of the method, if it was found:

    BERT-like models     2e-5   BERT-FC: README of ASoleimaniB/BERT_FEVER (there 2 epochs of batches of 32, over FEVER)
    Longformer           1e-5   MULTIVERS: script/train_target.py of dwadden/multivers
    T5                   1e-4   LisT5's was not found; transformers' documentation of T5 advises 1e-4 to 3e-4 with AdamW

Twenty epochs in batches of 8 are from MULTIVERS, the only one of these that fine-tunes on a small set. Two epochs of 20
claims would be two updates.

Our recipe is LoRA of rank 16, ten epochs in batches of 4, and 5e-4 for every encoder. It was tried with MiniLM on
FEVEROUS-S, on 100 claims for tuning that were not examples. Macro-F1 of seeds 0 and 1 was 59 and 64 for ten epochs, 63
and 63 for twenty, and 65 and 61 for twenty epochs of all weights at 5e-5. The differences are noise, so the cheapest
was chosen.

Both use AdamW with weight decay 0.01. The rate rises over a tenth of the steps, then falls to 0. Dropout is off.
"""

from typing import Annotated, Any, Literal

import msgspec

from src.settings import AboveZero, Flag, Positive
from src.training.classifier import positions
from src.training.flags import SHORTEST
from src.training.recipe import Recipe

RANK = 16
UNBOUNDED = 16_384  # word pieces for models with relative positions: longer than any input
ENCODER_DECODERS = frozenset({"t5", "mt5", "umt5"})
_BASE = Recipe("few-shot", "", tokens=2048, warmup=0.1, every=10**9)

Named = Literal["published", "ours"]
Trains = Literal["whole", "lora"]


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the fine-tuning. None means the value of the recipe."""

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
        Annotated[int, msgspec.Meta(ge=SHORTEST)] | None,
        Flag("word pieces of an input, cut beyond (default: as many as the encoder reads)"),
    ] = None

    def settled(self, recipe: Recipe) -> "Choices":
        """Return the settings with the values of the recipe in place of None; manifests record these."""
        values = {name: getattr(recipe, name) for name in ("learning_rate", "epochs", "batch", "max_length")}
        return msgspec.structs.replace(self, train="lora" if recipe.rank else "whole", **values)


def recipe_for(config: Any, base: str, seed: int, choices: Choices) -> Recipe:
    """Return the recipe for an encoder with that config of transformers."""
    named = published(config.model_type) if choices.recipe == "published" else OURS
    given = {name: getattr(choices, name) for name in ("learning_rate", "epochs", "batch")}
    changed = {name: value for name, value in given.items() if value is not None}
    if choices.train is not None:
        changed["rank"] = RANK if choices.train == "lora" else 0
    length = min(choices.max_length or UNBOUNDED, positions(config), UNBOUNDED)
    return msgspec.structs.replace(named, base=base, seed=seed, max_length=int(length), **changed)


def published(model_type: str) -> Recipe:
    """Return the published recipe for that type of model."""
    rate = 1e-5 if model_type == "longformer" else 1e-4 if model_type in ENCODER_DECODERS else 2e-5
    return msgspec.structs.replace(_BASE, learning_rate=rate, epochs=20.0, batch=8, rank=0)


OURS = msgspec.structs.replace(_BASE, learning_rate=5e-4, epochs=10.0, batch=4, rank=RANK)

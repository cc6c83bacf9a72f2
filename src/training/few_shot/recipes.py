"""How an encoder is fine-tuned on a few claims: as published, or as was tried here.

The paper (Pan et al. 2023, appendix A) says 20 examples and 10 seeds. It states neither learning rates nor epochs nor
batches, for none of its five fine-tuned baselines, and its code has none of them. So each published rate is that of the
method's own code:

    BERT and its like    2e-5   BERT-FC: README of ASoleimaniB/BERT_FEVER (there 2 epochs of batches of 32, over FEVER)
    Longformer           1e-5   MULTIVERS: script/train_target.py of dwadden/multivers
    T5                   1e-4   LisT5's was not found; transformers' documentation of T5 advises 1e-4 to 3e-4 with AdamW

Twenty epochs in batches of 8 are those of MULTIVERS, the only one of these that fine-tunes on a small set: two epochs
of 20 claims would be two updates.

Ours: LoRA of rank 16, ten epochs in batches of 4, 5e-4, the same for every encoder. Tried with MiniLM on FEVEROUS-S,
100 of the claims for tuning that were not examples, macro-F1 of seeds 0 and 1: ten epochs 59 and 64, twenty 63 and 63,
twenty of all weights at 5e-5 65 and 61. No more than noise apart, so the cheapest was taken.

In both, AdamW with weight decay 0.01; the rate rises over a tenth of the steps, then falls to 0. Dropout is off.
"""

from typing import Any, Literal

import msgspec

from src.training.classifier import positions
from src.training.recipe import Recipe

RANK = 16
UNBOUNDED = 16_384  # word pieces, where positions are relative: longer than any input
ENCODER_DECODERS = frozenset({"t5", "mt5", "umt5"})
_BASE = Recipe("few-shot", "", tokens=2048, warmup=0.1, every=10**9)

Named = Literal["published", "ours"]
Trains = Literal["whole", "lora"]


class Choices(msgspec.Struct, frozen=True):
    """What the flags say; None: as the recipe has it."""

    recipe: Named = "published"
    train: Trains | None = None
    learning_rate: float | None = None
    epochs: float | None = None
    batch: int | None = None
    max_length: int | None = None


def recipe_for(config: Any, base: str, seed: int, choices: Choices) -> Recipe:
    """Return the recipe for an encoder with that config, which transformers has read."""
    named = published(config.model_type) if choices.recipe == "published" else OURS
    given = {name: getattr(choices, name) for name in ("learning_rate", "epochs", "batch")}
    changed = {name: value for name, value in given.items() if value is not None}
    if choices.train is not None:
        changed["rank"] = RANK if choices.train == "lora" else 0
    length = min(choices.max_length or UNBOUNDED, positions(config), UNBOUNDED)
    return msgspec.structs.replace(named, base=base, seed=seed, max_length=int(length), **changed)


def published(model_type: str) -> Recipe:
    """Return the settings of the method whose kind of model it is."""
    rate = 1e-5 if model_type == "longformer" else 1e-4 if model_type in ENCODER_DECODERS else 2e-5
    return msgspec.structs.replace(_BASE, learning_rate=rate, epochs=20.0, batch=8, rank=0)


OURS = msgspec.structs.replace(_BASE, learning_rate=5e-4, epochs=10.0, batch=4, rank=RANK)

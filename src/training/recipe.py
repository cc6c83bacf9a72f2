"""The recipe of a training, the flags that change it, and the settings that all training steps share."""

from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from src.models.base_model import KNOWN
from src.settings import AboveZero, Flag, Group, Natural, NotNegative, Positive, Seed, Share, StepSettings
from src.training.results import RESULTS

InputLength = Annotated[int, Meta(ge=32)]  # tokens: at least a claim and the ends of ten pairs
Setting = str | int | float | bool | None


class Recipe(msgspec.Struct, frozen=True):
    """Hyperparameters of a training. The same recipe on the same data gives the same weights.

    `name`: name of the recipe in the results file.
    `base`: name of the base model.
    `seed`: random seed.
    `epochs`: passes over the examples; ignored if `steps` is not 0.
    `steps`: number of updates; 0: as many as `epochs` make.
    `batch`: examples of an update.
    `tokens`: maximum number of padded tokens that go through the model at once.
    `learning_rate`: highest learning rate.
    `warmup`: share of the steps in which the learning rate rises; then it falls linearly to 0.
    `weight_decay`: of AdamW.
    `rank`: rank of LoRA (Hu et al. 2022); 0: all weights but the word embeddings are trained.
    `alpha`: LoRA's scale is `alpha / rank`.
    `dropout`: of LoRA.
    `targets`: names of the linear layers that LoRA changes; "all-linear": all but the head.
    `first_layer`: first layer that LoRA changes; layers below it need no gradients.
    `max_length`: maximum number of tokens of an example.
    `every`: steps between held-out scores.
    `patience`: training ends after this many scores in a row that are no better.
    `share`: share of the training claims that is used.
    `max_minutes`: training ends after this time; None: no limit.
    `options`: further settings of the task.
    """

    name: str
    base: str
    seed: int = 0
    epochs: float = 1.0
    steps: int = 0
    batch: int = 16
    tokens: int = 2048
    learning_rate: float = 2e-4
    warmup: float = 0.06
    weight_decay: float = 0.01
    rank: int = 16
    alpha: int = 32
    dropout: float = 0.0
    targets: tuple[str, ...] = ("all-linear",)
    first_layer: int = 0
    max_length: int = 256
    every: int = 50
    patience: int = 4
    share: float = 1.0
    max_minutes: float | None = None
    options: dict[str, Setting] = {}


class RecipeFlags(msgspec.Struct, frozen=True, kw_only=True):
    """Flags that change a recipe. None means that the recipe's value is used."""

    name: Annotated[str | None, Flag("the recipe's name in the results file")] = None
    base: Annotated[str | None, Flag(f"{', '.join(KNOWN)}, or hf:FOLDER, hf:OWNER/NAME")] = None
    seed: Annotated[Seed | None, Flag("first weights and order")] = None
    share: Annotated[Share | None, Flag("share of the training claims that is used")] = None
    epochs: Annotated[AboveZero | None, Flag("times that every example is seen")] = None
    steps: Annotated[Natural | None, Flag("updates; 0: as many as the epochs make")] = None
    batch: Annotated[Positive | None, Flag("examples of an update")] = None
    tokens: Annotated[Positive | None, Flag("padded tokens that go through the model at once")] = None
    learning_rate: Annotated[AboveZero | None, Flag("the highest")] = None
    warmup: Annotated[Share | None, Flag("share of the steps in which it rises")] = None
    weight_decay: Annotated[NotNegative | None, Flag("of AdamW")] = None
    rank: Annotated[Natural | None, Flag("of LoRA; 0 trains all weights")] = None
    alpha: Annotated[Positive | None, Flag("of LoRA: its scale is alpha / rank")] = None
    dropout: Annotated[Share | None, Flag("of LoRA")] = None
    targets: Annotated[str | None, Flag("linear maps that LoRA changes, by name, with commas")] = None
    first_layer: Annotated[Natural | None, Flag("that LoRA changes; needs --targets by name")] = None
    max_length: Annotated[InputLength | None, Flag("tokens of an example, cut beyond")] = None
    every: Annotated[Positive | None, Flag("steps from one held-out score to the next")] = None
    patience: Annotated[Positive | None, Flag("training ends after so many scores no better")] = None
    max_minutes: Annotated[AboveZero | None, Flag("end training after that long, with the best so far")] = None

    def over(self, recipe: Recipe, **options: Setting) -> Recipe:
        """Return `recipe` with the values of the flags that were given; other values do not change.

        `options` become the recipe's `options`: further settings of the task.
        """
        given = {name: value for name, value in msgspec.structs.asdict(self).items() if value is not None}
        if self.targets is not None:
            given["targets"] = tuple(self.targets.split(","))
        return msgspec.structs.replace(recipe, **given, options=options)


def flags_of(recipe: Recipe) -> RecipeFlags:
    """Return flags whose default values are those of the recipe."""
    values = msgspec.structs.asdict(recipe) | {"targets": ",".join(recipe.targets)}
    return RecipeFlags(**{name: values[name] for name in RecipeFlags.__struct_fields__})


def _path_or_none(text: str) -> Path | None:
    return None if text == "none" else Path(text)


class ClaimFiles(msgspec.Struct, frozen=True):
    """Files of the claims that are split into training claims and held-out claims."""

    train: Annotated[Path, Flag("claims to train on")] = Path("data/train.json")
    leave_out: Annotated[
        Path | None,
        Flag("claims of another split, which training must not see; none: see all", parse=_path_or_none),
    ] = Path("data/dev.json")


class TrainingSettings(StepSettings, frozen=True, kw_only=True):
    """The settings that all training steps share. A step gives `changes` the defaults of its recipe."""

    output: Annotated[Path, Flag("the folder to make", "-o", "--output")]
    results: Annotated[Path, Flag("the file to which every run adds its line")] = RESULTS
    files: Annotated[ClaimFiles, Group()] = ClaimFiles()
    changes: Annotated[RecipeFlags, Group("recipe")] = RecipeFlags()

"""The flags for the fine-tuning of an encoder on a few claims."""

from argparse import ArgumentParser, Namespace
from typing import get_args

from src.runner.arguments import positive
from src.runner.numbers import above_zero
from src.training.few_shot.recipes import Choices, Named, Trains
from src.training.flags import input_length
from src.training.recipe import Recipe


def add_recipe_flags(flags: ArgumentParser) -> None:
    add = flags.add_argument_group("training").add_argument
    add("--recipe", choices=get_args(Named), default="published", help="published: all weights, 20 epochs in batches "
        "of 8, the rate of the method's own code, as the paper states none; ours: LoRA, 10 epochs in batches of 4, "
        "5e-4")  # fmt: skip
    add("--train", choices=get_args(Trains), help="all weights, or LoRA and the head (default: as the recipe)")
    add("--learning_rate", type=above_zero, help="the highest (default: as the recipe: 2e-5, of a Longformer 1e-5, of "
        "a T5 1e-4; ours 5e-4)")  # fmt: skip
    add("--epochs", type=above_zero, help="times that every example is seen (default: as the recipe)")
    add("--batch", type=positive, help="examples of an update (default: as the recipe)")
    add("--max_length", type=input_length, help="word pieces of an input, cut beyond (default: as many as the encoder "
        "reads)")  # fmt: skip


def choices_from(args: Namespace) -> Choices:
    return Choices(**{name: getattr(args, name) for name in Choices.__struct_fields__})


def settle(args: Namespace, recipe: Recipe) -> None:
    """Set the flags that were left to the recipe, because manifests record the flags."""
    for name in ("learning_rate", "epochs", "batch", "max_length"):
        setattr(args, name, getattr(recipe, name))
    args.train = "lora" if recipe.rank else "whole"

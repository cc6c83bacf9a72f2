"""The flags that training steps share, and the recipe that is made of them."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

import msgspec

from src.models.base_model import KNOWN
from src.runner.arguments import StepParser, WithDefaults, natural, positive
from src.runner.numbers import above_zero, not_negative, seed, share
from src.training.artifacts.results import RESULTS
from src.training.recipe import Recipe, Setting

SHORTEST = 32  # tokens of an example: room for a claim and the ends of ten pairs


def training_parser(description: str | None, module: str, default: Recipe) -> ArgumentParser:
    """Return a parser with the shared flags. Their defaults are those of the task's recipe."""
    lines = (description or "").split("\n\n")
    flags = StepParser(prog=f"python -m {module}", description=lines[0], formatter_class=WithDefaults,
                       allow_abbrev=False)  # fmt: skip
    add_data(flags)
    flags.add_argument("-o", "--output", type=Path, required=True, help="the folder to make")
    flags.add_argument("--results", type=Path, default=RESULTS, help="the file to which every run adds its line")
    flags.add_argument("--name", default=default.name, help="the recipe's name in that file")
    bases = f"{', '.join(KNOWN)}, or hf:FOLDER, hf:OWNER/NAME"
    flags.add_argument("--base", default=default.base, help=bases)
    flags.add_argument("--overwrite", action="store_true", help="begin anew, whatever is there")
    flags.add_argument("--quiet", action="store_true", help="print errors only")
    flags.add_argument("--dry_run", action="store_true", help="say what the run would take, then stop")
    flags.add_argument("--max_minutes", type=above_zero, help="end training after that long, with the best so far")
    _add_recipe(flags, default)
    return flags


def add_data(flags: ArgumentParser) -> None:
    """Add the flags for the claims that are split into training claims and held-out claims."""
    flags.add_argument("--train", type=Path, default=Path("data/train.json"), help="claims to train on")
    flags.add_argument("--leave_out", type=_path_or_none, default=Path("data/dev.json"),
                       help="claims of another split, which training must not see; none: see all")  # fmt: skip


def _add_recipe(flags: ArgumentParser, default: Recipe) -> None:
    add = flags.add_argument_group("recipe").add_argument
    add("--seed", type=seed, default=default.seed, help="first weights and order")
    add("--share", type=share, default=default.share, help="share of the training claims that is used")
    add("--epochs", type=above_zero, default=default.epochs, help="times that every example is seen")
    add("--steps", type=natural, default=default.steps, help="updates; 0: as many as the epochs make")
    add("--batch", type=positive, default=default.batch, help="examples of an update")
    add("--tokens", type=positive, default=default.tokens, help="padded tokens that go through the model at once")
    add("--learning_rate", type=above_zero, default=default.learning_rate, help="the highest")
    add("--warmup", type=share, default=default.warmup, help="share of the steps in which it rises")
    add("--weight_decay", type=not_negative, default=default.weight_decay, help="of AdamW")
    add("--rank", type=natural, default=default.rank, help="of LoRA; 0 trains all weights")
    add("--alpha", type=positive, default=default.alpha, help="of LoRA: its scale is alpha / rank")
    add("--dropout", type=share, default=default.dropout, help="of LoRA")
    add("--targets", default=",".join(default.targets), help="linear maps that LoRA changes, by name, with commas")
    add("--first_layer", type=natural, default=default.first_layer, help="that LoRA changes; needs --targets by name")
    add("--max_length", type=input_length, default=default.max_length, help="tokens of an example, cut beyond")
    add("--every", type=positive, default=default.every, help="steps from one held-out score to the next")
    add("--patience", type=positive, default=default.patience, help="training ends after so many scores no better")


def chosen_recipe(args: Namespace, **options: Setting) -> Recipe:
    """Return the recipe that the flags make. `options` are the task's settings."""
    own = {name: value for name, value in vars(args).items() if name in Recipe.__struct_fields__}
    return msgspec.convert(own | {"targets": tuple(args.targets.split(",")), "options": options}, Recipe)


def _path_or_none(text: str) -> Path | None:
    return None if text == "none" else Path(text)


def input_length(text: str) -> int:
    """Return a number of word pieces from an argparse text. Raises ArgumentTypeError below `SHORTEST`."""
    value = positive(text)
    if value < SHORTEST:
        raise ArgumentTypeError(f"{text} is not at least {SHORTEST}")
    return value

"""Step: train a tagger to find the words of an explanation that are unfaithful to its evidence, and their error type.

The tagger learns from gold justifications of AVeriTeC's claims and, if they are given, from sentences of PolitiHop's
rulings, with errors planted in them. The output folder is an input of `--tagger` of
`src.explanation.check_explanations`.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from src.runner.arguments import positive, step
from src.training.faithfulness.task import faithfulness_task
from src.training.flags import chosen_recipe, training_parser
from src.training.recipe import Recipe
from src.training.run import train

MODULE = "src.training.train_faithfulness"
DEFAULT = Recipe(
    "planted errors", "mpnet", epochs=1.0, batch=16, tokens=4096, learning_rate=5e-4, rank=16, max_length=224, every=120
)


def parser() -> argparse.ArgumentParser:
    flags = training_parser(__doc__, MODULE, DEFAULT)
    flags.add_argument("--politihop", type=Path, help="PolitiHop's table of train")
    flags.add_argument("--rulings", type=positive, default=150, help="explanations of it that are used, from the first")
    flags.add_argument(
        "--begin_with", type=Path, help="the adapter, of an entailment or verdict model or a tagger, to begin with"
    )
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    extra = {"politihop": args.politihop} if args.politihop else {}
    if args.begin_with is not None:
        extra["begin_with"] = args.begin_with / "adapter_model.safetensors"
    recipe = chosen_recipe(args, rulings=args.rulings if args.politihop else 0)
    return train("faithfulness", args, recipe, partial(faithfulness_task, args), extra)


if __name__ == "__main__":
    raise SystemExit(main())

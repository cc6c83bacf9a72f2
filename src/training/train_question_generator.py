"""Step: train a language model to write the question that a sentence answers about a claim.

The base is any causal model by name; the default is the bundled one. It learns a LoRA from AVeriTeC's answers and
questions. The output folder is an input of `--adapter` of `src.reranking.question_generation_top_sentences`.

Limitations: that step shows the claim and reads adapters. It does not take models trained with --no_claim (an
ablation) or --rank 0 (a whole model).
"""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from src.runner.arguments import natural, positive, refuse_unread, step
from src.training.flags import chosen_recipe, training_parser
from src.training.recipe import Recipe
from src.training.run import train

MODULE = "src.training.train_question_generator"
DEFAULT = Recipe(
    "claim and evidence", "smollm2", epochs=1.0, batch=16, tokens=1024, learning_rate=5e-4, rank=16, every=100
)


def parser() -> argparse.ArgumentParser:
    flags = training_parser(__doc__, MODULE, DEFAULT)
    flags.add_argument("--no_claim", action="store_true", help="show the sentence alone, as the published prompt does")
    flags.add_argument("--retrieved", type=Path, help="CSV of evidence that was retrieved for training claims")
    flags.add_argument("--noisy", type=natural, default=3, help="retrieved sentences of a claim that are learned from")
    flags.add_argument("--scored", type=positive, default=200, help="held-out answers that choose the best weights")
    flags.add_argument("--asked", type=positive, default=300, help="held-out answers asked for at the end")
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    flags = parser()
    args = flags.parse_args(argv)
    from src.training.questions.task import question_task  # loads torch, which --help does not need

    if args.retrieved is None:
        refuse_unread(args, flags, ["noisy"], "goes with --retrieved")
    noisy = args.noisy if args.retrieved else 0
    recipe = chosen_recipe(args, shows_claim=not args.no_claim, noisy=noisy, scored=args.scored, asked=args.asked)
    extra = {"retrieved": args.retrieved} if args.retrieved else {}
    return train("question_generator", args, recipe, partial(question_task, args), extra)


if __name__ == "__main__":
    raise SystemExit(main())

"""Step: train a cross-encoder to distinguish evidence for a claim from text that only resembles it.

The base is any BERT-like model by name; the default is the bundled MiniLM. The output folder is an input of `-ckpt` of
`src.reranking.rerank_questions`.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from src.runner.arguments import positive, refuse_unread, step
from src.training.flags import chosen_recipe, training_parser
from src.training.ranking.task import reranker_task
from src.training.recipe import Recipe
from src.training.run import train

MODULE = "src.training.train_reranker"
DEFAULT = Recipe(
    "published and hard negatives", "minilm", batch=32, tokens=4096, learning_rate=5e-4, rank=16, every=300, patience=3,
)  # fmt: skip


def parser() -> argparse.ArgumentParser:
    flags = training_parser(__doc__, MODULE, DEFAULT)
    flags.add_argument("--negatives", choices=["published", "hard", "both"], default="both",
                       help="published: random; hard: like the claim, unlike its gold answers")  # fmt: skip
    flags.add_argument("--random_each", type=positive, help="random negatives of each of three kinds for each gold "
                       "pair (default: 3 as published, with both 1)")  # fmt: skip
    flags.add_argument("--hard_each", type=positive, default=3, help="hard negatives for each gold pair")
    flags.add_argument("--retrieved", type=Path, help="CSV of evidence that was retrieved for training claims")
    flags.add_argument("--published_text", action="store_true", help="claim, question and answer joined by </s>")
    flags.add_argument("--candidates", type=positive, default=100, help="pairs that are ranked for a held-out claim")
    flags.add_argument("--scored", type=positive, default=50, help="held-out claims that choose the best weights")
    flags.add_argument("--ranked", type=positive, default=200, help="held-out claims ranked at the end")
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    flags = parser()
    args = flags.parse_args(argv)
    unread = {"hard": ["random_each"], "published": ["hard_each"]}
    refuse_unread(args, flags, unread.get(args.negatives, []), f"changes nothing with --negatives {args.negatives}")
    if args.random_each is None:
        args.random_each = 3 if args.negatives == "published" else 1
    recipe = chosen_recipe(
        args,
        negatives=args.negatives,
        random_each=0 if args.negatives == "hard" else args.random_each,
        hard_each=0 if args.negatives == "published" else args.hard_each,
        published_text=args.published_text,
        candidates=args.candidates,
        scored=args.scored,
        ranked=args.ranked,
    )
    extra = {"retrieved": args.retrieved} if args.retrieved else {}
    return train("reranker", args, recipe, partial(reranker_task, args), extra)


if __name__ == "__main__":
    raise SystemExit(main())

"""Step: trains a cross-encoder to tell evidence for a claim from what only looks like it.

Any BERT-like model by name, the bundled MiniLM by default. The folder that it leaves is what `-ckpt` of
`src.reranking.rerank_questions` takes.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from src.errors import InputError
from src.runner.arguments import positive, step
from src.training.flags import chosen_recipe, refuse_unread, training_parser
from src.training.recipe import Recipe
from src.training.run import train
from src.training.spread import evenly
from src.training.task import Final, Material, Task

if TYPE_CHECKING:
    from torch import Tensor

MODULE = "src.training.train_reranker"
DEFAULT = Recipe(
    "hard negatives", "minilm", batch=32, tokens=4096, learning_rate=5e-4, rank=16, every=300, patience=3,
)  # fmt: skip
LABELS = ("no evidence", "evidence")
CHOSEN_BY = "MRR"


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
    return train("reranker", args, recipe, partial(prepare, args), extra)


def prepare(args: argparse.Namespace, material: Material) -> Task:
    from src.models.evidence_rows import LAYOUT, PUBLISHED_TEXT, RowMaker
    from src.training.classifier import class_loss, load_classifier
    from src.training.ranking.evidence_pool import EvidencePool
    from src.training.ranking.negatives import held_out_candidates, negatives
    from src.training.ranking.rows import both_alike, laid_out, rank
    from src.training.ranking.scores import floors
    from src.training.retrieved import read_retrieved

    recipe, published = material.recipe, args.published_text
    retrieved = read_retrieved(args.retrieved, material.claims) if args.retrieved else {}
    pool, held_out = EvidencePool(material.split.train), EvidencePool(material.split.held_out)
    random, hard = negatives(pool, retrieved, args.negatives, args.random_each, args.hard_each, recipe.seed)
    ranked = held_out_candidates(held_out, retrieved, args.candidates, args.ranked)
    if not pool.pairs or not ranked:
        raise InputError("no claim with a question and its answer to learn from, or none held out", path=args.train)
    examples, maker = [*pool.pairs, *random, *hard], RowMaker(material.base.folder, recipe.max_length)
    rows = maker.rows([laid_out(triple, published=published) for triple in examples])
    labels = [int(triple.gold) for triple in examples]
    weights = both_alike(labels) if args.negatives == "published" else [1.0] * len(labels)

    def loss(model: Any, places: Sequence[int]) -> "Tensor":
        chosen = [rows[place] for place in places]
        return class_loss(model, chosen, [labels[p] for p in places], [weights[p] for p in places])

    model, tokenizer = load_classifier(material.base, recipe, len(LABELS))
    return Task(
        model=model,
        tokenizer=tokenizer,
        layout=PUBLISHED_TEXT if published else LAYOUT,
        lengths=[len(row.ids) for row in rows],
        weights=weights,
        loss=loss,
        held_out=lambda model: rank(model, maker, evenly(ranked, args.scored), published=published),
        chosen_by=CHOSEN_BY,
        final=lambda model: Final(rank(model, maker, ranked, published=published), floors(ranked)),
        labels=LABELS,
        counts={"gold pairs": len(pool.pairs), "random negatives": len(random), "hard negatives": len(hard)},
    )


if __name__ == "__main__":
    raise SystemExit(main())

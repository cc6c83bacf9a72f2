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
from src.training.flags import chosen_recipe, training_parser
from src.training.recipe import Recipe
from src.training.run import train
from src.training.spread import evenly
from src.training.task import Final, Material, Scores, Task

if TYPE_CHECKING:
    from torch import Tensor

    from src.models.evidence_rows import Input, RowMaker
    from src.training.ranking.evidence_pool import EvidencePool, Triple
    from src.training.retrieved import Pairs

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
    args = parser().parse_args(argv)
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
    from src.training.retrieved import read_retrieved

    recipe = material.recipe
    retrieved = read_retrieved(args.retrieved, material.claims) if args.retrieved else {}
    pool, held_out = EvidencePool(material.split.train), EvidencePool(material.split.held_out)
    examples, counts = _examples(args, recipe, pool, retrieved)
    ranked = _candidates(held_out, retrieved, args.candidates, args.ranked)
    if not examples or not ranked:
        raise InputError("no claim with a question and its answer to learn from, or none held out", path=args.train)
    maker = RowMaker(material.base.folder, recipe.max_length)
    rows = maker.rows([laid_out(triple, args) for triple in examples])
    labels = [int(triple.gold) for triple in examples]

    def loss(model: Any, places: Sequence[int]) -> "Tensor":
        return class_loss(model, [rows[place] for place in places], [labels[p] for p in places], [1.0] * len(places))

    model, tokenizer = load_classifier(material.base, recipe, len(LABELS))
    return Task(
        model=model,
        tokenizer=tokenizer,
        layout=PUBLISHED_TEXT if args.published_text else LAYOUT,
        lengths=[len(row.ids) for row in rows],
        weights=[1.0] * len(rows),
        loss=loss,
        held_out=partial(rank, args=args, maker=maker, claims=evenly(ranked, args.scored)),
        chosen_by=CHOSEN_BY,
        final=partial(final, args=args, maker=maker, claims=ranked),
        labels=LABELS,
        counts=counts,
    )


def laid_out(triple: "Triple", args: argparse.Namespace) -> "Input":
    from src.models.reranker import joined
    from src.records import CandidateQA

    if args.published_text:
        return joined(triple.claim, CandidateQA(triple.question, triple.answer, ""))
    return triple.claim, [(triple.question, triple.answer)]


def rank(model: Any, *, args: argparse.Namespace, maker: "RowMaker", claims: "Sequence[Sequence[Triple]]") -> Scores:
    """MRR and recall of the gold pairs of held-out claims."""
    from src.training.classifier import all_logits
    from src.training.ranking.scores import ranking_scores

    rows = maker.rows([laid_out(triple, args) for candidates in claims for triple in candidates])
    found = all_logits(model, rows)
    odds = iter((found[:, 1] - found[:, 0]).tolist())
    return ranking_scores(claims, [[next(odds) for _ in candidates] for candidates in claims])


def final(model: Any, *, args: argparse.Namespace, maker: "RowMaker", claims: "Sequence[Sequence[Triple]]") -> Final:
    from src.training.ranking.scores import floors

    return Final(rank(model, args=args, maker=maker, claims=claims), floors(claims))


def _examples(
    args: argparse.Namespace, recipe: Recipe, pool: "EvidencePool", retrieved: "dict[int, Pairs]"
) -> "tuple[list[Triple], dict[str, int]]":
    from src.training.ranking.negatives import hard_negatives, random_negatives

    drawn = [] if args.negatives == "hard" else random_negatives(pool, args.random_each, recipe.seed)
    hard = [] if args.negatives == "published" else hard_negatives(pool, retrieved, args.hard_each)
    counts = {"gold pairs": len(pool.pairs), "random negatives": len(drawn), "hard negatives": len(hard)}
    return [*pool.pairs, *drawn, *hard], counts


def _candidates(
    held_out: "EvidencePool", retrieved: "dict[int, Pairs]", most: int, claims: int
) -> "list[list[Triple]]":
    """The candidates of some held-out claims that have gold pairs."""
    from src.training.ranking.negatives import candidates

    places = [place for place, own in enumerate(held_out.own) if own]
    return [candidates(held_out, retrieved, place, most) for place in evenly(places, claims)]


if __name__ == "__main__":
    raise SystemExit(main())

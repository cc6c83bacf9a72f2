"""The training task of a reranker: gold pairs and negatives, their loss, the ranking of held-out candidates.

The arguments are those of `src.training.train_reranker`.
"""

from argparse import Namespace

from src.errors import InputError
from src.models.evidence_rows import LAYOUT, PUBLISHED_TEXT, RowMaker
from src.training.classifier import load_classifier, loss_of
from src.training.ranking.evidence_pool import EvidencePool
from src.training.ranking.negatives import held_out_candidates, negatives
from src.training.ranking.rows import both_alike, laid_out, rank
from src.training.ranking.scores import floors
from src.training.retrieved import read_retrieved
from src.training.spread import evenly
from src.training.task import Final, Material, Task

LABELS = ("no evidence", "evidence")
CHOSEN_BY = "MRR"


def reranker_task(args: Namespace, material: Material) -> Task:
    """Return the task. Raises InputError when there are no examples, or none held out."""
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

    model, tokenizer = load_classifier(material.base, recipe, len(LABELS))
    return Task(
        model=model,
        tokenizer=tokenizer,
        layout=PUBLISHED_TEXT if published else LAYOUT,
        lengths=[len(row.ids) for row in rows],
        weights=weights,
        loss=loss_of(rows, labels, weights),
        held_out=lambda model: rank(model, maker, evenly(ranked, args.scored), published=published),
        chosen_by=CHOSEN_BY,
        final=lambda model: Final(rank(model, maker, ranked, published=published), floors(ranked)),
        labels=LABELS,
        counts={"gold pairs": len(pool.pairs), "random negatives": len(random), "hard negatives": len(hard)},
    )

"""The training task of a reranker: gold pairs and negatives, their loss, the ranking of held-out candidates.

The settings are those of `src.training.train_reranker`.
"""

from pathlib import Path
from typing import Annotated, Literal

from src.errors import InputError
from src.models.evidence_rows import LAYOUT, PUBLISHED_TEXT, RowMaker
from src.settings import Flag, Group, Positive, refuse_unread
from src.training.classifier import load_classifier, loss_of
from src.training.ranking.evidence_pool import EvidencePool
from src.training.ranking.negatives import hard_negatives, held_out_candidates, random_negatives
from src.training.ranking.rows import both_alike, laid_out, rank
from src.training.ranking.scores import floors
from src.training.recipe import Recipe, RecipeFlags, TrainingSettings, flags_of
from src.training.retrieved import read_retrieved
from src.training.spread import evenly
from src.training.task import Final, Material, Task

LABELS = ("no evidence", "evidence")
CHOSEN_BY = "MRR"
RECIPE = Recipe(
    "published and hard negatives", "minilm", batch=32, tokens=4096, learning_rate=5e-4, every=300, patience=3
)


class RerankerSettings(TrainingSettings, frozen=True, kw_only=True):
    """Settings of the training of a reranker."""

    changes: Annotated[RecipeFlags, Group("recipe")] = flags_of(RECIPE)
    negatives: Annotated[
        Literal["published", "hard", "both"],
        Flag("published: random; hard: like the claim, unlike its gold answers"),
    ] = "both"
    random_each: Annotated[
        Positive | None,
        Flag(
            "random negatives of each of three kinds for each gold pair (default: 3 with --negatives published, else 1)"
        ),
    ] = None
    hard_each: Annotated[Positive, Flag("hard negatives for each gold pair")] = 3
    retrieved: Annotated[Path | None, Flag("CSV of evidence that was retrieved for training claims")] = None
    published_text: Annotated[bool, Flag("claim, question and answer joined by </s>")] = False
    candidates: Annotated[Positive, Flag("pairs that are ranked for a held-out claim")] = 100
    scored: Annotated[Positive, Flag("held-out claims that choose the best weights")] = 50
    ranked: Annotated[Positive, Flag("held-out claims ranked at the end")] = 200

    @property
    def random_negatives(self) -> int:
        """Return how many random negatives of each kind a gold pair gets."""
        if self.negatives == "hard":
            return 0
        return self.random_each or (3 if self.negatives == "published" else 1)

    @property
    def hard_negatives(self) -> int:
        return 0 if self.negatives == "published" else self.hard_each

    def recipe(self) -> Recipe:
        """Return the recipe. Raises InputError for a setting without effect."""
        unread = {"hard": ["random_each"], "published": ["hard_each"]}.get(self.negatives, [])
        refuse_unread(self, unread, f"changes nothing with --negatives {self.negatives}")
        return self.changes.over(
            RECIPE,
            negatives=self.negatives,
            random_each=self.random_negatives,
            hard_each=self.hard_negatives,
            published_text=self.published_text,
            candidates=self.candidates,
            scored=self.scored,
            ranked=self.ranked,
        )

    def inputs(self) -> dict[str, Path]:
        return {"retrieved": self.retrieved} if self.retrieved else {}


def reranker_task(settings: RerankerSettings, material: Material) -> Task:
    """Return the task. Raises InputError when there are no examples, or none held out."""
    recipe, published = material.recipe, settings.published_text
    retrieved = read_retrieved(settings.retrieved, material.claims) if settings.retrieved else {}
    pool, held_out = EvidencePool(material.split.train), EvidencePool(material.split.held_out)
    random, hard = (
        random_negatives(pool, settings.random_negatives, recipe.seed),
        hard_negatives(pool, retrieved, settings.hard_negatives),
    )
    ranked = held_out_candidates(held_out, retrieved, settings.candidates, settings.ranked)
    if not pool.pairs or not ranked:
        raise InputError(
            "no claim with a question and its answer to learn from, or none held out", path=settings.files.train
        )
    examples, maker = [*pool.pairs, *random, *hard], RowMaker(material.base.folder, recipe.max_length)
    rows = maker.rows([laid_out(triple, published=published) for triple in examples])
    labels = [int(triple.gold) for triple in examples]
    weights = both_alike(labels) if settings.negatives == "published" else [1.0] * len(labels)

    model, tokenizer = load_classifier(material.base, recipe, len(LABELS))
    return Task(
        model=model,
        tokenizer=tokenizer,
        layout=PUBLISHED_TEXT if published else LAYOUT,
        lengths=[len(row.ids) for row in rows],
        weights=weights,
        loss=loss_of(rows, labels, weights),
        held_out=lambda model: rank(model, maker, evenly(ranked, settings.scored), published=published),
        chosen_by=CHOSEN_BY,
        final=lambda model: Final(rank(model, maker, ranked, published=published), floors(ranked)),
        labels=LABELS,
        counts={"gold pairs": len(pool.pairs), "random negatives": len(random), "hard negatives": len(hard)},
    )

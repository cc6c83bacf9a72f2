"""Training of the reranker: gold pairs and negatives, their loss, and the ranking of held-out candidates.

    MRR        mean over claims of 1 / rank of the best gold pair
    recall@3   mean over claims of (gold pairs among the first three) / (3, or the number of gold pairs if it is lower)

Equal scores are ranked in the order of the candidates, in which gold is last.
"""

import random
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Annotated, Any, Literal

from src.errors import InputError
from src.llm.weights import MINILM, is_there
from src.models.evidence_rows import LAYOUT, PUBLISHED_TEXT, Input, RowMaker
from src.models.reranker import joined, load_reranker
from src.records import CandidateQA, CandidateQuestions
from src.settings import Flag, Group, Positive, refuse_unread
from src.training.classifier import all_logits, load_classifier, loss_of
from src.training.evidence_pool import EvidencePool, Triple, hard_negatives, held_out_candidates, random_negatives
from src.training.recipe import Recipe, RecipeFlags, TrainingSettings, flags_of
from src.training.retrieved import read_retrieved
from src.training.split import evenly
from src.training.task import Final, Material, Scores, Task

PLACES = 3
LABELS = ("no evidence", "evidence")
CHOSEN_BY = "MRR"
RECIPE = Recipe(
    "published and hard negatives", "minilm", batch=32, tokens=4096, learning_rate=5e-4, every=300, patience=3
)


def laid_out(triple: Triple, *, published: bool) -> Input:
    """Return the classifier's input for a triple. The published layout joins claim, question and answer by `</s>`."""
    if published:
        return joined(triple.claim, CandidateQA(triple.question, triple.answer, ""))
    return triple.claim, [(triple.question, triple.answer)]


def both_alike(labels: Sequence[int]) -> list[float]:
    """Return the weight of each example. Evidence (label 1) and negatives (0) have the same total, and the mean is 1.

    With these weights, the loss is the published one: mean loss of the evidence plus mean loss of the negatives.
    """
    gold = sum(labels)
    each = {1: len(labels) / (2 * gold), 0: len(labels) / (2 * max(1, len(labels) - gold))}
    return [each[label] for label in labels]


def rank(model: Any, maker: RowMaker, claims: Sequence[Sequence[Triple]], *, published: bool) -> Scores:
    """Rank each claim's candidate pairs with the model; return MRR and recall of the gold pairs.

    `published`: the model reads the published layout (`laid_out`).
    """
    rows = maker.rows([laid_out(triple, published=published) for candidates in claims for triple in candidates])
    logits = all_logits(model, rows)
    odds = iter((logits[:, 1] - logits[:, 0]).tolist())
    return ranking_scores(claims, [[next(odds) for _ in candidates] for candidates in claims])


def ranking_scores(claims: Sequence[Sequence[Triple]], scores: Sequence[Sequence[float]]) -> Scores:
    """Return MRR and recall of the gold pairs when each claim's candidates are ranked by `scores`."""
    ranks = [_gold_ranks(candidates, of_claim) for candidates, of_claim in zip(claims, scores, strict=True)]
    return {
        "MRR": mean(1 / (1 + min(own)) for own in ranks),
        f"recall@{PLACES}": mean(sum(rank < PLACES for rank in own) / min(PLACES, len(own)) for own in ranks),
    }


def baselines(claims: Sequence[Sequence[Triple]]) -> Scores:
    """Return the scores of the baselines: chance, and the cosine between the claim and "question answer".

    The cosine is left out if the bundled encoder is not installed.
    """
    draw = random.Random(0)
    known = {"chance": [[draw.random() for _ in candidates] for candidates in claims]}
    if is_there(MINILM):
        known["cosine"] = load_reranker(None).scores([_as_published(candidates) for candidates in claims])
    by_baseline = {name: ranking_scores(claims, scores) for name, scores in known.items()}
    return {f"{name}: {score}": value for name, scores in by_baseline.items() for score, value in scores.items()}


def _gold_ranks(candidates: Sequence[Triple], scores: Sequence[float]) -> list[int]:
    """Return the rank (from 0) of each gold pair when the candidates are sorted by score, highest first."""
    order = sorted(range(len(candidates)), key=lambda place: -scores[place])
    return [rank for rank, place in enumerate(order) if candidates[place].gold]


def _as_published(candidates: Sequence[Triple]) -> CandidateQuestions:
    pairs = [CandidateQA(pair.question, pair.answer, "") for pair in candidates]
    return CandidateQuestions(0, candidates[0].claim, pairs)


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
        """Return the number of random negatives of each kind for a gold pair."""
        if self.negatives == "hard":
            return 0
        return self.random_each or (3 if self.negatives == "published" else 1)

    @property
    def hard_negatives(self) -> int:
        """Return the number of hard negatives for a gold pair; 0 with `--negatives published`."""
        return 0 if self.negatives == "published" else self.hard_each

    def recipe(self) -> Recipe:
        """Return the recipe of the training that these settings describe. Raises InputError for unused settings."""
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
    """Build a reranker's training task. Raises InputError when there are no examples, or none held out."""
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
        final=lambda model: Final(rank(model, maker, ranked, published=published), baselines(ranked)),
        labels=LABELS,
        counts={"gold pairs": len(pool.pairs), "random negatives": len(random), "hard negatives": len(hard)},
    )

"""The training task of a question writer: gold and retrieved sentences with questions, the loss, held-out scores.

The settings are those of `src.training.train_question_generator`.
"""

from pathlib import Path
from typing import Annotated, Any

from src.errors import InputError
from src.reranking.questions.prompt import CLAIM_EVIDENCE
from src.settings import Flag, Group, Natural, Positive, refuse_unread
from src.training.questions.examples import gold_examples, noisy_examples
from src.training.recipe import Recipe, RecipeFlags, TrainingSettings, flags_of
from src.training.retrieved import read_retrieved
from src.training.spread import evenly
from src.training.task import Final, Material, Task

EVIDENCE = "evidence"  # the layout without the claim
RECIPE = Recipe("claim and evidence", "smollm2", tokens=1024, learning_rate=5e-4, every=100)


class QuestionSettings(TrainingSettings, frozen=True, kw_only=True):
    """Settings of the training of a question writer."""

    changes: Annotated[RecipeFlags, Group("recipe")] = flags_of(RECIPE)
    no_claim: Annotated[bool, Flag("show the sentence alone, as the published prompt does")] = False
    retrieved: Annotated[Path | None, Flag("CSV of evidence that was retrieved for training claims")] = None
    noisy: Annotated[Natural, Flag("retrieved sentences of a claim that are learned from")] = 3
    scored: Annotated[Positive, Flag("held-out answers that choose the best weights")] = 200
    asked: Annotated[Positive, Flag("held-out answers asked for at the end")] = 300

    def recipe(self) -> Recipe:
        """Return the recipe. Raises InputError for a setting without effect."""
        if self.retrieved is None:
            refuse_unread(self, ["noisy"], "goes with --retrieved")
        noisy = self.noisy if self.retrieved else 0
        options = {"shows_claim": not self.no_claim, "noisy": noisy, "scored": self.scored, "asked": self.asked}
        return self.changes.over(RECIPE, **options)

    def inputs(self) -> dict[str, Path]:
        return {"retrieved": self.retrieved} if self.retrieved else {}


def question_task(settings: QuestionSettings, material: Material) -> Task:
    """Return the task. Raises InputError when there are no examples, or none held out."""
    from src.training.questions.causal import load_causal
    from src.training.questions.rows import Layout, question_loss, rows_of
    from src.training.questions.scores import floor_meteor, log_probability, mean_meteor, written_questions

    recipe, layout = material.recipe, Layout(shows_claim=not settings.no_claim)
    gold, held_out = gold_examples(material.split.train), gold_examples(material.split.held_out)
    if not gold or not held_out:
        raise InputError(
            "no claim with a question and its answer to learn from, or none held out", path=settings.files.train
        )
    retrieved = read_retrieved(settings.retrieved, material.claims) if settings.retrieved else {}
    noisy = noisy_examples(material.split.train, retrieved, settings.noisy)
    model, tokenizer, pad = load_causal(material.base, recipe)
    rows = rows_of([*gold, *noisy], layout, tokenizer, recipe.max_length)
    choosing = rows_of(evenly(held_out, settings.scored), layout, tokenizer, recipe.max_length)

    def final(model: Any) -> Final:
        """Return the final scores. The loss is computed first, because writing merges the adapter."""
        loss = log_probability(model, rows_of(held_out, layout, tokenizer, recipe.max_length), pad)
        asked = evenly(held_out, settings.asked)
        written = mean_meteor(written_questions(model, tokenizer, layout, asked), asked)
        floors = {"the claim as its question: METEOR": floor_meteor(asked)}
        return Final({"log-probability": loss, "METEOR": written}, floors)

    return Task(
        model=model,
        tokenizer=tokenizer,
        layout=CLAIM_EVIDENCE if layout.shows_claim else EVIDENCE,
        lengths=[len(row.tokens) for row in rows],
        weights=[row.learned for row in rows],
        loss=lambda model, places: question_loss(model, [rows[place] for place in places], pad),
        held_out=lambda model: {"log-probability": log_probability(model, choosing, pad)},
        chosen_by="log-probability",
        final=final,
        counts={"from gold answers": len(gold), "from retrieved sentences": len(noisy)},
    )

"""The training task of a question writer: gold and retrieved sentences with questions, the loss, held-out scores.

The arguments are those of `src.training.train_question_generator`.
"""

from argparse import Namespace
from typing import Any

from src.errors import InputError
from src.reranking.questions.prompt import CLAIM_EVIDENCE
from src.training.questions.causal import load_causal
from src.training.questions.examples import gold_examples, noisy_examples
from src.training.questions.rows import Layout, question_loss, rows_of
from src.training.questions.scores import floor_meteor, log_probability, mean_meteor, written_questions
from src.training.retrieved import read_retrieved
from src.training.spread import evenly
from src.training.task import Final, Material, Task

EVIDENCE = "evidence"  # the layout without the claim


def question_task(args: Namespace, material: Material) -> Task:
    """Return the task. Raises InputError when there are no examples, or none held out."""
    recipe, layout = material.recipe, Layout(shows_claim=not args.no_claim)
    gold, held_out = gold_examples(material.split.train), gold_examples(material.split.held_out)
    if not gold or not held_out:
        raise InputError("no claim with a question and its answer to learn from, or none held out", path=args.train)
    retrieved = read_retrieved(args.retrieved, material.claims) if args.retrieved else {}
    noisy = noisy_examples(material.split.train, retrieved, args.noisy)
    model, tokenizer, pad = load_causal(material.base, recipe)
    rows = rows_of([*gold, *noisy], layout, tokenizer, recipe.max_length)
    choosing = rows_of(evenly(held_out, args.scored), layout, tokenizer, recipe.max_length)

    def final(model: Any) -> Final:
        """Return the final scores. The loss is computed first, because writing merges the adapter."""
        loss = log_probability(model, rows_of(held_out, layout, tokenizer, recipe.max_length), pad)
        asked = evenly(held_out, args.asked)
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

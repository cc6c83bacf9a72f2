"""Step: trains a language model to write the question that a sentence answers about a claim.

Any causal model by name, the bundled one by default: LoRA on AVeriTeC's own answers and questions. The folder that it
leaves is what `--adapter` of `src.reranking.question_generation_top_sentences` takes.

But: that step shows the claim and reads adapters, so it takes neither what was trained with --no_claim, an ablation,
nor the whole model that --rank 0 leaves.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from src.errors import InputError
from src.runner.arguments import natural, positive, step
from src.training.flags import chosen_recipe, refuse_unread, training_parser
from src.training.recipe import Recipe
from src.training.run import train
from src.training.spread import evenly
from src.training.task import Final, Material, Task

if TYPE_CHECKING:
    from src.training.questions.examples import QuestionExample
    from src.training.questions.rows import Layout, Row

MODULE = "src.training.train_question_generator"
DEFAULT = Recipe(
    "claim and evidence", "smollm2", epochs=1.0, batch=16, tokens=1024, learning_rate=5e-4, rank=16, every=100
)
EVIDENCE = "evidence"  # the layout without the claim


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
    if args.retrieved is None:
        refuse_unread(args, flags, ["noisy"], "goes with --retrieved")
    noisy = args.noisy if args.retrieved else 0
    recipe = chosen_recipe(args, shows_claim=not args.no_claim, noisy=noisy, scored=args.scored, asked=args.asked)
    extra = {"retrieved": args.retrieved} if args.retrieved else {}
    return train("question_generator", args, recipe, partial(prepare, args), extra)


def prepare(args: argparse.Namespace, material: Material) -> Task:
    from src.reranking.questions.prompt import CLAIM_EVIDENCE
    from src.training.questions.causal import load_causal
    from src.training.questions.examples import gold_examples, noisy_examples
    from src.training.questions.rows import Layout, question_loss, rows_of
    from src.training.questions.scores import log_probability
    from src.training.retrieved import read_retrieved

    recipe, layout = material.recipe, Layout(shows_claim=not args.no_claim)
    gold, held_out = gold_examples(material.split.train), gold_examples(material.split.held_out)
    if not gold or not held_out:
        raise InputError("no claim with a question and its answer to learn from, or none held out", path=args.train)
    retrieved = read_retrieved(args.retrieved, material.claims) if args.retrieved else {}
    noisy = noisy_examples(material.split.train, retrieved, args.noisy)
    model, tokenizer, pad = load_causal(material.base, recipe)
    rows = rows_of([*gold, *noisy], layout, tokenizer, recipe.max_length)
    choosing = rows_of(evenly(held_out, args.scored), layout, tokenizer, recipe.max_length)
    return Task(
        model=model,
        tokenizer=tokenizer,
        layout=CLAIM_EVIDENCE if layout.shows_claim else EVIDENCE,
        lengths=[len(row.tokens) for row in rows],
        weights=[row.learned for row in rows],
        loss=lambda model, places: question_loss(model, [rows[place] for place in places], pad),
        held_out=lambda model: {"log-probability": log_probability(model, choosing, pad)},
        chosen_by="log-probability",
        final=partial(
            final,
            tokenizer=tokenizer,
            pad=pad,
            layout=layout,
            held_out=held_out,
            rows=rows_of(held_out, layout, tokenizer, recipe.max_length),
            asked=evenly(held_out, args.asked),
        ),
        counts={"from gold answers": len(gold), "from retrieved sentences": len(noisy)},
    )


def final(
    model: Any,
    *,
    tokenizer: Any,
    pad: int,
    layout: "Layout",
    held_out: "Sequence[QuestionExample]",
    rows: "Sequence[Row]",
    asked: "Sequence[QuestionExample]",
) -> Final:
    """Scores of the finished model; the loss is asked first, since writing merges the adapter."""
    from src.training.questions.scores import floor_meteor, log_probability, mean_meteor, written_questions

    scores = {"log-probability": log_probability(model, rows, pad)}
    scores["METEOR"] = mean_meteor(written_questions(model, tokenizer, layout, asked), asked)
    return Final(scores, {"the claim as its question: METEOR": floor_meteor(asked)})


if __name__ == "__main__":
    raise SystemExit(main())

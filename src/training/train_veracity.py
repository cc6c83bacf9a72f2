"""Step: trains a classifier to give the verdict on a claim from its evidence.

`--recipe joint` reads a claim with all its evidence at once, gold, mixed and retrieved; `--recipe published` is the
published classifier of single answers. Any BERT or MPNet by name. The folder that it leaves is what `-ckpt` of
`src.prediction.veracity_prediction` takes.

But: of the published recipe the examples, labels, rate, batch, epochs and choice are the same; the head is ours (on the
mean of the word vectors), word embeddings stay as they are, and the rate falls to 0.
"""

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from src.errors import InputError
from src.runner.arguments import StepParser, natural, step
from src.training.flags import chosen_recipe, not_negative, refuse_unread, share, training_parser
from src.training.recipe import Recipe
from src.training.run import train
from src.training.task import Material, Task

if TYPE_CHECKING:
    from torch import Tensor

    from src.models.evidence_rows import RowMaker
    from src.training.verdicts.examples import VerdictExample
    from src.training.verdicts.scores import Ask

MODULE = "src.training.train_veracity"
JOINT, PUBLISHED = "joint", "published"
RECIPES = {
    JOINT: Recipe(
        JOINT, "mpnet", epochs=2.25, batch=16, tokens=4096, learning_rate=5e-4, rank=16, max_length=384, every=100
    ),
    PUBLISHED: Recipe(
        PUBLISHED,
        "minilm",
        epochs=20.0,
        batch=128,
        learning_rate=1e-5,
        warmup=0.0,
        rank=0,
        max_length=512,
        every=60,
        patience=100,  # all twenty epochs, the best of them is kept
    ),
}
NOISE = ("mixtures", "copies", "keep", "lose", "foreign", "honest", "blank")
OPTIONS = ("hide_evidence", "balance", *NOISE)


def parser(recipe: str = JOINT) -> argparse.ArgumentParser:
    """The defaults of the shared flags are those of the recipe."""
    flags = training_parser(__doc__, MODULE, RECIPES[recipe])
    flags.add_argument("--recipe", choices=list(RECIPES), default=recipe, help="which model; decides other defaults")
    flags.add_argument("--retrieved", type=Path, help="CSV of evidence that was retrieved for training claims")
    add = flags.add_argument_group("joint recipe").add_argument
    add("--hide_evidence", action="store_true", help="read the claim alone: a floor")
    add("--balance", type=share, default=0.5, help="a class counts by its size to the power of minus this")
    add("--mixtures", type=not_negative, default=0.25, help="of gold pairs with other claims' pairs, for each claim")
    add("--copies", type=natural, default=1, help="of each claim's retrieved evidence: all, then a few drawn")
    add("--keep", type=share, default=0.7, help="share of the gold pairs that a mixture keeps")
    add("--lose", type=share, default=0.1, help="share of the mixtures that keep none")
    add("--foreign", type=natural, default=7, help="pairs of other claims in a mixture, at most")
    add("--honest", type=share, default=0.8, help="share of the mixtures without gold that are Not Enough Evidence")
    add("--blank", type=share, default=0.2, help="share of the examples without questions of their own")
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    first = StepParser(add_help=False, allow_abbrev=False)
    first.add_argument("--recipe", choices=list(RECIPES), default=JOINT)
    flags = parser(first.parse_known_args(argv)[0].recipe)
    args = flags.parse_args(argv)
    if args.recipe == PUBLISHED:
        refuse_unread(args, flags, OPTIONS, "goes with --recipe joint")
    if args.hide_evidence:
        refuse_unread(args, flags, NOISE, "changes nothing with --hide_evidence")
    if args.retrieved is None:
        refuse_unread(args, flags, ["copies"], "goes with --retrieved")
    options = {name: getattr(args, name) for name in OPTIONS} if args.recipe == JOINT else {}
    extra = {"retrieved": args.retrieved} if args.retrieved else {}
    return train("veracity", args, chosen_recipe(args, kind=args.recipe, **options), partial(prepare, args), extra)


def prepare(args: argparse.Namespace, material: Material) -> Task:
    from src.models.evidence_rows import CLAIM_ONLY, LAYOUT, PUBLISHED_TEXT, RowMaker
    from src.records import VERDICTS
    from src.training.classifier import class_loss, load_classifier
    from src.training.retrieved import read_retrieved
    from src.training.verdicts import scores as scoring
    from src.training.verdicts.examples import class_weights, gold_pairs, published_pairs

    recipe, published = material.recipe, args.recipe == PUBLISHED
    retrieved = read_retrieved(args.retrieved, material.claims) if args.retrieved else {}
    examples = _examples(args, material, retrieved)
    in_words = published_pairs if published else gold_pairs
    parts = scoring.held_out_parts(material.split.held_out, retrieved, in_words, blind=args.hide_evidence)
    if not examples or not parts:
        raise InputError("no claim with a label and evidence to learn from, or none held out", path=args.train)
    model, tokenizer = load_classifier(material.base, recipe, len(VERDICTS))
    maker = RowMaker(material.base.folder, recipe.max_length)
    rows, labels = maker.rows([example.text for example in examples]), [VERDICTS.index(e.label) for e in examples]
    weights = class_weights(examples, 0.0 if published else args.balance)
    held_out: Callable[..., Any] = scoring.published_scores if published else scoring.joint_scores
    final: Callable[..., Any] = scoring.published_final if published else scoring.joint_final
    commonest = scoring.commonest_verdict(material.split.train)

    def loss(model: Any, places: Sequence[int]) -> "Tensor":
        chosen = [rows[p] for p in places]
        return class_loss(model, chosen, [labels[p] for p in places], [weights[p] for p in places])

    return Task(
        model=model,
        tokenizer=tokenizer,
        layout=PUBLISHED_TEXT if published else CLAIM_ONLY if args.hide_evidence else LAYOUT,
        lengths=[len(row.ids) for row in rows],
        weights=weights,
        loss=loss,
        held_out=lambda model: held_out(_ask(model, maker), parts),
        chosen_by=scoring.GOLD_F1 if published else scoring.LIKELIHOOD,
        final=lambda model: final(_ask(model, maker), parts, commonest),
        labels=tuple(VERDICTS),
        counts={f"with {verdict}": labels.count(place) for place, verdict in enumerate(VERDICTS)}
        | {f"held out with {part.name} evidence": len(part.labels) for part in parts},
    )


def _examples(args: argparse.Namespace, material: Material, retrieved: Any) -> "list[VerdictExample]":
    from src.training.verdicts.examples import Noise, claim_examples, joint_examples, published_examples

    claims = material.split.train
    if args.recipe == PUBLISHED:
        return published_examples(claims)
    if args.hide_evidence:
        return claim_examples(claims)
    noise = Noise(args.mixtures, args.copies, args.keep, args.lose, args.foreign, args.honest, args.blank)
    return joint_examples(claims, retrieved, noise, material.recipe.seed)


def _ask(model: Any, maker: "RowMaker") -> "Ask":
    """Inputs to logits, by the model as it stands."""
    from src.training.classifier import all_logits

    return lambda inputs: all_logits(model, maker.rows(inputs)).double().numpy()


if __name__ == "__main__":
    raise SystemExit(main())

"""Step: train a classifier to give the verdict on a claim from its evidence.

`--recipe joint` reads a claim with all its evidence at once: gold, mixed and retrieved. `--recipe published` is the
published classifier of single answers. The base is an encoder, or (joint recipe) a language model, which learns to
answer in one word. The output folder is an input of `-ckpt` of `src.prediction.veracity_prediction`.

Limitations: the published recipe has the published examples, labels, learning rate, batch, epochs and choice of
weights. The head is ours (on the mean of the word vectors), word embeddings are not trained, and the learning rate
falls to 0.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from src.models.trained import trained_folders
from src.runner.arguments import StepParser, natural, refuse_unread, step
from src.runner.numbers import not_negative, share
from src.training.contraries.read import contraries_files
from src.training.entailment.pack_sets import SETS
from src.training.flags import chosen_recipe, training_parser
from src.training.recipe import Recipe, Setting
from src.training.run import train
from src.training.scenarios.read import scenario_files
from src.training.verdicts.task import JOINT, PUBLISHED, verdict_task

MODULE = "src.training.train_veracity"
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
        patience=100,  # all twenty epochs are run; the best weights are kept
    ),
}
NOISE = ("mixtures", "copies", "keep", "lose", "foreign", "honest", "blank")
OPTIONS = ("hide_evidence", "balance", *NOISE)
MET = ("as_met", "pack", "pack_share", "contrast", "scenarios", "contraries", "begin_with", "keep_start")
TEACHER = ("teacher", "teacher_share")


def parser(recipe: str = JOINT) -> argparse.ArgumentParser:
    """Return the parser. The defaults of the shared flags are those of the recipe."""
    flags = training_parser(__doc__, MODULE, RECIPES[recipe])
    flags.add_argument("--recipe", choices=list(RECIPES), default=recipe, help="which model; decides other defaults")
    flags.add_argument("--retrieved", type=Path, help="CSV of evidence that was retrieved for training claims")
    add = flags.add_argument_group("joint recipe").add_argument
    add("--hide_evidence", action="store_true", help="read the claim alone: a baseline")
    add("--balance", type=share, default=0.5, help="a class counts by its size to the power of minus this")
    add("--mixtures", type=not_negative, default=0.25, help="of gold pairs with other claims' pairs, for each claim")
    add("--copies", type=natural, default=1, help="of each claim's retrieved evidence: all, then a few drawn")
    add("--keep", type=share, default=0.7, help="share of the gold pairs that a mixture keeps")
    add("--lose", type=share, default=0.1, help="share of the mixtures that keep none")
    add("--foreign", type=natural, default=7, help="pairs of other claims in a mixture, at most")
    add("--honest", type=share, default=0.8, help="share of the mixtures without gold that are Not Enough Evidence")
    add("--blank", type=share, default=0.2, help="share of the examples without questions of their own")
    add("--as_met", type=natural, default=0, help="also passages among others; this many claims of a set of --pack")
    add("--pack", type=Path, help="folder of an inference pack: <set>.jsonl.gz files")
    add("--pack_share", type=share, default=0.1, help="share of the pack's rows that is used, each alone")
    add("--contrast", type=share, default=0.0, help="share of the pairs of rows of --pack that differ in one place")
    add("--scenarios", type=Path, help="folder of written scenarios: <topic>.jsonl files")
    add("--contraries", type=Path, help="folder of written contrary claims with pages: <topic>.jsonl files")
    add("--begin_with", type=Path, help="the adapter of an entailment or verdict model to begin with")
    add("--keep_start", type=share, default=0.0, help="share of the weights of --begin_with in those that are saved")
    add("--teacher", type=Path, help="a verdict model, or several seeds in its folder, to learn from too")
    add("--teacher_share", type=share, default=0.5, help="how much they count beside the labels")
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    first = StepParser(add_help=False, allow_abbrev=False)
    first.add_argument("--recipe", choices=list(RECIPES), default=JOINT)
    flags = parser(first.parse_known_args(argv)[0].recipe)
    args = flags.parse_args(argv)
    if args.recipe == PUBLISHED:
        refuse_unread(args, flags, [*OPTIONS, *MET, *TEACHER], "goes with --recipe joint")
    if args.hide_evidence:
        refuse_unread(args, flags, [*NOISE, *MET, *TEACHER], "changes nothing with --hide_evidence")
    if args.pack is None:
        refuse_unread(args, flags, ["pack_share", "contrast"], "goes with --pack")
    if args.retrieved is None:
        refuse_unread(args, flags, ["copies"], "goes with --retrieved")
    if args.begin_with is None:
        refuse_unread(args, flags, ["keep_start"], "goes with --begin_with")
    if args.teacher is None:
        refuse_unread(args, flags, ["teacher_share"], "goes with --teacher")
    options: dict[str, Setting] = {n: getattr(args, n) for n in OPTIONS} if args.recipe == JOINT else {}
    extra = {"retrieved": args.retrieved} if args.retrieved else {}
    if args.as_met:
        options["as_met"] = args.as_met
    if args.pack is not None:
        options["pack_share"] = args.pack_share
        if args.contrast:
            options["contrast"] = args.contrast
        extra |= {name: args.pack / f"{name}.jsonl.gz" for name in SETS}
    if args.scenarios is not None:
        extra |= scenario_files(args.scenarios)
    if args.contraries is not None:
        extra |= contraries_files(args.contraries)
    if args.begin_with is not None:
        if args.keep_start:
            options["keep_start"] = args.keep_start
        extra["begin_with"] = args.begin_with / "adapter_model.safetensors"
    if args.teacher is not None:
        options["teacher_share"] = args.teacher_share
        for place, folder in enumerate(trained_folders(args.teacher)):
            extra[f"teacher_{place}"] = folder / "adapter_model.safetensors"
    return train("veracity", args, chosen_recipe(args, kind=args.recipe, **options), partial(verdict_task, args), extra)


if __name__ == "__main__":
    raise SystemExit(main())

"""Step: train a classifier to decide if passages entail a sentence, contradict it, or neither.

The base is an encoder, which gets a head, or a language model, which learns to answer in one word.

The model learns from AVeriTeC's claims with their gold answers. If they are given, it also learns from an inference
pack of public sets, and from claims of HOVER and FEVEROUS-S with their gold passages. With --pack_only it learns from
sets of the pack alone. The output folder is an input of `--entailment` of `src.programs.execute_programs`, and of
`--encoder` of `src.programs.few_shot`.
"""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from src.runner.arguments import positive, refuse_unread, step
from src.runner.numbers import share
from src.training.entailment.pack_sets import SETS
from src.training.entailment.task import entailment_task
from src.training.flags import chosen_recipe, training_parser
from src.training.recipe import Recipe, Setting
from src.training.run import train

MODULE = "src.training.train_entailment"
DEFAULT = Recipe(
    "claims, their parts and passages", "mpnet", epochs=1.0, batch=16, tokens=4096, learning_rate=5e-4, rank=16,
    max_length=320, every=120,
)  # fmt: skip


def parser() -> ArgumentParser:
    flags = training_parser(__doc__, MODULE, DEFAULT)
    for name, of in (("hover", "HOVER with gold paragraphs"), ("feverous", "FEVEROUS-S")):
        flags.add_argument(f"--{name}", type=Path, help=f"claims of {of}")
        flags.add_argument(f"--{name}_ids", type=Path, help="those of them that are used, one id a line")
    add = flags.add_argument
    add("--labelled_share", type=share, default=1.0, help="share of the examples of HOVER and FEVEROUS-S that is used")
    add("--pack", type=Path, help="folder of an inference pack: <set>.jsonl.gz files")
    add("--pack_only", type=_sets, help="learn from these sets of the pack and nothing else, such as "
        "fever_dev,fm2: a model for src.programs.few_shot that was trained on another fact-checking set")  # fmt: skip
    add("--pack_share", type=share, default=1.0, help="share of the pack's rows that is used")
    add("--scored", type=positive, help="held-out examples of a part that are scored (default: all)")
    add("--begin_with", type=Path, help="the adapter of an entailment or verdict model to begin with")
    return flags


def _sets(text: str) -> list[str]:
    """Return the set names of an argparse text, separated by commas. Raises ArgumentTypeError for an unknown name."""
    names = list(dict.fromkeys(name.strip() for name in text.split(",")))
    if unknown := [name for name in names if name not in SETS]:
        raise ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(SETS)}")
    return names


@step
def main(argv: Sequence[str] | None = None) -> int:
    flags = parser()
    args = flags.parse_args(argv)
    for name in ("hover", "feverous"):
        if getattr(args, name) is None:
            refuse_unread(args, flags, [f"{name}_ids"], f"goes with --{name}")
    if args.pack is None:
        refuse_unread(args, flags, ["pack_share", "pack_only"], "goes with --pack")
    if args.pack_only is not None:
        refuse_unread(args, flags, ["hover", "feverous"], "does not go with --pack_only")
    files = {name: getattr(args, name) for name in ("hover", "hover_ids", "feverous", "feverous_ids")}
    extra = {name: path for name, path in files.items() if path is not None}
    options: dict[str, Setting] = {}
    if args.hover or args.feverous:
        options["labelled_share"] = args.labelled_share
    if args.pack is not None:
        extra |= {name: args.pack / f"{name}.jsonl.gz" for name in args.pack_only or SETS}
        options["pack_share"] = args.pack_share
    if args.pack_only is not None:
        options["pack_only"] = ",".join(args.pack_only)
    if args.scored is not None:
        options["scored"] = args.scored
    if args.begin_with is not None:
        extra["begin_with"] = args.begin_with / "adapter_model.safetensors"
    return train("entailment", args, chosen_recipe(args, **options), partial(entailment_task, args), extra)


if __name__ == "__main__":
    raise SystemExit(main())

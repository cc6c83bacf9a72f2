"""Flags of `annotate`, and their valid combinations."""

import argparse
from pathlib import Path

from src.errors import InputError
from src.runner.arguments import StepParser, add_range, natural, positive, refuse_unread
from src.runner.numbers import share

OF_PAGE = ("output_file", "host", "port")
OF_DRAWING = ("sample", "rounds", "controls", "annotators", "annotators_per_claim", "pass_at", "exclude_below")
OF_EXPLANATIONS = ("explanations", "start", "end")
OF_TABLE = ("json", "markdown")


def add_flags(flags: StepParser) -> None:
    add = flags.add_argument
    add("-i", "--explanations", nargs="+", metavar="[NAME=]FILE",
        help="what generate_explanations or refine_explanations wrote")  # fmt: skip
    add("--agreement", type=Path, metavar="FILE", help="print what the ratings of this file say")
    add("-o", "--output_file", type=Path, default=Path("data_store/dev_ratings.jsonl"),
        help="ratings, gone on with where some are (default data_store/dev_ratings.jsonl)")  # fmt: skip
    add("--host", default="127.0.0.1", help="the address to serve on (default 127.0.0.1)")
    add("--port", type=natural, default=8010, help="default 8010; 0: any that is free")
    add("--seed", type=natural, default=0, help="of what is drawn, and of the order of a claim's methods (default 0)")
    add_range(flags)
    drawn = flags.add_argument_group("a study that is drawn").add_argument
    drawn("--study", type=Path, metavar="FILE", help="the study: written with --sample, else read")
    drawn("--sample", type=positive, help="draw a study of so many claims (the paper: 20)")
    drawn("--rounds", type=natural, default=2, help="qualification rounds, a claim each (default 2)")
    drawn("--controls", type=natural, default=2, help="control claims among those to rate (default 2)")
    drawn("--annotators_per_claim", type=positive, default=3, help="default 3")
    drawn("--annotators", type=positive, help="seats of the study (default: as many as each claim has annotators)")
    drawn("--pass_at", type=share, default=0.7,
          help="agreement with the key that each round needs, 0 to 1; 0.5 is chance (default 0.7)")  # fmt: skip
    drawn("--exclude_below", type=share, default=0.7,
          help="agreement with the key on the controls below which nobody is scored (default 0.7)")  # fmt: skip
    drawn("--author", action="store_true", help="rate as the study's author: the output is the key")
    drawn("--key", type=Path, metavar="FILE", help="the author's ratings")
    drawn("--json", type=Path, metavar="FILE", help="with --agreement: write the tables here too, as JSON")
    drawn(
        "--markdown", type=Path, metavar="FILE", help="with --agreement: write the tables here too, as Markdown (.md)"
    )


def check_flags(args: argparse.Namespace, flags: argparse.ArgumentParser) -> None:
    """Raise InputError if flags contradict each other or would have no effect."""
    if args.agreement is not None:
        _check_agreement(args, flags)
    elif args.explanations is not None:
        refuse_unread(args, flags, ("author", "key", *OF_TABLE), "changes nothing with -i")
        if args.sample is None:
            refuse_unread(args, flags, OF_DRAWING, "changes nothing without --sample")
        else:
            _check_drawing(args, flags)
        if (args.sample is None) is not (args.study is None):
            raise InputError("--sample and --study go together with -i: the study that is drawn is written there")
    elif args.study is not None:
        refuse_unread(args, flags, ("seed", *OF_DRAWING, *OF_EXPLANATIONS), "changes nothing with --study, without -i")
        refuse_unread(args, flags, OF_TABLE, "changes nothing without --agreement")
        if args.author is (args.key is not None):
            raise InputError("--study is rated by its author (--author), or by annotators (--key FILE): name one")
    else:
        raise InputError("name what is rated (-i or --study), or ratings (--agreement)")


def _check_drawing(args: argparse.Namespace, flags: argparse.ArgumentParser) -> None:
    refuse_unread(args, flags, OF_PAGE, "changes nothing with --sample: no page is served")
    if args.rounds == 0:
        refuse_unread(args, flags, ["pass_at"], "changes nothing with --rounds 0: there is no round to pass")
    if args.controls == 0:
        refuse_unread(args, flags, ["exclude_below"], "changes nothing with --controls 0: no control is rated")


def _check_agreement(args: argparse.Namespace, flags: argparse.ArgumentParser) -> None:
    unread = (*OF_PAGE, "author", *OF_DRAWING, *OF_EXPLANATIONS)
    refuse_unread(args, flags, unread, "changes nothing with --agreement: no page is served")
    if (args.study is None) is not (args.key is None):
        raise InputError("--study and --key go together with --agreement")
    if args.study is None:
        refuse_unread(args, flags, ("seed", *OF_TABLE), "changes nothing with --agreement without --study")

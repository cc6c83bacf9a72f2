"""Step: a page for people who rate explanations, sentence by sentence, and how far they agree.

    python -m src.explanation.annotate -i zero_shot=a.json madr=b.json -o ratings.jsonl
    python -m src.explanation.annotate --agreement ratings.jsonl

Serves the page on this machine until it is stopped; the first line on stdout is its address. Annotators give a name and
tick, in each sentence, which of the nine types of error it has, with the evidence beside it. They meet the claims in
order, and a claim's methods unnamed, in an order drawn for each of them. Each rating is appended to the output as it is
saved, for `evaluate_explanations --human`. `--agreement` prints what was ticked, and kappas; so does Ctrl-C.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from src.errors import InputError
from src.explanation.annotation.desk import Desk
from src.explanation.annotation.ratings import read_ticked, read_whole
from src.explanation.annotation.ratings_file import RatingsFile
from src.explanation.annotation.study import Study, study, texts
from src.explanation.annotation.summary import summary
from src.explanation.annotation.tables import render
from src.explanation.records import ExplainedClaim
from src.explanation.scoring.methods import Explanations, joined, left_out, named_files
from src.runner.arguments import StepParser, add_range, in_range, natural, refuse_unread, step
from src.runner.console import how_many, say, say_error
from src.runner.manifest import upstream_failures
from src.runner.output_path import check_output

OF_PAGE = ("output_file", "host", "port", "seed", "start", "end")


def parser() -> argparse.ArgumentParser:
    _, _, described = (__doc__ or "").split("\n\n", 2)
    flags = StepParser(prog="python -m src.explanation.annotate", description=described)
    which = flags.add_mutually_exclusive_group(required=True)
    which.add_argument("-i", "--explanations", nargs="+", metavar="[NAME=]FILE",
                       help="what generate_explanations or refine_explanations wrote")  # fmt: skip
    which.add_argument("--agreement", type=Path, metavar="FILE", help="print what the ratings of this file say")
    flags.add_argument("-o", "--output_file", type=Path, default=Path("data_store/dev_ratings.jsonl"),
                       help="ratings, gone on with where some are (default data_store/dev_ratings.jsonl)")  # fmt: skip
    flags.add_argument("--host", default="127.0.0.1", help="the address to serve on (default 127.0.0.1)")
    flags.add_argument("--port", type=natural, default=8010, help="default 8010; 0: any that is free")
    flags.add_argument("--seed", type=natural, default=0, help="of the order of a claim's methods (default 0)")
    add_range(flags)
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    flags = parser()
    args = flags.parse_args(argv)
    if args.agreement is not None:
        refuse_unread(args, flags, OF_PAGE, "changes nothing with --agreement: no page is served")
        _print_agreement(args.agreement)
    else:
        _serve(args)
    return 0


def _print_agreement(path: Path) -> None:
    ratings = read_ticked(read_whole(path), path, {})
    if not ratings:
        raise InputError("holds no ratings", path=path)
    say("\n".join(render(summary(ratings))))


def _serve(args: argparse.Namespace) -> None:
    from src.explanation.annotation.app import app  # starlette
    from src.serving.run import serve  # uvicorn

    methods = [Explanations(one) for one in named_files(args.explanations, None)]
    names = [one.name for one in methods]
    check_output(args.output_file, {f"explanations {one.name}": one.path for one in methods})
    everyone = joined(methods)
    for line in (*left_out(methods, everyone[0]), *upstream_failures([one.path for one in methods])):
        say_error(line)
    shared = [in_range(claims, args.start, args.end) for claims in everyone]
    with RatingsFile(args.output_file, texts(names, everyone)) as file:
        if file.torn:
            say_error(f"{args.output_file}: half a line at its end was removed")
        chosen = study(names, shared, args.seed)
        try:
            told = _told(chosen, shared, args.output_file)
            serve(partial(app, Desk(chosen, file)), args.host, args.port, told, "rate, under any name")
        except KeyboardInterrupt:
            if file.kept:
                say("\n".join(render(summary(list(file.kept.values())))))
            raise


def _told(chosen: Study, shared: Sequence[Sequence[ExplainedClaim]], path: Path) -> str:
    tasks = sum(map(len, chosen.claims))
    return f"annotate: {how_many(tasks, 'explanation')} of {how_many(len(shared[0]), 'claim')} -> {path}"


if __name__ == "__main__":
    raise SystemExit(main())

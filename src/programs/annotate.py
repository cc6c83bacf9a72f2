"""Step: page where people classify the errors of wrongly predicted claims, and their agreement.

    python -m src.programs.annotate -i TRACE --gold FILE -o classes.jsonl
    python -m src.programs.annotate --agreement classes.jsonl
    python -m src.programs.evaluate_programs -i TRACE --gold FILE --classes classes.jsonl --markdown table2.md

Draws wrong predictions for each number of hops, and serves them on this machine until it is stopped. The first line on
stdout is the address. Annotators enter a name and choose one of the five classes of ProgramFC's Table 2 for each
program. Two people classify the same programs, each in a different order. Each class is appended to the output when it
is saved. `--agreement` prints the agreement of the annotators; so does Ctrl-C. `evaluate_programs --classes` prints the
table.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from src.annotating.answers_file import read_whole
from src.claims.labelled import read_labelled_claims
from src.errors import InputError
from src.evaluation.sections import Section, as_text
from src.programs.annotation.class_service import ClassService
from src.programs.annotation.classes import Classed, ProgramId, read_classed
from src.programs.annotation.classes_file import ClassesFile
from src.programs.annotation.drawing import drawn
from src.programs.program_file import read_programs
from src.programs.scoring.error_classes import ErrorClass
from src.programs.scoring.error_tables import agreement_section
from src.programs.scoring.joined import join
from src.programs.scoring.people import agreement, by_annotator, hashes
from src.runner.arguments import StepParser, existing_file, natural, positive, refuse_unread, step
from src.runner.console import how_many, say, say_error
from src.runner.manifest import upstream_failures
from src.runner.paths import check_output

OF_PAGE = ("gold", "ids", "programs", "per_hop", "seed", "output_file", "host", "port")


def parser() -> argparse.ArgumentParser:
    _, _, described = (__doc__ or "").split("\n\n", 2)
    flags = StepParser(prog="python -m src.programs.annotate", description=described)
    which = flags.add_mutually_exclusive_group(required=True)
    which.add_argument("-i", "--trace", type=Path, help="what src.programs.execute_programs wrote")
    which.add_argument("--agreement", type=Path, metavar="FILE", help="print what the classes of this file say")
    add = flags.add_argument
    add("--gold", type=Path, help="HOVER's or FEVEROUS-S's claims")
    add("--ids", type=Path, help="the claims to draw from, by their data set's own ids, one a line")
    add("--programs", type=Path, help="what generate_programs wrote: programs are shown as they were written, too")
    add("--per_hop", type=positive, default=100, help="wrong predictions of each number of hops (default 100)")
    add("--seed", type=natural, default=0, help="of what is drawn, and of its order (default 0)")
    add("-o", "--output_file", type=Path, default=Path("data_store/dev_error_classes.jsonl"),
        help="classes, gone on with where some are (default data_store/dev_error_classes.jsonl)")  # fmt: skip
    add("--host", default="127.0.0.1", help="the address to serve on (default 127.0.0.1)")
    add("--port", type=natural, default=8010, help="default 8010; 0: any that is free")
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    flags = parser()
    args = flags.parse_args(argv)
    if args.agreement is not None:
        refuse_unread(args, flags, OF_PAGE, "changes nothing with --agreement: no page is served")
        classed = read_classed(read_whole(args.agreement), args.agreement, {})
        if not classed:
            raise InputError("holds no classes", path=args.agreement)
        say("\n".join(_summary(classed)))
    elif args.gold is None:
        raise InputError("--gold is needed: the claims with their right labels")
    else:
        _serve(args)
    return 0


def _summary(classed: Sequence[Classed]) -> list[str]:
    sides = by_annotator(classed)
    rows = [["annotator", "programs", *ErrorClass]]
    for name, own in sides.items():
        counts = Counter(own.values())
        rows.append([name, str(len(own)), *(str(counts[one]) for one in ErrorClass)])
    pairs = agreement(sides)
    agreed = agreement_section(pairs) if pairs else Section("Agreement: undefined, there is one annotator")
    return as_text([Section("Classes that annotators chose", rows), agreed])


def _serve(args: argparse.Namespace) -> None:
    from src.programs.annotation.app import app  # starlette
    from src.serving.run import serve  # uvicorn

    lists = {"ids": args.ids, "programs": args.programs}
    inputs = {"trace": args.trace, "gold": args.gold} | {name: path for name, path in lists.items() if path is not None}
    check_output(args.output_file, inputs)
    joined = join(read_labelled_claims(args.gold), args.gold, [args.trace], args.ids)
    programs = drawn(joined.golds, joined.traces[0], args.per_hop, args.seed, _written(args.programs))
    if not programs:
        raise InputError("has no wrong prediction with a program", path=args.trace)
    for line in upstream_failures([args.trace]):
        say_error(line)
    with ClassesFile(args.output_file, hashes(joined.golds, joined.traces[0])) as file:
        if file.torn:
            say_error(f"{args.output_file}: half a line at its end was removed")
        message = f"annotate: {how_many(len(programs), 'wrong prediction')} of {args.trace} -> {args.output_file}"
        try:
            serve(
                partial(app, ClassService(programs, file, args.seed)),
                args.host,
                args.port,
                message,
                "class, under any name",
            )
        except KeyboardInterrupt:
            if file.kept:
                say("\n".join(_summary(list(file.kept.values()))))
            raise


def _written(path: Path | None) -> dict[ProgramId, str]:
    """Return the programs' texts by claim and place; empty if no file is given."""
    if path is None:
        return {}
    claims = read_programs(existing_file(path, "src.programs.generate_programs"))
    return {(one.claim_id, place): text for one in claims for place, text in enumerate(one.programs)}


if __name__ == "__main__":
    raise SystemExit(main())

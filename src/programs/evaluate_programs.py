"""Scores of program traces against the gold labels and gold pages of HOVER or FEVEROUS-S.

    python -m src.programs.evaluate_programs -i TRACE [TRACE ...] --gold FILE [--ids FILE] [--paper]

Prints macro-F1 of the two labels with 95 % intervals, by hops and by challenge, beside baselines. Prints recall of the
gold pages, counts of the programs' outcomes, and classes of errors. With several traces it also prints their
differences to the first, paired by claim. `--json` writes the same. Traces are joined with the claims by claim_id.
Classes of errors follow from rules; `--classes` adds those by people (`src.programs.annotate`). `--markdown` writes the
paper's table 2 next to ours.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from src.annotating.answers_file import read_whole
from src.atomic_file import write_whole
from src.claims.labelled import LabelledClaim, read_labelled_claims
from src.claims.texts import apart, passed_over
from src.errors import InputError
from src.evaluation.sections import as_markdown
from src.programs.annotation.classes import read_classed
from src.programs.scoring.joined import Joined, join
from src.programs.scoring.people import People, hashes, people
from src.programs.scoring.report import report
from src.programs.scoring.tables import error_tables_of, render
from src.runner.arguments import StepParser, natural, step
from src.runner.console import say, say_error
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest, upstream_failures
from src.runner.output import write_output
from src.runner.result_files import check_results, check_table

MODULE = "src.programs.evaluate_programs"


def parser() -> argparse.ArgumentParser:
    flags = StepParser(prog=f"python -m {MODULE}", description=(__doc__ or "").split("\n\n")[0])
    flags.add_argument("-i", "--traces", type=Path, nargs="+", required=True, metavar="TRACE",
                       help="what execute_programs, closed_book, in_context or few_shot wrote")  # fmt: skip
    flags.add_argument("--gold", type=Path, required=True, help="HOVER's or FEVEROUS-S's claims")
    flags.add_argument("--ids", type=Path, help="the claims to score, by their data set's own ids, one a line")
    flags.add_argument("--tune_ids", type=Path, help="claims to fit the baseline of new words on, none of those scored")
    flags.add_argument("--classes", type=Path, metavar="FILE", help="people's classes of the only trace's errors")
    flags.add_argument("--markdown", type=Path, metavar="FILE", help="write the paper's table 2 and ours here (.md)")
    flags.add_argument("--paper", action="store_true", help="print the published tables, too")
    flags.add_argument("-o", "--json", type=Path, metavar="FILE", help="write the scores here too")
    flags.add_argument("--seed", type=natural, default=0, help="of the resampling and of random baselines (default 0)")
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    began = time.perf_counter()
    args = parser().parse_args(argv)
    inputs = _inputs(args)
    golds = read_labelled_claims(args.gold)
    joined = join(golds, args.gold, args.traces, args.ids)
    found = report(joined, list(map(str, args.traces)), _tune(golds, joined.golds, args.tune_ids), args.seed)
    if args.classes is not None:
        found = msgspec.structs.replace(found, people=_people(args, joined))
    tables = as_markdown(error_tables_of(found))
    if args.markdown is not None:
        check_table(args.markdown, tables)
    told = [*passed_over(golds, args.ids), *upstream_failures(args.traces)]
    for line in (f"{found.claims} of {len(golds)} claims of {args.gold}", *told):
        say_error(line)
    say("\n".join(render(found, with_paper=args.paper)))
    if args.markdown is not None:
        write_whole(args.markdown, tables.encode())
    if args.json:
        made = fingerprint(MODULE, args, inputs, [gold.claim_id for gold in joined.golds])
        manifest = new_manifest(made, args, seconds={"wall": time.perf_counter() - began})
        write_output(args.json, msgspec.json.format(msgspec.json.encode(found)) + b"\n", [], manifest)
    return 0


def _inputs(args: argparse.Namespace) -> dict[str, Path]:
    """Return the files that are read. Raises InputError and OutputError like `check_results`."""
    traces = {f"traces {number}": path for number, path in enumerate(args.traces, start=1)}
    others = {"ids": args.ids, "tune_ids": args.tune_ids, "classes": args.classes}
    inputs = {"gold": args.gold, **traces, **{name: path for name, path in others.items() if path is not None}}
    check_results(args, inputs, MODULE)
    return inputs


def _people(args: argparse.Namespace, joined: Joined) -> People:
    """Return the classes by people.

    Raises InputError when there are several traces, or when a program has changed since it was classified.
    """
    if len(args.traces) > 1:
        raise InputError("--classes is of one trace; name that one alone")
    (traces,) = joined.traces
    classed = read_classed(read_whole(args.classes), args.classes, hashes(joined.golds, traces))
    found = people(joined.golds, traces, classed, args.classes)
    if found.elsewhere:
        say_error(f"{args.classes}: {found.elsewhere} classes are of what is no wrong prediction here")
    return found


def _tune(golds: list[LabelledClaim], scored: Sequence[LabelledClaim], ids: Path | None) -> list[LabelledClaim]:
    """Return the claims with evidence that a baseline is fitted on. Raises InputError when one of them is scored."""
    chosen = apart(golds, scored, ids) if ids is not None else []
    return [gold for gold in chosen if gold.gold]


if __name__ == "__main__":
    raise SystemExit(main())

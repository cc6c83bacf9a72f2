"""Scores traces of programs against the gold labels and gold pages of HOVER or FEVEROUS-S.

    python -m src.programs.evaluate_programs -i TRACE [TRACE ...] --gold FILE [--ids FILE] [--paper]

Prints macro-F1 of the two labels with 95 % intervals, by hops and by challenge, floors beside them, recall of the gold
pages, what the programs came to, and classes of errors; with several traces also their differences to the first, claim
by claim. `--json` writes the same. Traces are joined with the claims by claim_id.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from src.claims.labelled import LabelledClaim, read_labelled_claims
from src.claims.texts import apart, passed_over
from src.programs.scoring.joined import join
from src.programs.scoring.report import report
from src.programs.scoring.tables import render
from src.runner.arguments import StepParser, natural, step
from src.runner.console import say, say_error
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest, upstream_failures
from src.runner.output import write_output
from src.runner.output_path import check_output, check_replaced

MODULE = "src.programs.evaluate_programs"


def parser() -> argparse.ArgumentParser:
    flags = StepParser(prog=f"python -m {MODULE}", description=(__doc__ or "").split("\n\n")[0])
    flags.add_argument("-i", "--traces", type=Path, nargs="+", required=True, metavar="TRACE",
                       help="what execute_programs, closed_book, in_context or few_shot wrote")  # fmt: skip
    flags.add_argument("--gold", type=Path, required=True, help="HOVER's or FEVEROUS-S's claims")
    flags.add_argument("--ids", type=Path, help="the claims to score, by their data set's own ids, one a line")
    flags.add_argument("--tune_ids", type=Path, help="claims to fit the floor of new words on, none of those scored")
    flags.add_argument("--paper", action="store_true", help="print the published tables, too")
    flags.add_argument("-o", "--json", type=Path, metavar="FILE", help="write the scores here too")
    flags.add_argument("--seed", type=natural, default=0, help="of the resampling and of what floors draw (default 0)")
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    began = time.perf_counter()
    args = parser().parse_args(argv)
    inputs = _inputs(args)
    golds = read_labelled_claims(args.gold)
    joined = join(golds, args.gold, args.traces, args.ids)
    found = report(joined, list(map(str, args.traces)), _tune(golds, joined.golds, args.tune_ids), args.seed)
    told = [*passed_over(golds, args.ids), *upstream_failures(args.traces)]
    for line in (f"{found.claims} of {len(golds)} claims of {args.gold}", *told):
        say_error(line)
    say("\n".join(render(found, with_paper=args.paper)))
    if args.json:
        made = fingerprint(MODULE, args, inputs, [gold.claim_id for gold in joined.golds])
        manifest = new_manifest(made, args, seconds={"wall": time.perf_counter() - began})
        write_output(args.json, msgspec.json.format(msgspec.json.encode(found)) + b"\n", [], manifest)
    return 0


def _inputs(args: argparse.Namespace) -> dict[str, Path]:
    """The files that are read. Raises InputError when the scores would overwrite one, or are a folder, OutputError when
    they could not be written."""
    traces = {f"traces {number}": path for number, path in enumerate(args.traces, start=1)}
    lists = {"ids": args.ids, "tune_ids": args.tune_ids}
    inputs = {"gold": args.gold, **traces, **{name: path for name, path in lists.items() if path is not None}}
    if args.json is not None:
        check_output(args.json, inputs, "file of scores")
        check_replaced(args.json, MODULE, "file of scores")
    return inputs


def _tune(golds: list[LabelledClaim], scored: Sequence[LabelledClaim], ids: Path | None) -> list[LabelledClaim]:
    """Claims with evidence to fit a floor on. Raises InputError when one of them is scored."""
    chosen = apart(golds, scored, ids) if ids is not None else []
    return [gold for gold in chosen if gold.gold]


if __name__ == "__main__":
    raise SystemExit(main())

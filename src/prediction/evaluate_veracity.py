"""Step: score predicted evidence and verdicts against the gold claims: the published metric, intervals and baselines.

    python -m src.prediction.evaluate_veracity -i data_store/dev_veracity_prediction.json --label_file data/dev.json

Prints the lines of the published scorer and, beside each number, its 95 % interval and two trivial baselines; `--json`
writes the same. Predictions are joined with the claims by claim_id.

Limitations: no judge models (Ev2R), no METEOR of justifications.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from src.evaluation.scoreboard import evaluate, render
from src.prediction.prediction_files import join, labelled, read_guesses, url_lists
from src.runner.arguments import StepParser, add_range, existing_file, in_range, step
from src.runner.console import how_many, say, say_error
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest, upstream_failures
from src.runner.output import write_output
from src.runner.paths import check_output, check_replaced
from src.store import read_claims

_MODULE = "src.prediction.evaluate_veracity"


@step
def main(argv: Sequence[str] | None = None) -> int:
    began = time.perf_counter()
    args = _parser().parse_args(argv)
    claims = read_claims(args.label_file)
    chosen = in_range(claims, args.start, args.end, args.label_file)
    golds = labelled(chosen, args.label_file)
    path = existing_file(args.prediction_file, "python -m src.prediction.veracity_prediction")
    inputs = {"prediction_file": path, "label_file": args.label_file}
    if args.json:
        check_output(args.json, inputs, "file of scores")
        check_replaced(args.json, _MODULE, "file of scores")
    known = [claim.claim_id for claim in claims]
    guesses = join(chosen, read_guesses(path), path, known=known, allow_missing=args.allow_missing)
    board = evaluate(golds, guesses, with_floors=not args.no_floors, seed=None if args.no_intervals else args.seed)
    notes = [*upstream_failures([path]), *_of_url_lists(path)]
    for line in (f"{len(chosen)} claims: {path} against {args.label_file}", *notes):
        say_error(line)
    say("\n".join(render(board)))
    if args.json:
        made = fingerprint(_MODULE, args, inputs, [claim.claim_id for claim in chosen])
        manifest = new_manifest(made, args, seconds={"wall": time.perf_counter() - began})
        write_output(args.json, msgspec.json.format(msgspec.json.encode(board)) + b"\n", [], manifest)
    return 0


def _of_url_lists(path: Path) -> list[str]:
    """Return a note if evidence has a list of pages as url: it is scored, but cannot be submitted."""
    if not (found := url_lists(path)):
        return []
    claim_id, line = found[0]
    first = f"the first is claim {claim_id}, line {line}"
    return [
        f"note: {how_many(len(found), 'claim')} with a list as url ({first}): scored, but not valid as a submission"
    ]


def _parser() -> argparse.ArgumentParser:
    parser = StepParser(prog=f"python -m {_MODULE}", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument(
        "-i",
        "--prediction_file",
        type=Path,
        default=Path("data_store/dev_veracity_prediction.json"),
        help="predictions: JSON list, JSON lines or FEVER-8 CSV, gzipped or not",
    )
    parser.add_argument("--label_file", type=Path, default=Path("data/dev.json"), help="gold claims")
    add_range(parser)
    parser.add_argument("--allow_missing", action="store_true", help="score claims without prediction as wrong")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the scores here too")
    parser.add_argument("--no_intervals", action="store_true", help="leave out the 95 %% intervals")
    parser.add_argument("--no_floors", action="store_true", help="leave out the two baselines")
    parser.add_argument("--seed", type=int, default=0, help="of the resampling behind the intervals (default 0)")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())

"""Scores of one call a claim beside other systems, on AVeriTeC's dev claims.

    python -m bench.one_call --end 100 "one call"=out/one_call/predictions.json AIC=FILE [--json FILE]

Each argument names a system and its predictions, or a published file of them. If predictions are those of `one_call`,
the number of replies that could not be used, of dropped pairs and so on is taken from their manifest; they must then be
of the same claims.

Limitations: nothing is run here; the page of results has the commands.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bench.command import StepParser, command, natural, positive
from bench.one_call.record import Result, Row
from bench.scoreboard.published import AVERITEC, ROOT
from src.atomic_file import write_whole
from src.errors import InputError
from src.evaluation.scoreboard import evaluate
from src.pipeline.one_call import STEP
from src.prediction.prediction_files import join, labelled, read_guesses
from src.records import Claim
from src.runner.claim_range import in_range
from src.runner.manifest import read_manifest
from src.runner.paths import check_output
from src.store import read_claims

DEV = AVERITEC / "dev.json"
RESULTS = ROOT / "bench" / "results" / "one_call.json"


@command
def main(argv: Sequence[str] | None = None) -> int:
    flags = StepParser(prog="python -m bench.one_call", description=(__doc__ or "").split("\n\n")[0])
    flags.add_argument("systems", nargs="+", type=named_file, metavar="NAME=FILE", help="predictions of a system")
    flags.add_argument("--start", type=natural, default=0, help="first claim_id")
    flags.add_argument("--end", type=positive, default=100, help="claim_id after the last one")
    flags.add_argument("--json", type=Path, default=RESULTS, help="where to write the rows")
    args = flags.parse_args(argv)
    everyone = read_claims(DEV)
    claims = in_range(everyone, args.start, args.end, DEV)
    check_output(args.json, dict(args.systems), "file of scores")
    rows = [row_of(name, path, claims, len(everyone)) for name, path in args.systems]
    for row in rows:
        print(f"{row.system}: Q+A {row.scores.question_answer:.3f}, accuracy {row.scores.veracity['acc']:.3f}")
    result = Result(args.start, args.end, rows)
    write_whole(args.json, msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n")
    return 0


def named_file(text: str) -> tuple[str, Path]:
    """Return name and path of `NAME=FILE`."""
    name, is_given, path = text.partition("=")
    if not is_given:
        raise argparse.ArgumentTypeError(f"{text} is not NAME=FILE")
    return name, Path(path)


def row_of(system: str, path: Path, claims: Sequence[Claim], known: int) -> Row:
    """Return the row of a system. `known`: number of claims in the file of which `claims` are a part."""
    if not path.exists():
        raise InputError("no such file", path=path)
    guesses = join(claims, read_guesses(path), path, known=range(known))
    scores = evaluate(labelled(claims, DEV), guesses)
    verdicts = dict(Counter(str(guess.verdict) for guess in guesses))
    manifest = read_manifest(path)
    if manifest is None or manifest.fingerprint.step != STEP:
        return Row(system, scores, verdicts)
    run = manifest.fingerprint
    if (run.first, run.last, run.claims) != (claims[0].claim_id, claims[-1].claim_id, len(claims)):
        raise InputError(f"was made for claims {run.first} to {run.last}; its counts are not those of these", path=path)
    return Row(system, scores, verdicts, manifest.counts, manifest.failures)


if __name__ == "__main__":
    raise SystemExit(main())

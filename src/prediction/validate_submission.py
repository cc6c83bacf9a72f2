"""Step: validate a submission file and report all problems, line by line.

Exit code 0 if the file is valid (warnings are possible), 1 if it has errors, 2 if it cannot be read.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from src.prediction.submission_checks import check_items, read_items
from src.runner.arguments import StepParser, add_range, in_range, step
from src.runner.console import say
from src.runner.manifest import upstream_failures
from src.store import read_bytes, read_claims

MODULE = "src.prediction.validate_submission"


def parser() -> argparse.ArgumentParser:
    lines = (__doc__ or "").split("\n\n")
    flags = StepParser(prog=f"python -m {MODULE}", description=lines[0], epilog=lines[1])
    flags.add_argument("file", type=Path, help="a JSON list or JSON lines of predictions")
    flags.add_argument("--label_file", type=Path, default=Path("data/dev.json"), help="claims of the split")
    flags.add_argument("--quiet", action="store_true", help="print the closing line only")
    add_range(flags)
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    claims = in_range(read_claims(args.label_file), args.start, args.end, args.label_file)
    items = read_items(read_bytes(args.file), args.file)
    problems = list(check_items(items, {claim.claim_id: claim.claim for claim in claims}))
    for problem in problems:
        say(str(problem), quiet=args.quiet)
    for line in upstream_failures([args.file]):
        say(f"warning: {line}")
    errors = sum(problem.error for problem in problems)
    warnings = len(problems) - errors
    verdict = "not valid" if errors else "valid"
    say(f"{verdict}: {len(items)} claims, {errors} errors, {warnings} warnings in {args.file}")
    return 1 if errors else 0


if __name__ == "__main__":
    raise SystemExit(main())

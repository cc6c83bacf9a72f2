"""A step for tests: each claim in capitals. Runs as a program too: `python -m tests.runner.letters_step`.

Tests replace `work` to make it fail. LETTERS_SECONDS makes every claim take that long.
"""

import argparse
import os
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from src.records import Claim
from src.runner.arguments import add_range, in_range, step, step_parser
from src.runner.job import Engine, Job, run
from src.runner.outcome import Outcome
from src.store import read_claims

MODULE = "tests.runner.letters_step"
SECONDS = float(os.environ.get("LETTERS_SECONDS", "0"))


class Capitals(msgspec.Struct):
    claim_id: int
    text: str


def work(claims: Sequence[Claim]) -> list[Outcome[Capitals]]:
    time.sleep(SECONDS * len(claims))
    return [Outcome(Capitals(claim.claim_id, claim.claim.upper()), {"letters": len(claim.claim)}) for claim in claims]


def _work(claims: Sequence[Claim]) -> list[Outcome[Capitals]]:
    return work(claims)


def _no_letters(claim: Claim) -> Capitals:
    return Capitals(claim.claim_id, "")


def parser() -> argparse.ArgumentParser:
    flags = step_parser(__doc__, MODULE)
    flags.add_argument("-c", "--claim_file", type=Path, required=True)
    flags.add_argument("-o", "--output", required=True)
    flags.add_argument("--model", default="pencil")
    flags.add_argument("--colour", default="black")
    flags.add_argument("--as_list", action="store_true")
    flags.add_argument("--batch", type=int, default=1)
    flags.add_argument("--workers", type=int, default=1)
    add_range(flags)
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    return run(
        Job(
            step=MODULE,
            settings=args,
            claims=in_range(read_claims(args.claim_file), args.start, args.end),
            inputs={"claim_file": args.claim_file},
            start=lambda: Engine(work=_work, model={"name": args.model}),
            without_result=_no_letters,
            as_list=args.as_list,
            batch=args.batch,
            workers=args.workers,
        )
    )


if __name__ == "__main__":
    raise SystemExit(main())

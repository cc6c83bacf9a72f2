"""A step for tests: writes each claim in capitals. Also a program: `python -m tests.runner.letters_step`.

Tests replace `work` to make it fail. The environment variable LETTERS_SECONDS is the time that each claim takes.
"""

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from src.records import Claim
from src.runner.claim_range import ClaimJobSettings, in_range
from src.runner.engine import Engine
from src.runner.job import Job, run
from src.runner.outcome import Outcome
from src.runner.sharding import in_shard, input_file
from src.runner.step import step
from src.settings import Flag
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


class LettersSettings(ClaimJobSettings, frozen=True, kw_only=True):
    claim_file: Annotated[Path, Flag("claims", "-c")]
    output: Annotated[Path, Flag("capitals", "-o")]
    model: Annotated[str, Flag("who writes")] = "pencil"
    colour: Annotated[str, Flag("of the letters")] = "black"
    as_list: Annotated[bool, Flag("one JSON list")] = False
    batch: Annotated[int, Flag("claims at once")] = 1
    workers: Annotated[int, Flag("processes")] = 1


@step(LettersSettings)
def main(settings: LettersSettings) -> int:
    source = input_file(settings.claim_file, "people", settings.range)
    everyone = read_claims(source)
    settings = in_shard(settings, everyone, source)
    claims = in_range(everyone, settings.range.start, settings.range.end)
    return run(
        Job(
            step=MODULE,
            settings=settings,
            claims=claims,
            inputs={"claim_file": source},
            start=lambda: Engine(work=_work, model={"name": settings.model}),
            without_result=_no_letters,
            as_list=settings.as_list,
            batch=settings.batch,
            workers=settings.workers,
        )
    )


if __name__ == "__main__":
    raise SystemExit(main())

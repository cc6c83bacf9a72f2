"""A step for tests on a Ray cluster: writes each claim in capitals, and obeys some of them.

A claim `kill` ends its worker every time, `once NAME` the first time (a file in MARKS says so); `fail` raises an error,
`fatal` one that ends the run, `memory` fills the memory. DIES_AT_START in the environment ends workers as they start.
"""

import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from src.errors import InputError
from src.records import Claim
from src.runner.claim_range import in_range
from src.runner.engine import Engine
from src.runner.job import Job, run
from src.runner.outcome import Outcome
from src.runner.step import step
from src.settings import Flag
from src.store import read_claims
from tests.runner.letters_step import Capitals, LettersSettings

MODULE = "tests.runner.cluster_step"


class ClusterStepSettings(LettersSettings, frozen=True, kw_only=True):
    has_model: Annotated[bool, Flag("in actors")] = False
    marks: Annotated[Path, Flag("folder of what happened once")] = Path("marks")
    seconds: Annotated[float, Flag("that each claim takes")] = 0.0
    log: Annotated[Path | None, Flag("file with claim, seconds of the node and process of each claim, a line each")] = (
        None
    )


class Obedient:
    """The work of the step."""

    def __init__(self, settings: ClusterStepSettings) -> None:
        self._settings = settings

    def __call__(self, claims: Sequence[Claim]) -> list[Outcome[Capitals]]:
        return [self._one(claim) for claim in claims]

    def _one(self, claim: Claim) -> Outcome[Capitals]:
        if self._settings.log is not None:
            with self._settings.log.open("a") as log:
                log.write(f"{claim.claim_id} {os.environ.get('SLOW_NODE', '0')} {os.getpid()}\n")
        time.sleep(self._settings.seconds + float(os.environ.get("SLOW_NODE", "0")))
        word, _, rest = claim.claim.partition(" ")
        if word == "kill" or (word == "once" and self._is_first(rest)):
            os.kill(os.getpid(), signal.SIGKILL)
        if word == "fail":
            raise ValueError("as asked")
        if word == "fatal":
            raise InputError("cannot go on")
        if word == "memory":
            filled = [b"x" * 2**26 for _ in range(int(rest))]
            time.sleep(60)
            del filled
        return Outcome(Capitals(claim.claim_id, claim.claim.upper()), {"letters": len(claim.claim)})

    def _is_first(self, name: str) -> bool:
        try:
            (self._settings.marks / name).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True


def _started(settings: ClusterStepSettings) -> Engine[Claim, Capitals]:
    if os.environ.get("DIES_AT_START"):
        os.kill(os.getpid(), signal.SIGKILL)
    return Engine(work=Obedient(settings), model={"name": settings.model})


@step(ClusterStepSettings)
def main(settings: ClusterStepSettings) -> int:
    claims = in_range(read_claims(settings.claim_file), settings.range.start, settings.range.end)
    return run(
        Job(
            step=MODULE,
            settings=settings,
            claims=claims,
            inputs={"claim_file": settings.claim_file},
            start=lambda: _started(settings),
            without_result=lambda claim: Capitals(claim.claim_id, ""),
            batch=settings.batch,
            on_cluster="actors" if settings.has_model else "tasks",
        )
    )


if __name__ == "__main__":
    raise SystemExit(main())

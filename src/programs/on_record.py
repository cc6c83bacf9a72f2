"""Execution of programs from files of answers alone, without a model."""

from collections.abc import Sequence
from pathlib import Path

from src.programs.answerers.known_answers import KnownFirst
from src.programs.answerers.missing import missing, write_missing
from src.programs.interpreter import execute
from src.programs.outcomes import executed
from src.programs.records import ClaimPrograms, ClaimTrace
from src.programs.votes import Count, vote
from src.runner.console import how_many
from src.runner.outcome import Outcome

LISTED = 10  # steps without a recorded answer that are printed


class OnRecord:
    """Runner that answers steps only from files, and collects the steps without an answer."""

    def __init__(self, claims: Sequence[ClaimPrograms], answers: KnownFirst, path: Path, count: Count = vote) -> None:
        self._answers, self._path, self._count = answers, path, count
        self._left = {claim.claim_id: claim for claim in claims}

    def work(self, batch: Sequence[ClaimPrograms]) -> list[Outcome[ClaimTrace]]:
        for claim in batch:
            self._left.pop(claim.claim_id, None)
        return executed(batch, self._answers, self._count)

    def list_missing(self) -> list[str]:
        """Write all missing steps to the file, and return messages that name the first of them.

        Claims that an earlier start finished are run once more for this.
        """
        execute(list(self._left.values()), self._answers)
        found = missing(self._answers.missing)
        write_missing(found, self._path)
        named = [f"no recorded answer: {one.function} {one.text}" for one in found[:LISTED]]
        steps = how_many(len(found), "step")
        told = f"without a recorded answer: {steps}, listed in {self._path} to be filled in"
        return [*named, *([told] if found else [])]

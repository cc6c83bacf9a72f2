"""Replacement for the work of the letters step: it records its batches and fails at the claims that a test names."""

from collections.abc import Sequence

import pytest

from src.records import Claim
from src.runner.outcome import Outcome
from tests.runner import letters_step
from tests.runner.letters_step import Capitals, main
from tests.runner.small_world import World


class Worker:
    """Function that replaces the step's work: records the batches, and raises the error planned for a claim."""

    def __init__(self, **planned: BaseException) -> None:
        self.planned = {int(name.removeprefix("at_")): error for name, error in planned.items()}
        self.batches: list[list[int]] = []
        self._work = letters_step.work

    def __call__(self, claims: Sequence[Claim]) -> list[Outcome[Capitals]]:
        self.batches.append([claim.claim_id for claim in claims])
        for claim in claims:
            if claim.claim_id in self.planned:
                raise self.planned[claim.claim_id]
        return self._work(claims)


def go(world: World, *flags: str) -> int:
    return main(["-c", str(world.claims), "-o", str(world.output), "--quiet", *flags])


def go_with(worker: Worker, world: World, *flags: str) -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(letters_step, "work", worker)
        return go(world, *flags)

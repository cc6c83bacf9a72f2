"""Batches in flight: few ahead, lost ones again and alone, and no innocent claim fails with a poisonous one."""

from collections.abc import Iterator, Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.errors import FatalError
from src.runner.cluster.flight import AHEAD, LOSSES, Lost, Trip, fly

Result = list[str]


class Workers:
    """Workers that finish batches in random order.

    A claim named in `poison` ends its worker, with all batches of that worker. `deaths`: workers that end by chance.
    """

    def __init__(self, number: int, seed: int = 0, poison: Sequence[int] = (), deaths: int = 0) -> None:
        self.queues: list[list[Trip[int]]] = [[] for _ in range(number)]
        self.draw, self.poison, self.deaths = Random(seed), set(poison), deaths
        self.computed: list[Sequence[int]] = []

    def send(self, trip: Trip[int]) -> bool:
        most = 1 if trip.losses else AHEAD
        free = [queue for queue in self.queues if len(queue) < most and not any(one.losses for one in queue)]
        if not free:
            return False
        min(free, key=len).append(trip)
        return True

    def landed(self) -> list[tuple[Trip[int], Result | Lost]]:
        queue = self.draw.choice([queue for queue in self.queues if queue])
        first = queue[0]
        dies = self.deaths > 0 and self.draw.random() < 0.3
        if dies or self.poison.intersection(first.batch):
            self.deaths -= dies
            lost: list[tuple[Trip[int], Result | Lost]] = [(trip, Lost("killed")) for trip in queue]
            queue.clear()
            return lost
        self.computed.append(first.batch)
        return [(queue.pop(0), [f"{claim} done" for claim in first.batch])]


def flown(workers: Workers, batches: Sequence[Sequence[int]]) -> list[str]:
    results = fly(workers, batches, lambda claim, reason: [f"{claim} failed: {reason}"])
    return sorted(line for result in results for line in result)


@given(st.integers(1, 5), st.integers(0, 2**16), st.integers(0, 30))
def test_every_claim_once_whatever_the_order(number: int, seed: int, claims: int) -> None:
    batches = [[2 * one, 2 * one + 1] for one in range(claims)]
    workers = Workers(number, seed)
    assert flown(workers, batches) == sorted(f"{one} done" for one in range(2 * claims))
    assert sorted(map(list, workers.computed)) == batches


@given(st.integers(1, 5), st.integers(0, 2**16), st.lists(st.integers(0, 19), min_size=1, max_size=3, unique=True))
def test_a_claim_that_ends_its_worker_fails_alone(number: int, seed: int, poison: list[int]) -> None:
    batches = [[2 * one, 2 * one + 1] for one in range(10)]
    lines = flown(Workers(number, seed, poison), batches)
    failed = {f"{claim} failed: its worker ended {LOSSES} times: killed" for claim in poison}
    assert set(lines) == failed | {f"{claim} done" for claim in range(20) if claim not in poison}
    assert len(lines) == 20


@given(st.integers(1, 5), st.integers(0, 2**16))
def test_three_deaths_by_chance_fail_no_claim_and_split_no_batch(number: int, seed: int) -> None:
    batches = [[2 * one, 2 * one + 1] for one in range(10)]
    workers = Workers(number, seed, deaths=LOSSES - 1)
    assert flown(workers, batches) == sorted(f"{one} done" for one in range(20))
    assert sorted(map(list, workers.computed)) == batches


def test_few_batches_are_taken_ahead_of_the_results() -> None:
    taken = []

    def batches() -> Iterator[list[int]]:
        for number in range(100):
            taken.append(number)
            yield [number]

    for done, _ in enumerate(fly(Workers(3), batches(), lambda claim, reason: []), start=1):
        assert len(taken) <= done + AHEAD * 3 + 1


def test_workers_that_all_end_end_the_run() -> None:
    with pytest.raises(FatalError, match="workers end one after another: killed; what was finished is kept"):
        flown(Workers(2, poison=range(200)), [[one] for one in range(200)])

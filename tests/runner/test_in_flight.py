"""Batches in flight: few ahead, lost ones again and alone, and no innocent claim fails with a poisonous one."""

from collections.abc import Iterator, Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.errors import FatalError
from src.runner.cluster.in_flight import AHEAD, LOSSES, LOSSES_OF_SPLIT, Batch, InFlight, Lost

Result = list[str]


class Workers:
    """Workers that finish batches in random order.

    A claim named in `poison` ends its worker, with all batches of that worker. `deaths`: workers that end by chance.
    """

    def __init__(self, number: int, seed: int = 0, poison: Sequence[int] = (), deaths: int = 0) -> None:
        self.queues: list[list[Batch[int]]] = [[] for _ in range(number)]
        self.draw, self.poison, self.deaths = Random(seed), set(poison), deaths
        self.computed: list[Sequence[int]] = []

    def send(self, batch: Batch[int]) -> bool:
        most = 1 if batch.losses else AHEAD
        free = [queue for queue in self.queues if len(queue) < most and not any(one.losses for one in queue)]
        if not free:
            return False
        min(free, key=len).append(batch)
        return True

    def finished(self) -> list[tuple[Batch[int], Result | Lost]]:
        queue = self.draw.choice([queue for queue in self.queues if queue])
        first = queue[0]
        dies = self.deaths > 0 and self.draw.random() < 0.3
        if dies or self.poison.intersection(first.claims):
            self.deaths -= dies
            lost: list[tuple[Batch[int], Result | Lost]] = [(batch, Lost("killed")) for batch in queue]
            queue.clear()
            return lost
        self.computed.append(first.claims)
        return [(queue.pop(0), [f"{claim} done" for claim in first.claims])]


def in_flight(workers: Workers) -> InFlight[int, Result]:
    return InFlight(workers, lambda claim, reason: [f"{claim} failed: {reason}"])


def results_of(workers: Workers, batches: Sequence[Sequence[int]]) -> list[str]:
    return sorted(line for result in in_flight(workers).results(batches) for line in result or [])


@given(st.integers(1, 5), st.integers(0, 2**16), st.integers(0, 30))
def test_every_claim_once_whatever_the_order(number: int, seed: int, claims: int) -> None:
    batches = [[2 * one, 2 * one + 1] for one in range(claims)]
    workers = Workers(number, seed)
    assert results_of(workers, batches) == sorted(f"{one} done" for one in range(2 * claims))
    assert sorted(map(list, workers.computed)) == batches


@given(st.integers(1, 5), st.integers(0, 2**16), st.lists(st.integers(0, 19), min_size=1, max_size=3, unique=True))
def test_a_claim_that_ends_its_worker_fails_alone(number: int, seed: int, poison: list[int]) -> None:
    batches = [[2 * one, 2 * one + 1] for one in range(10)]
    lines = results_of(Workers(number, seed, poison), batches)
    failed = {f"{claim} failed: its worker ended {LOSSES_OF_SPLIT} times: killed" for claim in poison}
    assert set(lines) == failed | {f"{claim} done" for claim in range(20) if claim not in poison}
    assert len(lines) == 20


@given(st.integers(1, 5), st.integers(0, 2**16))
def test_three_deaths_by_chance_fail_no_claim_and_split_no_batch(number: int, seed: int) -> None:
    batches = [[2 * one, 2 * one + 1] for one in range(10)]
    workers = Workers(number, seed, deaths=LOSSES - 1)
    assert results_of(workers, batches) == sorted(f"{one} done" for one in range(20))
    assert sorted(map(list, workers.computed)) == batches


def test_a_claim_that_was_never_sent_with_others_fails_after_fewer_losses() -> None:
    assert results_of(Workers(2, poison=[1]), [[0], [1]]) == [
        "0 done",
        f"1 failed: its worker ended {LOSSES} times: killed",
    ]


def test_batches_that_are_split_are_counted() -> None:
    whole, split = in_flight(Workers(3)), in_flight(Workers(3, poison=[0, 5]))
    assert list(whole.results([[0, 1], [2, 3]]))
    assert whole.split == 0
    assert list(split.results([[0, 1], [2, 3], [4, 5]]))
    assert split.split == 2


def test_a_while_without_results_is_noticed() -> None:
    class Slow(Workers):
        waits = 3

        def finished(self) -> list[tuple[Batch[int], Result | Lost]]:
            self.waits -= 1
            return [] if self.waits >= 0 else super().finished()

    assert list(in_flight(Slow(1)).results([[7]])) == [None, None, None, ["7 done"]]


def test_few_batches_are_taken_ahead_of_the_results() -> None:
    taken = []

    def batches() -> Iterator[list[int]]:
        for number in range(100):
            taken.append(number)
            yield [number]

    for done, _ in enumerate(in_flight(Workers(3)).results(batches()), start=1):
        assert len(taken) <= done + AHEAD * 3 + 1


def test_workers_that_all_end_end_the_run() -> None:
    with pytest.raises(FatalError, match="workers end one after another: killed; what was finished is kept"):
        results_of(Workers(2, poison=range(200)), [[one] for one in range(200)])

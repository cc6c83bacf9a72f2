"""Hosts take turns, a silent host is given up, and a dead network is told from dead pages."""

import asyncio
from collections import Counter
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.errors import NetworkError
from src.retrieval.scraping.frontier import FEW, HOSTS, IN_A_ROW, CircuitBreaker, Frontier, Task, host_of


def task(host: str, number: int = 0) -> Task:
    return Task(f"http://{host}/{number}", host)


def run_all(tasks: list[Task], per_host: int, workers: int, window: int = 50) -> tuple[list[Task], Counter[str]]:
    """Everything is put and taken; the order, and the most that were in work at once for each host."""
    taken: list[Task] = []
    most: Counter[str] = Counter()

    async def main() -> None:
        frontier = Frontier(per_host, window)
        busy: Counter[str] = Counter()

        async def work() -> None:
            while next_task := await frontier.take():
                taken.append(next_task)
                busy[next_task.host] += 1
                most[next_task.host] = max(most[next_task.host], busy[next_task.host])
                await asyncio.sleep(0)
                busy[next_task.host] -= 1
                frontier.finished(next_task, answered=True)

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(work())
            for one in tasks:
                await frontier.put(one)
            frontier.close()

    asyncio.run(asyncio.wait_for(main(), 10))
    return taken, most


@given(st.lists(st.sampled_from("abcd")), st.integers(1, 3), st.integers(1, 6), st.integers(1, 5))
def test_each_once_and_never_too_many_of_a_host(hosts: list[str], per_host: int, workers: int, window: int) -> None:
    tasks = [task(host, number) for number, host in enumerate(hosts)]
    taken, most = run_all(tasks, per_host, workers, window)
    assert sorted(one.url for one in taken) == sorted(one.url for one in tasks)
    assert all(count <= per_host for count in most.values())


def test_a_busy_host_holds_up_no_other() -> None:
    async def main() -> list[str]:
        frontier = Frontier(1)
        for one in (task("slow", 0), task("slow", 1), task("fast", 0), task("fast", 1)):
            await frontier.put(one)
        frontier.close()
        slow, first = await frontier.take(), await frontier.take()
        assert slow is not None
        assert first is not None
        frontier.finished(first, answered=True)
        second = await frontier.take()
        assert second is not None
        return [slow.url, first.url, second.url]

    assert asyncio.run(main()) == ["http://slow/0", "http://fast/0", "http://fast/1"]


def test_put_waits_while_the_window_is_full() -> None:
    async def main() -> None:
        frontier = Frontier(1, window=1)
        await frontier.put(task("a"))
        waiting = asyncio.create_task(frontier.put(task("b")))
        await asyncio.sleep(0)
        assert not waiting.done()
        await frontier.take()
        await asyncio.wait_for(waiting, 5)

    asyncio.run(main())


def test_strikes_give_a_host_up_unless_it_ever_answered() -> None:
    async def main() -> tuple[bool, bool]:
        frontier = Frontier(10)
        for host in ("dead", "shy"):
            for number in range(4):
                await frontier.put(task(host, number))
        for number in range(8):
            next_task = await frontier.take()
            assert next_task is not None
            frontier.finished(next_task, answered=next_task.host == "shy" and number == 4)
        return frontier.is_given_up("dead"), frontier.is_given_up("shy")

    assert asyncio.run(main()) == (True, False)


def test_no_more_urls_of_a_dead_host_are_tried_than_it_takes_to_give_it_up() -> None:
    async def main() -> list[bool]:
        frontier = Frontier(4)
        for number in range(9):
            await frontier.put(task("dead", number))
        frontier.close()
        busy = [await frontier.take() for _ in range(4)]
        silent = []
        for next_task in busy:  # each gives its place free, but not to a fifth that would wait as long again
            assert next_task is not None
            frontier.finished(next_task, answered=False)
        while next_task := await frontier.take():
            silent.append(frontier.is_given_up(next_task.host))
            frontier.finished(next_task, answered=False)
        return silent

    assert asyncio.run(main()) == [True] * 5


def test_nothing_to_do_ends_at_once() -> None:
    assert run_all([], 1, 3) == ([], Counter())


def test_hosts() -> None:
    assert host_of("http://User:x@Example.COM:80/a") == "example.com:80"
    assert host_of(" https://b.example?x") == "b.example"
    assert host_of("no address") == ""
    assert host_of("http://[::1") == ""


def record_silence(breaker: CircuitBreaker, count: int, hosts: int, began: float, recorded: list[int]) -> None:
    for number in range(count):
        breaker.record(f"host {number % hosts}", False, began, partial(recorded.append, number))


def test_silence_is_held_back_until_someone_answers() -> None:
    breaker, recorded = CircuitBreaker(clock=lambda: 1.0), list[int]()
    record_silence(breaker, IN_A_ROW - 1, HOSTS, 0.5, recorded)
    assert recorded == []
    breaker.record("other", True, 0.5, lambda: recorded.append(-1))
    assert recorded == [*range(IN_A_ROW - 1), -1]


def test_very_many_in_a_row_are_a_dead_network() -> None:
    recorded = list[int]()
    with pytest.raises(NetworkError, match=f"no answer for the last {IN_A_ROW} URLs, on {HOSTS} hosts"):
        record_silence(CircuitBreaker(), IN_A_ROW, HOSTS, 0.5, recorded)
    assert recorded == []


def test_a_few_dead_hosts_are_no_dead_network() -> None:
    breaker, recorded = CircuitBreaker(clock=lambda: 0.1), list[int]()
    breaker.record("good", True, 0.0, lambda: None)
    record_silence(breaker, 3 * IN_A_ROW, HOSTS - 1, 0.5, recorded)
    assert recorded == []
    breaker.end()
    assert len(recorded) == 3 * IN_A_ROW


def test_a_run_in_which_nothing_answered_is_a_dead_network() -> None:
    breaker, recorded = CircuitBreaker(), list[int]()
    record_silence(breaker, FEW, FEW, 0.5, recorded)
    for number in range(30):
        breaker.record("host 0", False, 0.5, partial(recorded.append, number), tried=False)
    with pytest.raises(NetworkError):
        breaker.end()
    assert recorded == []


def test_a_few_dead_pages_alone_are_dead_pages() -> None:
    breaker, recorded = CircuitBreaker(), list[int]()
    record_silence(breaker, 30, FEW - 1, 0.5, recorded)
    breaker.end()
    assert len(recorded) == 30


def test_what_was_not_tried_is_settled_where_others_answered() -> None:
    breaker, recorded = CircuitBreaker(clock=lambda: 0.1), list[int]()
    breaker.record("good", True, 0.0, lambda: None)
    breaker.record("dead", False, 0.5, lambda: recorded.append(1), tried=False)
    assert recorded == [1]


def test_one_dead_archive_is_a_dead_network() -> None:
    with pytest.raises(NetworkError, match="on 1 hosts"):
        record_silence(CircuitBreaker(hosts=1), IN_A_ROW, 1, 0.5, [])


def test_silence_is_what_a_retry_expects() -> None:
    breaker, recorded = CircuitBreaker(may_stop=False), list[int]()
    record_silence(breaker, 3 * IN_A_ROW, 2 * HOSTS, 0.5, recorded)
    breaker.end()
    assert len(recorded) == 3 * IN_A_ROW


def test_what_began_before_the_last_answer_does_not_count() -> None:
    breaker, recorded = CircuitBreaker(clock=lambda: 10.0), list[int]()
    breaker.record("good", True, 9.0, lambda: None)
    record_silence(breaker, 3 * IN_A_ROW, HOSTS, 5.0, recorded)  # the slow ones at the end of a run
    assert len(recorded) == 3 * IN_A_ROW

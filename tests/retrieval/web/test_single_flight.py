"""What is asked once, what is asked again, and what is left when nobody wants it any more."""

import asyncio

import pytest

from src.retrieval.web.failures import FetchFailed
from src.retrieval.web.single_flight import SingleFlight


class Questions:
    """Answers a number with its double; a negative one fails for good, zero for now."""

    def __init__(self) -> None:
        self.requests: list[int] = []
        self.may_answer = asyncio.Event()

    async def __call__(self, number: int) -> int:
        self.requests.append(number)
        await self.may_answer.wait()
        if number <= 0:
            raise FetchFailed("no double", transient=number == 0)
        return 2 * number


def test_a_pending_call_is_shared_even_if_its_first_caller_is_cancelled() -> None:
    async def run() -> list[int]:
        questions = Questions()
        once = SingleFlight(questions, keep=1)
        waiting = [asyncio.create_task(once.answer(number)) for number in (1, 1, 2, 1)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        questions.may_answer.set()
        assert await asyncio.gather(*waiting[1:]) == [2, 4, 2]
        await once.close()
        return questions.requests

    assert asyncio.run(run()) == [1, 2]


@pytest.mark.parametrize(("number", "requests"), [(0, 2), (-1, 1)])
def test_permanent_failures_are_cached(number: int, requests: int) -> None:
    async def run() -> list[int]:
        questions = Questions()
        questions.may_answer.set()
        once = SingleFlight(questions, keep=10)
        for _ in range(2):
            with pytest.raises(FetchFailed, match="no double"):
                await once.answer(number)
        await once.close()
        return questions.requests

    assert asyncio.run(run()) == [number] * requests


def test_nothing_runs_on_after_close() -> None:
    async def run() -> int:
        once = SingleFlight(Questions(), keep=10)
        waiting = asyncio.create_task(once.answer(1))
        await asyncio.sleep(0)
        await once.close()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return len(asyncio.all_tasks())

    assert asyncio.run(run()) == 1


def test_answers_that_weigh_too_much_together_are_dropped_oldest_first() -> None:
    async def run() -> list[int]:
        questions = Questions()
        questions.may_answer.set()
        once = SingleFlight(questions, keep=10, weight=lambda answer: answer, most=10)
        for number in (1, 2, 1, 3, 1, 2, 9, 3):  # 2 is dropped for 3, all for 9, which is too heavy itself
            assert await once.answer(number) == 2 * number
        await once.close()
        return questions.requests

    assert asyncio.run(run()) == [1, 2, 3, 2, 9, 3]

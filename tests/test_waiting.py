"""Waiting that ends at once when the caller cancels the work."""

import asyncio
import threading

import pytest

from src.errors import Cancelled
from src.waiting import waited, while_wanted


async def forever(ended: list[str]) -> None:
    try:
        await asyncio.sleep(3600)
    finally:
        ended.append("ended")


def refuse() -> None:
    raise Cancelled("not wanted")


def test_what_the_work_returns_or_raises() -> None:
    async def failing() -> None:
        raise ValueError("no")

    assert waited(asyncio.sleep(0, "done")) == "done"
    with pytest.raises(ValueError, match="no"):
        waited(failing())


def test_work_that_is_not_wanted_any_more_is_cancelled() -> None:
    ended: list[str] = []
    with while_wanted(refuse), pytest.raises(Cancelled, match="not wanted"):
        waited(forever(ended))
    assert ended == ["ended"]
    assert waited(asyncio.sleep(0, "wanted again")) == "wanted again"


def test_the_check_holds_in_its_own_thread() -> None:
    results: list[str | None] = []
    with while_wanted(refuse):
        thread = threading.Thread(target=lambda: results.append(waited(asyncio.sleep(0.3, "done"))))
        thread.start()
        thread.join()
    assert results == ["done"]

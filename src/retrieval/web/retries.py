"""Retries: when a failed attempt is repeated, and after what pause.

Transient failures are retried after a pause that doubles, with jitter, and is no shorter than the server's Retry-After.
Where the pause would not end before the deadline, the download is given up at once.
"""

import re
import time
from asyncio import sleep
from collections.abc import Awaitable, Callable
from email.utils import parsedate_to_datetime
from typing import TypeVar

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    stop_before_delay,
    wait_exponential_jitter,
)

from src.retrieval.web.failures import FetchFailed
from src.retrieval.web.limits import Limits

T = TypeVar("T")


async def with_retries(limits: Limits, attempt: Callable[[], Awaitable[T]]) -> T:
    """Return the result of the first successful attempt. Raises the last attempt's FetchFailed, any other error at
    once.
    """
    doubling = wait_exponential_jitter(max=limits.deadline, jitter=limits.backoff, multiplier=limits.backoff)

    def pause(state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome is not None else None
        asked = error.retry_after if isinstance(error, FetchFailed) else None
        return max(asked or 0.0, doubling(state))

    retrying = AsyncRetrying(
        sleep=sleep,
        retry=retry_if_exception(_is_worth_it),
        wait=pause,
        stop=stop_after_attempt(limits.attempts) | stop_before_delay(limits.deadline),
        reraise=True,
    )

    async def once() -> T:
        return await attempt()

    result: T = await retrying(once)
    return result


def _is_worth_it(error: BaseException) -> bool:
    return isinstance(error, FetchFailed) and error.retry


def seconds_to_wait(header: str) -> float | None:
    """Return the seconds from now of a Retry-After header, a number or a date; None where it is neither."""
    header = header.strip()
    if re.fullmatch(r"[0-9]{1,9}", header):
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (ValueError, OverflowError, OSError):
        return None

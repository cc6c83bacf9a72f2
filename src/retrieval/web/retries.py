"""Retries and pauses: when a failed attempt is repeated, after what pause, and which servers asked for one.

Transient failures are retried after a pause that doubles, with jitter, and is no shorter than the server's Retry-After.
Where the pause would not end before the deadline, the download is given up at once. A pause that a server asks for,
with Retry-After on a 429 or 503, holds for all requests to its origin.

Limitations: requests that were under way when the pause began are not canceled.
"""

import re
import time
from asyncio import sleep
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import monotonic
from typing import TypeVar

import aiohttp
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    stop_before_delay,
    wait_exponential_jitter,
)
from yarl import URL

from src.retrieval.web.download import Limits
from src.retrieval.web.failures import FetchFailed

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


BUSY = {429, 503}  # statuses with a meaning of Retry-After


class NotAsked(FetchFailed):
    """Raised when the server's pause ends after the deadline; no request was sent."""


@dataclass(frozen=True, slots=True)
class Pause:
    until: float
    asked_by: str


class Pauses:
    """The pauses of one run. Expired ones are dropped, and beyond `keep` those that end first."""

    def __init__(self, *, keep: int = 10_000) -> None:
        self._keep = keep
        self._pauses: dict[URL, Pause] = {}

    async def over(self, url: URL, deadline: float) -> None:
        """Wait until the URL's origin may be asked.

        Raises NotAsked at once when that is after the deadline (seconds of the monotonic clock).
        """
        origin = url.origin()
        while pause := self._pauses.get(origin):
            left = pause.until - monotonic()
            if left <= 0:
                del self._pauses[origin]
            elif pause.until >= deadline:
                raise NotAsked(f"not asked: {pause.asked_by}", transient=True, retry=False)
            else:
                await sleep(left)

    def heed(self, response: aiohttp.ClientResponse) -> None:
        """Record the pause that a response asks for."""
        asked = pause_asked(response)
        if asked:
            self.begin(response.url, asked, busy(response.status, asked))

    def begin(self, url: URL, seconds: float, asked_by: str) -> None:
        """Begin a pause of the URL's origin, in seconds; a longer pause stays in force."""
        origin, until = url.origin(), monotonic() + seconds
        known = self._pauses.get(origin)
        if known is None or known.until < until:
            self._pauses[origin] = Pause(until, asked_by)
            self._forget()

    def _forget(self) -> None:
        if len(self._pauses) <= self._keep:
            return
        now = monotonic()
        latest_first = sorted(self._pauses.items(), key=lambda item: item[1].until, reverse=True)
        self._pauses = {origin: pause for origin, pause in latest_first[: self._keep] if pause.until > now}


def pause_asked(response: aiohttp.ClientResponse) -> float | None:
    """Return the seconds that a response asks to wait before the next request, None where it asks for no pause."""
    return seconds_to_wait(response.headers.get("Retry-After", "")) if response.status in BUSY else None


def busy(status: int, asked: float) -> str:
    return f"HTTP {status}, Retry-After {asked:.0f} s"

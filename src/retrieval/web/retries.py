"""Retries with exponential backoff, and pauses that servers ask for by Retry-After.

Transient failures are retried after a pause that doubles, with jitter, and is at least the server's Retry-After. If the
pause would end after the deadline, the download fails at once. If a server sends Retry-After with status 429 or 503,
all requests to its origin pause.

Limitations: requests that were already sent when the pause began are not canceled.
"""

import re
import time
from asyncio import sleep
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import monotonic
from typing import NamedTuple, TypeVar

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
from src.retrieval.web.urls import web_url

T = TypeVar("T")
SLACK = 1.0  # seconds by which a pause would otherwise grow each time it is sent


async def with_retries(limits: Limits, attempt: Callable[[], Awaitable[T]]) -> T:
    """Call `attempt` until it succeeds, and return its result.

    Raises the FetchFailed of the last attempt, and any other error at once.
    """
    doubling = wait_exponential_jitter(max=limits.deadline, jitter=limits.backoff, multiplier=limits.backoff)

    def pause(state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome is not None else None
        retry_after = error.retry_after if isinstance(error, FetchFailed) else None
        return max(retry_after or 0.0, doubling(state))

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
    """Return the seconds to wait by a Retry-After header, a number or a date; None if it is neither."""
    header = header.strip()
    if re.fullmatch(r"[0-9]{1,9}", header):
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (ValueError, OverflowError, OSError):
        return None


BUSY = {429, 503}  # statuses for which Retry-After is defined


class NotSent(FetchFailed):
    """Raised without sending a request: the server demanded a pause that ends after the deadline."""


@dataclass(frozen=True, slots=True)
class Pause:
    """A pause of an origin: its end, in seconds of the monotonic clock, and the reason for the log."""

    until: float
    reason: str


class Demand(NamedTuple):
    """A pause as it is sent to another process. `origin`: scheme, host and port. `seconds`: time that is left."""

    origin: str
    seconds: float
    reason: str


class Pauses:
    """Pauses that servers demanded by Retry-After, by origin (scheme, host and port).

    If there are more than `keep` pauses, those that are over or end first are dropped.
    """

    def __init__(self, *, keep: int = 10_000) -> None:
        self._keep = keep
        self._pauses: dict[URL, Pause] = {}

    async def over(self, url: URL, deadline: float) -> None:
        """Wait until the pause of the URL's origin is over; return at once if there is none.

        Raises NotSent at once if the pause ends after the `deadline`, in seconds of the monotonic clock.
        """
        origin = url.origin()
        while pause := self._pauses.get(origin):
            left = pause.until - monotonic()
            if left <= 0:
                del self._pauses[origin]
            elif pause.until >= deadline:
                raise NotSent(f"not sent: {pause.reason}", transient=True, retry=False)
            else:
                await sleep(left)

    def heed(self, response: aiohttp.ClientResponse) -> None:
        """Begin the pause that a response demands by Retry-After, if any."""
        seconds = retry_after_of(response)
        if seconds:
            self.begin(response.url, seconds, busy(response.status, seconds))

    def begin(self, url: URL, seconds: float, reason: str) -> None:
        """Begin a pause of the URL's origin, unless a pause that ends later is in force.

        `reason` is for the log, such as `HTTP 429, Retry-After 60 s`.
        """
        origin, until = url.origin(), monotonic() + seconds
        known = self._pauses.get(origin)
        if known is None or known.until < until:
            self._pauses[origin] = Pause(until, reason)
            self._forget()

    def demand(self, url: str) -> Demand | None:
        """Return the pause of the URL's origin that is in force; None if there is none, or if the URL is not valid."""
        try:
            origin = web_url(url).origin()
        except FetchFailed:
            return None
        pause = self._pauses.get(origin)
        left = pause.until - monotonic() if pause else 0
        return Demand(str(origin), left, pause.reason) if pause and left > 0 else None

    def obey(self, demand: Demand) -> None:
        """Begin a pause that another process knows, unless it ends at most SLACK seconds after the one in force."""
        origin = URL(demand.origin)
        known = self._pauses.get(origin)
        if known is None or known.until + SLACK < monotonic() + demand.seconds:
            self.begin(origin, demand.seconds, demand.reason)

    def _forget(self) -> None:
        if len(self._pauses) <= self._keep:
            return
        now = monotonic()
        latest_first = sorted(self._pauses.items(), key=lambda item: item[1].until, reverse=True)
        self._pauses = {origin: pause for origin, pause in latest_first[: self._keep] if pause.until > now}


def retry_after_of(response: aiohttp.ClientResponse) -> float | None:
    """Return the pause that a response demands by Retry-After, in seconds; None if it demands no pause."""
    return seconds_to_wait(response.headers.get("Retry-After", "")) if response.status in BUSY else None


def busy(status: int, retry_after: float) -> str:
    """Return the reason for the log when a server demands a pause: `HTTP 429, Retry-After 60 s`."""
    return f"HTTP {status}, Retry-After {retry_after:.0f} s"

"""Pauses that servers ask for, with Retry-After on a 429 or 503: the end of the pause of each origin.

Limitations: requests that were under way when the pause began are not canceled.
"""

from asyncio import sleep
from dataclasses import dataclass
from time import monotonic

import aiohttp
from yarl import URL

from src.retrieval.web.failures import FetchFailed
from src.retrieval.web.retries import seconds_to_wait

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

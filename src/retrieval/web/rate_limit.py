"""Servers that asked to be left alone, with Retry-After on a 429 or 503: until when, for each origin.

But: what was on its way to the server when it asked for the pause is not called back.
"""

from asyncio import sleep
from dataclasses import dataclass
from time import monotonic

import aiohttp
from yarl import URL

from src.retrieval.web.failures import FetchFailed
from src.retrieval.web.retries import seconds_to_wait

BUSY = {429, 503}  # Retry-After means something


class NotAsked(FetchFailed):
    """The server's pause is longer than the time there is: no request was sent."""


@dataclass(frozen=True, slots=True)
class Pause:
    until: float
    asked_by: str


class Pauses:
    """The pauses of one run. Past ones are forgotten, and beyond `keep` those that end first."""

    def __init__(self, *, keep: int = 10_000) -> None:
        self._keep = keep
        self._pauses: dict[URL, Pause] = {}

    async def over(self, url: URL, deadline: float) -> None:
        """Waits until the URL's origin may be asked; raises NotAsked at once when that is after the deadline.

        The deadline is in seconds of the monotonic clock.
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
        """Takes note of the pause that an answer asks for."""
        asked = pause_asked(response)
        if asked:
            self.begin(response.url, asked, busy(response.status, asked))

    def begin(self, url: URL, seconds: float, asked_by: str) -> None:
        """The URL's origin is left alone for so long; a longer pause goes on."""
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
    """The seconds that an answer asks to wait before the next request, None where it does not."""
    return seconds_to_wait(response.headers.get("Retry-After", "")) if response.status in BUSY else None


def busy(status: int, asked: float) -> str:
    return f"HTTP {status}, Retry-After {asked:.0f} s"

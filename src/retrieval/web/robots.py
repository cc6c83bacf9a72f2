"""robots.txt, as RFC 9309 says: asked for once per origin in a run, shared by all who wait for it.

A robots.txt that is not there (4xx, redirects that lead nowhere) allows everything, one that cannot be reached (5xx, no
connection) nothing.

But: no Crawl-delay, which the standard does not know; the caller bounds what goes to one host at once. The rules of
the last `keep` origins are kept.
"""

import asyncio
import time
from collections.abc import Awaitable
from contextlib import aclosing
from dataclasses import replace

import aiohttp
from protego import Protego
from yarl import URL

from src.retrieval.web.asked_once import AskedOnce
from src.retrieval.web.bodies import body_of
from src.retrieval.web.failures import FetchFailed, as_failures
from src.retrieval.web.limits import Limits
from src.retrieval.web.pauses import Pauses, pause_asked
from src.retrieval.web.redirects import LostRedirect, Trail, follow
from src.retrieval.web.retries import with_retries

SIZE = 500 * 1024  # what the standard asks to be read at least; the rest is not looked at
REDIRECTS = 5  # followed, as the standard says


class Robots:
    """The rules of the origins of one run."""

    def __init__(self, session: aiohttp.ClientSession, limits: Limits, pauses: Pauses, *, keep: int = 5000) -> None:
        self._session = session
        self._limits = replace(limits, max_redirects=REDIRECTS)
        self._pauses = pauses
        self._name = limits.user_agent.partition("/")[0]
        self._origins = AskedOnce(self._rules, keep)

    async def allow(self, url: URL) -> None:
        """Raises FetchFailed when the URL's origin does not allow it, or does not say."""
        rules = await self._origins.answer(url.origin())
        if not rules.can_fetch(str(url), self._name):
            raise FetchFailed("refused by robots.txt")

    async def close(self) -> None:
        await self._origins.close()

    async def _rules(self, origin: URL) -> Protego:
        deadline = time.monotonic() + self._limits.deadline
        try:
            async with asyncio.timeout(self._limits.deadline):
                text = await with_retries(self._limits, lambda: self._text(origin / "robots.txt", deadline))
        except LostRedirect:
            text = ""
        except TimeoutError:
            raise FetchFailed("robots.txt unreachable: timeout", transient=True, retry=False) from None
        except FetchFailed as failure:
            reason = f"robots.txt unreachable: {failure.reason}"
            raise FetchFailed(reason, transient=failure.transient, retry=False) from None
        return await asyncio.to_thread(Protego.parse, text)  # half a second for the largest

    async def _text(self, url: URL, deadline: float) -> str:
        def allow(hop: URL) -> Awaitable[None]:
            return self._pauses.over(hop, deadline)

        with as_failures():
            async with await follow(self._session, url, Trail(), self._limits.max_redirects, allow) as response:
                self._pauses.heed(response)
                if response.status >= 500:
                    raise FetchFailed(f"HTTP {response.status}", transient=True, retry_after=pause_asked(response))
                return await _beginning(response) if response.status == 200 else ""


async def _beginning(response: aiohttp.ClientResponse) -> str:
    text = b""
    async with aclosing(body_of(response, 2**63)) as pieces:
        async for piece in pieces:
            text += piece
            if len(text) > SIZE:
                break
    return text[:SIZE].decode("utf-8-sig", "replace")

"""robots.txt by RFC 9309: fetched once per origin and run, for all requests to the origin.

A robots.txt that does not exist (4xx, redirects that lead nowhere) allows everything. One that cannot be reached (5xx,
no connection) allows nothing.

Limitations: Crawl-delay is ignored, since it is not in the standard; the caller limits concurrent requests to one host.
The rules of the last `keep` origins are cached, or fewer if they need more than about `most_bytes` of memory. Only the
first `MOST_RULES` lines of at most `LONGEST` characters are read, and only the first `LONGEST` characters of a URL are
matched. Parsing and matching run in threads, so that they do not block downloads.
"""

import asyncio
import re
import time
from collections.abc import Awaitable
from contextlib import aclosing
from dataclasses import dataclass, replace

import aiohttp
from protego import Protego
from yarl import URL

from src.retrieval.web.bodies import body_of
from src.retrieval.web.download import Limits
from src.retrieval.web.failures import FetchFailed, as_failures
from src.retrieval.web.retries import Pauses, retry_after_of, with_retries
from src.retrieval.web.single_flight import SingleFlight
from src.retrieval.web.urls import LostRedirect, Trail, follow

SIZE = 500 * 1024  # bytes of robots.txt that are read: the minimum of the standard
REDIRECTS = 5  # followed, as in the standard
MOST_RULES = 10_000  # lines of robots.txt that are read; large sites have hundreds
LONGEST = 2000  # characters of a rule, and of a URL that is matched
MOST_BYTES = 256_000_000  # memory for all origins, estimated
OTHER = "\N{EMPTY SET}"  # name for all other user agents; ours is ASCII
_AGENT = re.compile(r"user(?:-|\s*)agent\s*[:\s]\s*(.*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rules:
    """The robots.txt rules of an origin, `parsed`, and their approximate size in memory in bytes, `weight`."""

    parsed: Protego
    weight: int


class Robots:
    """Cache of the robots.txt rules of all origins in one run: `await robots.allow(url)` before a request."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        limits: Limits,
        pauses: Pauses,
        *,
        keep: int = 5000,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._session = session
        self._limits = replace(limits, max_redirects=REDIRECTS)
        self._pauses = pauses
        self._name = limits.user_agent.partition("/")[0]
        self._origins = SingleFlight(self._rules, keep, lambda rules: rules.weight, most_bytes)

    async def allow(self, url: URL) -> None:
        """Raise FetchFailed if robots.txt of the URL's origin forbids the URL, or cannot be reached."""
        rules = await self._origins.answer(url.origin())
        if not await asyncio.to_thread(rules.parsed.can_fetch, str(url)[:LONGEST], self._name):
            raise FetchFailed("refused by robots.txt")

    async def close(self) -> None:
        await self._origins.close()

    async def _rules(self, origin: URL) -> Rules:
        deadline = time.monotonic() + self._limits.deadline
        try:
            async with asyncio.timeout(self._limits.deadline):
                text = await with_retries(self._limits, lambda: self._text(origin / "robots.txt", deadline))
        except LostRedirect:
            text = b""
        except TimeoutError:
            raise FetchFailed("robots.txt unreachable: timeout", transient=True, retry=False) from None
        except FetchFailed as failure:
            reason = f"robots.txt unreachable: {failure.reason}"
            raise FetchFailed(reason, transient=failure.transient, retry=False) from None
        return await asyncio.to_thread(parse_rules, text, self._name)  # takes seconds for the largest files

    async def _text(self, url: URL, deadline: float) -> bytes:
        def allow(hop: URL) -> Awaitable[None]:
            return self._pauses.over(hop, deadline)

        with as_failures():
            async with await follow(self._session, url, Trail(), self._limits.max_redirects, allow) as response:
                self._pauses.heed(response)
                if response.status >= 500:
                    raise FetchFailed(f"HTTP {response.status}", transient=True, retry_after=retry_after_of(response))
                return await _beginning(response) if response.status == 200 else b""


def parse_rules(text: bytes, name: str) -> Rules:
    """Return the rules of a robots.txt file for the user agent `name`.

    Rules for other user agents have no effect, and are merged into one group to save memory.
    """
    lines = []
    for raw in text.decode("utf-8-sig", "replace").splitlines():
        line = raw.partition("#")[0].strip()
        if line and len(line) <= LONGEST:
            lines.append(_renamed(line, name.lower()))
        if len(lines) == MOST_RULES:
            break
    counted = "\n".join(lines)
    # measured: 12 to 32 bytes of memory for each byte of text, up to 200 for each asterisk
    return Rules(Protego.parse(counted), 32 * len(counted.encode()) + 200 * counted.count("*"))


def _renamed(line: str, name: str) -> str:
    """Return a line of robots.txt with the name of any other user agent than `name` replaced by `OTHER`.

    The parser stores a copy of the rules of a group for each user agent, of which there may be thousands.
    """
    match = _AGENT.fullmatch(line)
    if match is None or match[1] == "*":
        return line
    agent = match[1].replace("*", "").strip().lower()
    return f"User-agent: {agent if agent and agent in name else OTHER}"


async def _beginning(response: aiohttp.ClientResponse) -> bytes:
    text = b""
    async with aclosing(body_of(response, 2**63)) as pieces:
        async for piece in pieces:
            text += piece
            if len(text) > SIZE:
                break
    return text[:SIZE]

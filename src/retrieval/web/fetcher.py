"""Download of URLs to files. A failure is no exception, but a `reason` in the result.

A download succeeds if the status is 200 (or 203) and the body is complete and not empty. Otherwise, from a malformed
URL to a very slow server, `fetch` returns a Download with a reason before the deadline. Retry-After is obeyed for all
URLs of its server. The number of concurrent downloads is limited by the number of open files.

Limitations: the caller limits concurrent downloads per host. An error page with status 200 counts as a page. The file
contains the bytes of the page; its type, charset and text are determined by the reader.
"""

import asyncio
import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

import aiohttp
from yarl import URL

from src.retrieval.web.bodies import BodyFile, body_of
from src.retrieval.web.download import USER_AGENT, Download, Limits
from src.retrieval.web.failures import FetchFailed, as_failures
from src.retrieval.web.retries import NotSent, Pauses, busy, retry_after_of, with_retries
from src.retrieval.web.robots import Robots
from src.retrieval.web.session import open_session
from src.retrieval.web.ssrf_guard import Address, DnsCache, Refusal, Resolve, SsrfGuard, not_public
from src.retrieval.web.urls import Allow, Trail, follow, web_url

__all__ = ["USER_AGENT", "Fetcher", "Limits"]

GOOD = {200, 203}


class Fetcher:
    """Downloader with a connection pool: `async with Fetcher(limits) as fetcher: await fetcher.fetch(url, path)`.

    `limits`: limits on time and size.
    `resolve`: replaces the system's DNS resolver.
    `refusal`: replaces the check that an IP address is public.
    `pauses` (attribute): pauses that servers demanded.
    """

    def __init__(
        self, limits: Limits | None = None, resolve: Resolve | None = None, refusal: Refusal = not_public
    ) -> None:
        self.pauses = Pauses()
        self._limits = limits or Limits()
        self._resolve = resolve
        self._refusal = _nothing_wrong if self._limits.allow_private else refusal

    async def __aenter__(self) -> Self:
        self._places = asyncio.Semaphore(self._limits.at_once)
        names = DnsCache(self._resolve, threads=min(64, self._limits.at_once))
        self._guard = SsrfGuard(names, self._refusal)
        self._session = open_session(self._limits, self._guard)
        self._robots = Robots(self._session, self._limits, self.pauses)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._robots.close()
        await self._session.close()
        await self._guard.close()

    async def fetch(self, url: str, path: Path) -> Download:
        """Download the decompressed body of a URL to `path`; return the result, with a reason if there is no body.

        The file is written atomically. Its folder must exist, and no two downloads may use the same path. A download
        waits until the limit of open files allows it to start; only then its deadline begins. Raises OutputError when
        the file cannot be written.
        """
        async with self._places:
            return await self._download(url, path)

    async def _download(self, url: str, path: Path) -> Download:
        began, now = time.monotonic(), datetime.now(UTC)
        allow = partial(self._allow, began + self._limits.deadline)
        trail = Trail()
        body: BodyFile | None = None
        reason, transient = "", False
        try:
            async with asyncio.timeout(self._limits.deadline):
                address = web_url(url)
                body = await with_retries(self._limits, lambda: self._attempt(address, path, trail, allow))
        except FetchFailed as failure:
            reason, transient = failure.reason, failure.transient
        except TimeoutError:
            reason, transient = f"timeout: deadline of {self._limits.deadline:g} s", True
        return Download(
            url=url,
            final_url=str(trail.url or url),
            path=path if body else None,
            status=trail.status,
            bytes=body.bytes if body else 0,
            sha256=body.sha256 if body else "",
            content_type=trail.content_type,
            redirects=trail.redirects,
            attempts=trail.attempts,
            seconds=round(time.monotonic() - began, 3),
            fetched_at=now.isoformat(timespec="seconds"),
            reason=reason,
            transient=transient,
        )

    async def _attempt(self, url: URL, path: Path, trail: Trail, allow: Allow) -> BodyFile:
        trail.attempts += 1
        with as_failures():
            try:
                response = await follow(self._session, url, trail, self._limits.max_redirects, allow)
            except NotSent:
                trail.attempts -= trail.redirects == 0
                raise
            except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError):
                self._guard.forget((trail.url or url).raw_host or "")
                raise
            async with response:
                self.pauses.heed(response)
                _refuse_other_than_good(response)
                with BodyFile(path) as file:
                    async for piece in body_of(response, self._limits.max_bytes):
                        file.write(piece)
                    file.keep()
                return file

    async def _allow(self, deadline: float, url: URL) -> None:
        """Wait until the URL may be requested. Raises FetchFailed if robots.txt forbids it or the pause is too long."""
        if self._limits.robots:
            await self._robots.allow(url)
        await self.pauses.over(url, deadline)


def _refuse_other_than_good(response: aiohttp.ClientResponse) -> None:
    status = response.status
    if status in GOOD:
        return
    retry_after = retry_after_of(response)
    reason = f"HTTP {status}" if retry_after is None else busy(status, retry_after)
    raise FetchFailed(reason, transient=status == 429 or status >= 500, retry_after=retry_after)


def _nothing_wrong(address: Address) -> str:
    return ""

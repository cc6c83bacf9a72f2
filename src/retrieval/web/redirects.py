"""Redirects: followed one hop at a time, each counted and checked.

Limitations: redirects by the page itself (meta refresh, scripts) are not followed.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import aiohttp
from yarl import URL

from src.retrieval.web.failures import FetchFailed
from src.retrieval.web.urls import web_url
from src.store import storable

Allow = Callable[[URL], Awaitable[None]]

REDIRECTS = {301, 302, 303, 307, 308}


class LostRedirect(FetchFailed):
    """Raised for a redirect loop, too many redirects, or a redirect to something that is no web address."""


@dataclass
class Trail:
    """Progress of a download, for the log, whether it succeeds or not."""

    url: URL | None = None
    status: int | None = None
    content_type: str = ""
    redirects: int = 0
    attempts: int = 0


async def follow(
    session: aiohttp.ClientSession, url: URL, trail: Trail, max_redirects: int, allow: Allow
) -> aiohttp.ClientResponse:
    """Return the first response that is no redirect, its body not yet read. Raises FetchFailed, and the errors of
    aiohttp.

    `allow` is awaited before each request, and raises FetchFailed for a URL that must not be requested.
    """
    trail.redirects = 0
    seen = {url}
    while True:
        trail.url = url
        await allow(url)
        response = await session.get(url, allow_redirects=False)
        trail.status = response.status
        trail.content_type = storable(response.headers.get("Content-Type", ""))
        location = storable(response.headers.get("Location", ""))
        if response.status not in REDIRECTS or not location:
            return response
        response.release()
        url = _next(location, url)
        trail.redirects += 1
        if url in seen:
            raise LostRedirect("redirect loop")
        if trail.redirects > max_redirects:
            raise LostRedirect(f"too many redirects: more than {max_redirects}")
        seen.add(url)


def _next(location: str, base: URL) -> URL:
    try:
        return web_url(location, base)
    except FetchFailed as failure:
        raise LostRedirect(failure.reason) from None

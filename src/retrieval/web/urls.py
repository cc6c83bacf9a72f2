"""Normalization of URLs before a request, and requests that follow redirects hop by hop.

White space around the URL is stripped; tabs and line breaks inside are dropped. Hosts are converted to ASCII (IDNA),
numeric hosts to dotted form. Characters that a request must not contain are percent-encoded; existing percent-encodings
and all other legal characters stay. Fragments, user names and passwords are never sent.

Limitations: no scheme is guessed, and `/../` is resolved in redirects only. Redirects by the page itself (meta refresh,
scripts) are not followed.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

import aiohttp
from yarl import URL

from src.retrieval.web.failures import FetchFailed
from src.retrieval.web.ssrf_guard import literal
from src.store import storable

PORTS = {"http": 80, "https": 443}

_LEGAL = "!$%&'()*+,/:;=?@[]|~"  # beside letters, digits and -._
_NAME = re.compile(r"(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}\.?")
_AROUND = "".join(map(chr, range(0x21)))


def web_url(text: str, base: URL | None = None) -> URL:
    """Return the normalized URL to request, resolved against `base` if given. Raises FetchFailed if it is not valid."""
    try:
        text = text.strip(_AROUND)
        parts = urlsplit(urljoin(str(base), text) if base is not None else text)
        _refuse_other_schemes(parts.scheme)
        host, port = _host(parts.hostname or ""), parts.port
    except ValueError as error:
        raise FetchFailed(f"not a web address: {_short(str(error))}") from None
    place = host if port in (None, PORTS[parts.scheme]) else f"{host}:{port}"
    query = f"?{_quoted(parts.query)}" if parts.query else ""
    return URL(f"{parts.scheme}://{place}{_quoted(parts.path) or '/'}{query}", encoded=True)


def _refuse_other_schemes(scheme: str) -> None:
    if scheme not in PORTS:
        raise ValueError(scheme or "no scheme")


def _host(host: str) -> str:
    """Return the host in lower case and in ASCII. Raises ValueError for an invalid host."""
    if not host:
        raise ValueError("no host")
    if not host.isascii():
        host = URL.build(scheme="http", host=host).raw_host or ""
    address = literal(host)
    if address is not None:
        return f"[{address}]" if address.version == 6 else str(address)
    if len(host) > 254 or not _NAME.fullmatch(host):
        raise ValueError(f"host {host}")
    return host


def _quoted(text: str) -> str:
    try:
        return quote(text, safe=_LEGAL, errors="surrogateescape")  # headers hold undecodable bytes as surrogates
    except UnicodeEncodeError:
        return quote(text, safe=_LEGAL, errors="surrogatepass")


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."


Allow = Callable[[URL], Awaitable[None]]

REDIRECTS = {301, 302, 303, 307, 308}


class LostRedirect(FetchFailed):
    """Raised for a redirect loop, too many redirects, or a redirect to an invalid URL."""


@dataclass
class Trail:
    """State of a download, updated as it proceeds, for the log.

    `url`: URL of the last request.
    `status`: last HTTP status, or None.
    `content_type`: last Content-Type header.
    `redirects`: number of redirects of the last attempt.
    `attempts`: number of attempts.
    """

    url: URL | None = None
    status: int | None = None
    content_type: str = ""
    redirects: int = 0
    attempts: int = 0


async def follow(
    session: aiohttp.ClientSession, url: URL, trail: Trail, max_redirects: int, allow: Allow
) -> aiohttp.ClientResponse:
    """Request a URL, follow redirects, and return the first response that is no redirect, with its body unread.

    `trail`: updated with each response.
    `allow`: awaited before each request; raises FetchFailed for a URL that must not be requested.

    Raises FetchFailed when a redirect cannot be followed, and the errors of aiohttp.
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

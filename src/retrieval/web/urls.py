"""Normalization of URLs, as people and pages write them, for a request.

White space around the URL is stripped; tabs and line breaks inside are dropped. Hosts are converted to ASCII (IDNA),
numeric hosts to dotted form. Characters that a request must not contain are percent-encoded; existing percent-encodings
and all other legal characters stay. Fragments, user names and passwords are never sent.

Limitations: no scheme is guessed, and `/../` is resolved in redirects only.
"""

import re
from urllib.parse import quote, urljoin, urlsplit

from yarl import URL

from src.retrieval.web.addresses import literal
from src.retrieval.web.failures import FetchFailed

PORTS = {"http": 80, "https": 443}

_LEGAL = "!$%&'()*+,/:;=?@[]|~"  # beside letters, digits and -._
_NAME = re.compile(r"(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}\.?")
_AROUND = "".join(map(chr, range(0x21)))


def web_url(text: str, base: URL | None = None) -> URL:
    """Return the URL to request, joined to `base` if given. Raises FetchFailed for text that is no web URL."""
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

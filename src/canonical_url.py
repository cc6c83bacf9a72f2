"""Canonical URLs: a page has the same canonical URL as its archived, cached and mobile copies.

Ignored: scheme, user name, the scheme's default port, `www.`, `m.` and `amp.` before the host, case of the host,
percent-encoding, doubled and final slashes, `amp` in the path, fragment, and tracking parameters. Replaced by the URL
that they contain: URLs of the Internet Archive, archive.today, the caches of Google and AMP, Google Translate, and
links that only redirect.

Limitations: makes no requests. Shortened links, perma.cc and the short names of archive.today are not resolved.
"""

import re
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

MAX_LAYERS = 4  # nested URLs, such as an archived copy of a cached copy
TITLE_HYPHENS = 3

_SCHEME = re.compile(r"(?:[a-z][a-z0-9+.-]*:(?=/))?/+|https?:", re.IGNORECASE)
_EDITION = re.compile(r"(?:www\d?|m|mobile|amp)\.(?=[^.]+\.)")
_TRACKING = re.compile(
    r"utm_\w+|_x_tr_\w+|ns_\w+|(?:fbc|gc|dc|twc|yc|msc|ttc)lid|[gw]braid|mc_[ce]id|igshid|_g[al]|gi|nw|ref|ref_src"
    r"|ref_url|referrer|cmpid|ocid|smid|s_cid|__twitter_impression|amp|outputtype",
    re.IGNORECASE,
)
_INSIDE_PATH = (  # (host, pattern of path and query whose group is the contained URL)
    (r"(?:web\.|wayback\.)?archive\.org", r"/(?:web|save|wayback)/(?:(?:\d{1,14}|\*)\*?(?:[a-z]{2}_)?/)?(.+)"),
    (r"archive\.(?:is|ph|today|md|vn|fo|li)", r"/(?:(?:\d{4}[\d.-]*|newest|oldest)/)?((?:https?(?::|%3a)|www\.).+)"),
    (r".+\.cdn\.ampproject\.org", r"/[a-z]{1,3}/(?:s/)?(.+)"),
    (r"(?:google|bing)\.[a-z.]{2,6}", r"/amp/(?:s/)?(.+)"),
)
_INSIDE_PARAMETER = (  # (host, parameter, pattern of its value whose group is the contained URL)
    (r"webcache\.googleusercontent\.com", r"q", r"cache:(?:[\w-]{12}:)?(\S+)"),
    (r"google\.[a-z.]{2,6}|translate\.google\.[a-z.]{2,6}|l\.facebook\.com", r"q|u|url", r"(https?:.+)"),
    (r"archive\.(?:is|ph|today|md|vn|fo|li)", r"url", r"(.+)"),
)
_TRANSLATED = ".translate.goog"


class PageAddress(NamedTuple):
    """Canonical form of a URL.

    `server`: host in ASCII, with its `www.` or `m.`; with the port, unless it is 80 or 443.
    `host`: `server` without `www.`, `m.`, `mobile.` and `amp.`.
    `path`: decoded path without slashes at its ends.
    `parameters`: `name=value` of the query, without tracking parameters.
    """

    server: str
    host: str
    path: str
    parameters: frozenset[str]

    def __str__(self) -> str:
        return f"{self.host}/{self.path}{'?' * bool(self.parameters)}{'&'.join(sorted(self.parameters))}"

    def leads_to(self, page: "PageAddress") -> bool:
        """Return True if `page` has the same host and path, and all parameters of this URL.

        Further parameters of `page` are allowed, except on a home page (empty path).
        """
        if (self.host, self.path) != (page.host, page.path):
            return False
        return self.parameters <= page.parameters if self.path else self.parameters == page.parameters

    def is_article(self, page: "PageAddress") -> bool:
        """Return True if `page` is the same article: `leads_to(page)`, or the same title in another folder.

        Some sites put an article in several folders. The last path segment must then be the same and have at least
        four words. The folders of one URL must include those of the other. This excludes a weekly column, which has
        the same title each week, but another date in the path.
        """
        ours, theirs = self.path.split("/"), page.path.split("/")
        if self.host != page.host or ours[-1] != theirs[-1] or ours[-1].count("-") < TITLE_HYPHENS:
            return self.leads_to(page)
        return self.parameters <= page.parameters and (set(ours) <= set(theirs) or set(theirs) <= set(ours))


def web_address(text: str) -> str:
    """Return the text without spaces around it if it begins with http:// or https:// in any case, else ""."""
    bare = text.strip()
    return bare if bare.lower().startswith(("http://", "https://")) else ""


def page_addresses(url: str) -> list[PageAddress]:
    """Return the canonical form of `url`, and of the URLs in it if it is that of an archive or cache.

    The innermost URL is last. The list is empty if `url` is not a URL.
    """
    addresses: list[PageAddress] = []
    inside: str | None = url
    while inside and len(addresses) < MAX_LAYERS:
        parts = _split(inside)
        if parts is None:
            break
        addresses.append(_address(parts))
        inside = _inside(addresses[-1].host, parts)
    return addresses


def _split(url: str) -> SplitResult | None:
    text = url.strip()
    if re.match(r"https?%3a", text, re.IGNORECASE):
        text = unquote(text)
    try:
        parts = urlsplit(f"http://{_SCHEME.sub('', text, count=1) if _SCHEME.match(text) else text}")
        return parts if parts.hostname and parts.port != 0 else None  # `port` raises ValueError if it is not a number
    except ValueError:
        return None


def _address(parts: SplitResult) -> PageAddress:
    server = _ascii((parts.hostname or "").rstrip("."))
    host = server
    while edition := _EDITION.match(host):
        host = host[edition.end() :]
    port = "" if parts.port in (None, 80, 443) else f":{parts.port}"
    return PageAddress(f"{server}{port}", f"{host}{port}", _plain_path(parts.path), _content_parameters(parts.query))


def _ascii(host: str) -> str:
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        return host


def _plain_path(path: str) -> str:
    pieces = [piece for piece in unquote(path).split("/") if piece]
    if len(pieces) > 1:
        pieces = pieces[1:] if pieces[0] == "amp" else pieces
    if len(pieces) > 1:
        pieces = pieces[:-1] if pieces[-1] == "amp" else pieces
    return re.sub(r"\.amp(\.html?)?$", r"\1", "/".join(pieces))


def _content_parameters(query: str) -> frozenset[str]:
    pairs = parse_qsl(query, keep_blank_values=True)
    return frozenset(f"{name}={value}" for name, value in pairs if not _TRACKING.fullmatch(name))


def _inside(host: str, parts: SplitResult) -> str | None:
    """Return the URL that a URL of an archive, cache or redirect contains, or None for any other URL."""
    if host.endswith(_TRANSLATED):
        original = host.removesuffix(_TRANSLATED).replace("--", " ").replace("-", ".").replace(" ", "-")
        return f"{original}{parts.path}?{parts.query}"
    rest = f"{parts.path}?{parts.query}" if parts.query else parts.path
    for hosts, begin in _INSIDE_PATH:
        if re.fullmatch(hosts, host) and (match := re.fullmatch(begin, rest, re.IGNORECASE)):
            return match[1]
    for hosts, names, begin in _INSIDE_PARAMETER:
        if re.fullmatch(hosts, host):
            for name, value in parse_qsl(parts.query):
                if re.fullmatch(names, name) and (match := re.match(begin, value)):
                    return match[1]
    return None


def site(url: str) -> str:
    """Return the host of a page; for an archived page, the host of the original. Return `url` if it is not a URL."""
    addresses = page_addresses(url)
    return addresses[-1].host if addresses else url

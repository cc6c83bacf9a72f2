"""The publication date of a page.

In this order: JSON-LD, `<meta>`, `<time>` marked as publication date, the URL. A source with several different dates is
ignored, since it describes other pages too. A wrong date would drop good evidence. So visible text (bylines, footers,
"updated today") is not searched, nor are dates of change or of copyright.

Limitations: many pages have no such date. The date is in the page's own time zone.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import date
from html import unescape
from urllib.parse import urlsplit

from src.retrieval.pages.dates import possible_day, written_day
from src.retrieval.pages.json_ld import objects_in_html, top_level

ARTICLES = re.compile(r"(?:.*Article|.*Posting|Report|ClaimReview|Review|CreativeWork|Dataset|DigitalDocument)")
WEB_PAGES = re.compile(r"(?:.*WebPage|.*Page)")

# In order of preference; names in one string rank equally.
META_NAMES = (
    "article:published_time og:article:published_time article:published og:published_time datepublished",
    "citation_publication_date citation_online_date citation_date dc.date.issued dcterms.issued dcterms.date.issued "
    "dc.date.published dcterms.created dc.date.created",
    "parsely-pub-date sailthru.date cxenseparse:recs:publishtime rnews:datepublished bt:pubdate article.published "
    "originalpublicationdate publishdate publish_date publish-date publication_date publication-date pubdate pub_date "
    "published_date published-date date_published article_date_original dc.date dcterms.date date",
)
LONGEST_TAG = 500  # characters before and after a name in a tag

_META = re.compile(r"<meta\b[^<>]*>", re.IGNORECASE)
_TIME = re.compile(r"<time\b[^<>]*>", re.IGNORECASE)
_MICRODATA = re.compile("datePublished")
_ATTRIBUTE = re.compile(r"([\w:.-]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+)))?")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_PUBLISHED_CLASS = re.compile(r"(?:^|[\s_-])(?:entry-date|published|pubdate|publish-date|dt-published)(?:$|\s)")
_URL_DAY = re.compile(
    r"/(?P<y>(?:19|20)\d\d)(?P<by>[/-])(?P<m>0?[1-9]|1[0-2])(?P=by)(?P<d>0?[1-9]|[12]\d|3[01])(?=[/-]|$)"
    r"|[/-](?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])(?=[/.-]|$)"
)


def html_date(text: str, url: str, latest: date) -> str | None:
    """Return the page's publication date, `YYYY-MM-DD`; dates after `latest` are ignored."""
    visible = _COMMENT.sub("", text)
    for days in (_json_ld(text, latest), *_metas(visible, latest), _times(visible, latest)):
        if found := _only(days):
            return found.isoformat()
    return url_date(url, latest)


def json_date(objects: Iterable[dict[str, object]], latest: date) -> str | None:
    """Return the publication date of the one article, or the one page, that the JSON-LD objects describe."""
    tops = list(objects)
    known = [*tops, *top_level(found.get("mainEntity") for found in tops)]
    for kinds in (ARTICLES, WEB_PAGES):
        days = [written_day(found.get("datePublished"), latest) for found in known if _is_a(found, kinds)]
        if any(days):
            one = _only(days)
            return one.isoformat() if one else None
    return None


def url_date(url: str, latest: date) -> str | None:
    """Return the date in the URL's path, as in `/2023/02/14/` or `-20230214.`; the last one where there are several."""
    days = [
        possible_day(found["y"] or found["year"], found["m"] or found["month"], found["d"] or found["day"], latest)
        for found in _URL_DAY.finditer(_path(url))
    ]
    return days[-1].isoformat() if days and days[-1] else None


def _path(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:
        return ""


def _json_ld(text: str, latest: date) -> list[date | None]:
    if "datePublished" not in text:
        return []
    found = json_date(objects_in_html(text), latest)
    return [date.fromisoformat(found)] if found else []


def _metas(text: str, latest: date) -> Iterator[list[date | None]]:
    tags = [_attributes(tag[0]) for tag in _META.finditer(text)]
    for names in META_NAMES:
        wanted = set(names.split())
        yield [
            written_day(tag.get("content"), latest)
            for tag in tags
            if wanted & {tag.get(key, "").lower() for key in ("property", "name", "itemprop")}
        ]


def _times(text: str, latest: date) -> list[date | None]:
    """Return the dates of `<time>` and of microdata that are marked as publication date."""
    tags = [_attributes(found[0]) for found in _TIME.finditer(text)]
    marked = [tag for tag in tags if "pubdate" in tag or _PUBLISHED_CLASS.search(tag.get("class", ""))]
    marked += [tag for tag in _tags_around(_MICRODATA, text) if tag.get("itemprop") == "datePublished"]
    return [written_day(tag.get("datetime") or tag.get("content"), latest) for tag in marked]


def _tags_around(name: re.Pattern[str], text: str) -> Iterator[dict[str, str]]:
    """Yield the attributes of the tags that contain the name."""
    for found in name.finditer(text):
        start = text.rfind("<", max(0, found.start() - LONGEST_TAG), found.start())
        end = text.find(">", found.end(), found.end() + LONGEST_TAG)
        if start >= 0 and end >= 0:
            yield _attributes(text[start : end + 1])


def _attributes(tag: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, *values in _ATTRIBUTE.findall(tag.partition(" ")[2] or tag):
        found.setdefault(name.lower(), unescape("".join(values)))
    return found


def _is_a(found: dict[str, object], kinds: re.Pattern[str]) -> bool:
    types = found.get("@type")
    return any(
        isinstance(kind, str) and kinds.fullmatch(kind) for kind in (types if isinstance(types, list) else [types])
    )


def _only(days: Iterable[date | None]) -> date | None:
    """Return the date if it is the same wherever one is given."""
    known = {day for day in days if day}
    return known.pop() if len(known) == 1 else None

"""Main text of an HTML page, without menus, banners and footers, one paragraph per line.

Trafilatura is used with its default settings, as in the published scraper, but its caches are emptied only after every
200 pages. Resiliparse is optional, many times faster, and finds other text.

Limitations: a huge page may take very long, since neither library has a time limit. To read many pages, call this
module in a worker process that may be killed.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from itertools import count

from src.errors import InputError, MissingExtra

PAGES_BETWEEN_RESETS = 200  # the caches contain whole texts: tens of megabytes for long pages

_pages = count(1)


def html_lines(html: bytes | str, extractor: str = "trafilatura") -> list[str]:
    """Return the lines of an HTML page's main text; an empty list if no text was found. Never raises for damaged HTML.

    Raises InputError for an unknown extractor, MissingExtra for one that is not installed.
    """
    text = _extractor(extractor)(html)
    return text.split("\n") if text else []


def is_nested_too_deeply(html: str) -> bool:
    """Return True if elements of an HTML page are nested deeper than the 256 levels that libxml2 reads.

    This parses the page again, so call it only if no text was found.
    """
    from lxml import etree  # type: ignore[import-untyped]

    parser = etree.HTMLParser(collect_ids=False, encoding="utf-8")
    with suppress(etree.LxmlError):
        etree.fromstring(html.encode(errors="replace"), parser)
    return any(entry.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for entry in parser.error_log)


@cache
def _extractor(name: str) -> Callable[[bytes | str], str | None]:
    if name not in EXTRACTORS:
        raise InputError(f"extractor {name!r} is not known; it is one of {', '.join(EXTRACTORS)}")
    return EXTRACTORS[name]()


def _trafilatura() -> Callable[[bytes | str], str | None]:
    import trafilatura
    from trafilatura.meta import reset_caches
    from trafilatura.settings import Extractor

    defaults = Extractor()

    def extract(html: bytes | str) -> str | None:
        try:
            return trafilatura.extract(html, options=defaults)
        finally:
            if next(_pages) % PAGES_BETWEEN_RESETS == 0:
                reset_caches()

    return extract


def _resiliparse() -> Callable[[bytes | str], str | None]:
    try:
        extraction, encoding = map(import_module, ("resiliparse.extract.html2text", "resiliparse.parse.encoding"))
    except ImportError:
        raise MissingExtra("the extractor resiliparse is not installed; run: pip install resiliparse") from None

    def extract(html: bytes | str) -> str | None:
        if isinstance(html, bytes):
            html = encoding.bytes_to_str(html, encoding.detect_encoding(html))
        text: str = extraction.extract_plain_text(html, main_content=True, alt_texts=False, list_bullets=False)
        return text

    return extract


EXTRACTORS = {"trafilatura": _trafilatura, "resiliparse": _resiliparse}

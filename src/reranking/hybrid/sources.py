"""Where a sentence stands: its page and its site, whatever archive the page was read through."""

from typing import NamedTuple

from src.canonical_url import page_addresses


class Source(NamedTuple):
    """Two sentences of equal `page` stand on one page; empty where the URL is not known."""

    page: str
    site: str


def source(url: str) -> Source:
    addresses = page_addresses(url)
    return Source(str(addresses[-1]), addresses[-1].host) if addresses else Source("", "")

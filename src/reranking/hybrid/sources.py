"""Source of a sentence: its page and its site, also if the page was read through an archive."""

from typing import NamedTuple

from src.canonical_url import page_addresses


class Source(NamedTuple):
    """Page and site of a sentence. Sentences with equal `page` are from one page; both are "" if the URL is unknown."""

    page: str
    site: str


def source(url: str) -> Source:
    addresses = page_addresses(url)
    return Source(str(addresses[-1]), addresses[-1].host) if addresses else Source("", "")

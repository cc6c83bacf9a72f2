"""Text of an article: a file (PDF, Word, HTML, text), a page of the web, or standard input."""

from pathlib import Path

from src.check.own_sources import STDIN, documents_of, is_address
from src.check.run_context import RunContext
from src.check.scraping import Scraping, scrape_pages
from src.errors import InputError, StoreError
from src.records import UrlRow
from src.retrieval.claim_search import GIVEN
from src.retrieval.leakage import Leakage
from src.waiting import while_wanted


def shown_name(name: str) -> str:
    """Return how an article is called in the answer: its address, its file without the folder, or "standard input"."""
    if is_address(name):
        return name
    return "standard input" if name == STDIN else Path(name).name


def read_article(name: str, how: Scraping, context: RunContext) -> str:
    """Return the text of an article, a line for each paragraph or group of sentences.

    `name`: path, http or https address, or "-". Raises InputError for a file that cannot be read, StoreError if the
    article has no text, and Cancelled.
    """
    own = () if is_address(name) else documents_of([], [STDIN]) if name == STDIN else documents_of([Path(name)], [])
    row = UrlRow("0", GIVEN, own[0].url if own else name, "")
    with while_wanted(context.go_on):
        documents, logs = scrape_pages([row], how, Leakage(), context, {one.url: one.content for one in own})
    if reason := logs[0].reason:
        raise (StoreError if is_address(name) else InputError)(f"the article {name}: {reason}")
    return "\n".join(documents[0].url2text)

"""Pages that are given for an article: read once for all of its claims, unless a search is asked for, too.

The pages and their scraping log lie in a temporary knowledge store, so that dates and refusals apply to each claim.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec.structs import replace

from src.atomic_file import write_whole
from src.check.asking import claim_of
from src.check.records import CheckRequest, Sources
from src.check.run_context import RunContext
from src.check.scraping import Scraping, scrape_pages
from src.records import UrlRow
from src.retrieval.claim_search import GIVEN
from src.retrieval.leakage import leakage_of
from src.retrieval.scraping.page_log import log_path
from src.store import encode_lines
from src.temporary_folder import temporary_folder
from src.waiting import while_wanted

_PREFIX = "article-pages-"


@contextmanager
def given_pages(request: CheckRequest, how: Scraping, context: RunContext) -> Iterator[CheckRequest]:
    """Yield the request with a knowledge store of its given pages and documents as its source.

    A request whose pages are searched for, or in a knowledge store already, is yielded as it is. `request` has any
    claim; its date and speaker are those of the article. Raises InputError, OutputError, FatalError and Cancelled.
    """
    sources = request.sources
    if sources.search or sources.knowledge_store is not None:
        yield request
        return
    leakage = leakage_of([claim_of(request)], how.exclude_urls, keep_later_pages=how.keep_later_pages)
    own = {one.url: one.content for one in sources.documents}
    rows = [UrlRow("0", GIVEN, url, "") for url in dict.fromkeys([*own, *sources.urls])]
    with temporary_folder(_PREFIX) as folder:
        with while_wanted(context.go_on):
            documents, logs = scrape_pages(rows, how, leakage, context, own)
        store = folder / "pages.json"
        write_whole(store, encode_lines(documents))
        write_whole(log_path(store), encode_lines(logs))
        yield replace(request, sources=Sources(knowledge_store=store))

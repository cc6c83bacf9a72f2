"""Fetching and reading pages on a Ray cluster.

The queue of URLs, the limits of each host and the circuit breaker stay in the driver (`frontier.py`). A host's pages
are fetched by one worker, which therefore knows its robots.txt. The pauses that hosts have demanded are known to the
driver, too: the worker that follows one that ended obeys them.

Limitations: a host's slot is free again when its page is read, not when it is fetched. A pause is forgotten if the
worker ends before the page of the answer that demanded it is read.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from platform import node
from typing import Any, NamedTuple, Protocol

from msgspec.structs import replace

from src.errors import FatalError
from src.retrieval.pages.reader import PageText
from src.retrieval.pages.workers import PageWorkers
from src.retrieval.scraping.frontier import host_of
from src.retrieval.scraping.settings import NetworkSettings, PageSettings, share_open_files
from src.retrieval.scraping.sources import PREFIX
from src.retrieval.web.download import Download
from src.retrieval.web.fetcher import Fetcher
from src.retrieval.web.retries import Demand, Pauses
from src.runner.cluster.services import Services
from src.runner.fingerprint import input_files
from src.settings import ClusterSettings
from src.temporary_folder import temporary_folder

SAME_FOLDER = "--from_pages needs the folder of pages at the same path on every node"


@dataclass(frozen=True)
class Fetch:
    """Request to fetch and read a URL.

    `path`: where to keep the page, or None to delete it after reading. `pause`: pause of its host, to be obeyed.
    """

    url: str
    path: Path | None
    pause: Demand | None


@dataclass(frozen=True)
class Read:
    """Request to read a page on disk. `content_type` is the server's header."""

    path: Path
    url: str
    content_type: str


class Page(NamedTuple):
    """Result of a Fetch; the text is empty if nothing was downloaded. `pauses`: those of the hosts, now."""

    download: Download
    text: PageText
    pauses: list[Demand]


class PageServices(Protocol):
    """Workers that answer requests, and what is at work for the progress display (`Services`)."""

    async def ask(self, key: str, question: Any) -> Any: ...

    def status(self) -> str: ...


class ClusterPages:
    """Fetcher and reader of pages whose work is done on a cluster.

    `keeps`: pages are kept where they are downloaded to, on a file system that all nodes share.
    """

    def __init__(self, services: PageServices, *, keeps: bool) -> None:
        self._services, self._keeps = services, keeps
        self._texts: dict[Path, PageText] = {}  # of pages that are fetched, until they are asked for
        self._pauses = Pauses()

    async def fetch(self, url: str, path: Path) -> Download:
        """Download and read the page of a URL, and return the download. Raises as `Services.ask` does."""
        request = Fetch(url, path if self._keeps else None, self._pauses.demand(url))
        page: Page = await self._services.ask(host_of(url), request)
        for pause in page.pauses:
            self._pauses.obey(pause)
        if page.download.path is None:
            return page.download
        self._texts[path] = page.text
        return replace(page.download, path=path)

    def status(self) -> str:
        """Return what is at work, for the progress display."""
        return self._services.status()

    async def read(self, path: Path, *, url: str, content_type: str) -> PageText:
        """Return the text of a page: of one that was fetched, or of a saved one. Raises as `Services.ask` does."""
        if path in self._texts:
            return self._texts.pop(path)
        text: PageText = await self._services.ask(str(path.parent), Read(path, url, content_type))
        return text


@asynccontextmanager
async def cluster_pages(
    cluster: ClusterSettings, pages: PageSettings, network: NetworkSettings, *, quiet: bool
) -> AsyncIterator[ClusterPages]:
    """Open the workers of a cluster and yield the fetcher and reader that uses them. Raises as `Services` does."""
    opened = partial(worker_of_pages, cluster.actor_cpus, pages, network)
    inputs = input_files({"from_pages": pages.from_pages} if pages.from_pages else {})
    async with Services(opened, cluster, inputs, "scraper", quiet=quiet) as services:
        yield ClusterPages(services, keeps=pages.keep_pages is not None)


@asynccontextmanager
async def worker_of_pages(
    processes: int, pages: PageSettings, network: NetworkSettings
) -> AsyncIterator[Callable[[Fetch | Read], Awaitable[Page | PageText]]]:
    """Open what a worker needs, and yield the function that answers a request.

    `processes`: number of processes that read pages. The function raises FatalError for a saved page that is not on
    this node: its text would be taken for empty.
    """
    numbers = count()
    async with AsyncExitStack() as stack:
        reader = await stack.enter_async_context(PageWorkers(processes, pages.reading, seconds=pages.page_seconds))
        scratch = stack.enter_context(temporary_folder(PREFIX))
        limits = network.limits(share_open_files(processes).connections)
        fetcher = await stack.enter_async_context(Fetcher(limits))

        async def answer(request: Fetch | Read) -> Page | PageText:
            if isinstance(request, Read):
                if not request.path.exists():
                    raise FatalError(f"{request.path}: is not on node {node()}; {SAME_FOLDER}")
                return await reader.read(request.path, url=request.url, content_type=request.content_type)
            path = request.path or scratch / str(next(numbers))
            if request.pause:
                fetcher.pauses.obey(request.pause)
            try:
                download = await fetcher.fetch(request.url, path)
                text = PageText()
                if download.path:
                    kind = download.content_type
                    text = await reader.read(download.path, url=download.final_url, content_type=kind)
                pauses = {fetcher.pauses.demand(url) for url in (request.url, download.final_url)}
                return Page(download, text, [pause for pause in pauses if pause])
            finally:
                if request.path is None:
                    path.unlink(missing_ok=True)

        yield answer

"""Stage: fetch the pages of URLs and extract their sentences, for one claim in memory or for many claims to files.

The files are `<claim_id>.json` of a knowledge store, line k for row k of `<claim_id>.tsv`, and `<claim_id>.log.jsonl`
with what happened to each row.
"""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, NamedTuple

from msgspec.structs import replace

from src.errors import InputError
from src.records import Document, UrlRow
from src.retrieval.leakage import CLAIMS_OF_FILTERS, Leakage, LeakageSettings
from src.retrieval.pages.workers import PageWorkers
from src.retrieval.scraping.claim_output import FileRun, OpenClaims
from src.retrieval.scraping.frontier import HOSTS, CircuitBreaker, Frontier
from src.retrieval.scraping.page_log import PageLog
from src.retrieval.scraping.plan import ClaimUrls, Plan, SharedUrls, make_plan, missing_claims, plan_claims
from src.retrieval.scraping.scraper import PageReader, RowSink, RowsInMemory, Scraper
from src.retrieval.scraping.settings import NetworkSettings, OpenFiles, PageSettings, share_open_files
from src.retrieval.scraping.sources import PREFIX, GivenPages, PageFetcher, PageFolder, PageSource, SavedPages, Web
from src.retrieval.url_rows import read_url_rows
from src.runner.claim_range import ClaimRange, DividedRange
from src.runner.console import Progress, say
from src.runner.division import divide
from src.runner.shard_plan import ShardPlan
from src.runner.sharding import part_of
from src.settings import Cluster, ClusterSettings, Flag, Group, StepSettings
from src.store import read_claims
from src.temporary_folder import temporary_folder

REFRESH = 1.0  # seconds between updates of the progress display
ASIDE = ".pages-"  # prefix of the folder of temporary pages beside the store; the system's folder may lack space


class CollectSettings(StepSettings, frozen=True, kw_only=True):
    """Settings of `collect_files`."""

    tsv_input_file: Annotated[Path, Flag("<claim_id>.tsv, or a folder of them", "-i")]
    json_output_dir: Annotated[Path, Flag("the knowledge store", "-o")] = Path("output")
    overwrite: Annotated[bool, Flag("begin anew, whatever is there", "--overwrite", "--overwrite_out_file")] = False
    retry_failed: Annotated[bool, Flag("fetch failed pages again where a later attempt may succeed")] = False
    range: Annotated[DividedRange, Group()] = DividedRange()
    pages: Annotated[PageSettings, Group()] = PageSettings()
    claim_file: Annotated[Path | None, Flag(CLAIMS_OF_FILTERS)] = None
    leakage: Annotated[LeakageSettings, Group()] = LeakageSettings()
    network: Annotated[NetworkSettings, Group()] = NetworkSettings()
    cluster: Cluster = ClusterSettings()


class PageTools(NamedTuple):
    """What gets pages: a fetcher, None where only saved pages are read, and a reader.

    `status`: returns what is at work, for the progress display.
    """

    fetcher: PageFetcher | None
    reader: PageReader
    status: Callable[[], str] = lambda: ""


class Collected(NamedTuple):
    """Pages of one claim, and the log of each of its URLs, both in the order of the claim's rows."""

    documents: list[Document]
    logs: list[PageLog]


async def collect_pages(
    claim_id: int,
    rows: Sequence[UrlRow],
    leakage: Leakage,
    pages: PageSettings,
    network: NetworkSettings,
    on_row: Callable[[PageLog], None] = lambda _: None,
    documents: Mapping[str, bytes] = MappingProxyType({}),
) -> Collected:
    """Return the pages of one claim's URLs.

    `documents` has the content of those that are not fetched, by URL.

    `on_row` is called with the log of each row as soon as the result of the row is known. Only the pages' bodies are
    written: to a temporary folder, until they are read. If hosts do not answer, the run goes on, and the logs say which
    pages could not be read. Raises FatalError when the run must end.
    """
    sink, shared = RowsInMemory(on_row), SharedUrls()
    shared.add(claim_id, rows)
    files = share_open_files(pages.workers)
    machine = _this_machine(pages, network, files)
    async with (
        machine as tools,
        _scraper(sink, leakage, pages, network, tools, CircuitBreaker(may_stop=False), documents=documents) as scraper,
    ):
        await scraper.run([(claim_id, rows)], shared.places, network.concurrency)
    return Collected(sink.documents(claim_id), sink.logs(claim_id))


def collect_files(settings: CollectSettings) -> int:
    """Write the knowledge store of many claims. SIGTERM stops the run like Ctrl-C.

    Return 1 if a URL failed because of an error in this program, else 0; unreachable pages do not count. Raises
    FatalError when the run must end, and KeyboardInterrupt when it is stopped. Finished pages are kept for the next
    start.
    """
    part = _in_part(settings)
    plan, leakage, notes = collect_plan(replace(settings, range=DividedRange(part.start, part.end)))
    for note in notes:
        say(f"note: {note}", quiet=settings.quiet)
    if settings.dry_run or not plan.open:
        say(f"scraper: {plan.summary()}", quiet=settings.quiet)
        return 0
    try:
        return asyncio.run(_until_stopped(collect(settings, plan, leakage)))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


def _in_part(settings: CollectSettings) -> ClaimRange:
    """Return the range of the part that --shard names, with the bounds that the other steps have.

    Without a file of claims, the claim_ids are divided as if none was missing: there need not be URLs yet. Raises
    InputError when they cannot be divided.
    """
    chosen, claim_file = settings.range, settings.claim_file
    if chosen.shard is None:
        return chosen
    if claim_file is not None:
        return part_of(chosen, read_claims(claim_file), claim_file)
    if chosen.end == -1:
        raise InputError("--shard needs --claim_file or --end here: the last claims may not have URLs yet")
    plan = ShardPlan(divide(range(chosen.end), chosen.start, chosen.end, chosen.shard.count))
    return ClaimRange(*plan.range_of(chosen.shard))


async def _until_stopped(scraping: Coroutine[object, object, int]) -> int:
    """Run the scraper; SIGTERM stops it like Ctrl-C."""
    task = asyncio.current_task()
    if task:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await scraping


def collect_plan(settings: CollectSettings) -> tuple[Plan, Leakage, list[str]]:
    """Return the plan of the URLs to fetch, the leakage filters, and notes for the user.

    Raises InputError for bad input.
    """
    leakage, pages = settings.leakage.filters(settings.claim_file), settings.pages
    if pages.from_pages and not pages.from_pages.is_dir():
        raise InputError("is no folder of pages", path=pages.from_pages)
    claims = plan_claims(settings.tsv_input_file, settings.json_output_dir, settings.range, pages.reading, leakage)
    plan = make_plan(claims, overwrite=settings.overwrite, retry=settings.retry_failed)
    notes = [*plan.notes(retry=settings.retry_failed), *_gaps(claims, settings), *_filters(plan, pages, leakage)]
    return plan, leakage, notes


async def collect(settings: CollectSettings, plan: Plan, leakage: Leakage) -> int:
    """Fetch the URLs of the plan and write their pages.

    Return 1 if a URL failed because of an error in this program, else 0. Raises FatalError when the run must end;
    finished pages are kept for the next start.
    """
    pages, network = settings.pages, settings.network
    keep = PageFolder(pages.keep_pages).make() if pages.keep_pages else None
    breaker = CircuitBreaker(1 if network.via else HOSTS, may_stop=not (settings.retry_failed or pages.from_pages))
    files = share_open_files(pages.workers)
    run = FileRun(settings, settings.overwrite, settings.retry_failed, keep)
    aside = settings.json_output_dir
    with Progress("scraper", plan.rows, quiet=settings.quiet, unit="URL", failed="without text") as progress:
        sink = OpenClaims(plan.open, run, leakage, progress, early=files.claims)
        where = _on_cluster(settings) if settings.cluster.address else _this_machine(pages, network, files)
        async with (
            _displayed(progress),
            where as tools,
            _scraper(sink, leakage, pages, network, tools, breaker, keep, aside) as scraper,
        ):
            progress.status = tools.status
            claims = ((claim.claim_id, read_url_rows(claim.tsv)) for claim in plan.open)
            await scraper.run(claims, plan.shared, network.concurrency, answered_before=plan.answered)
    say(f"scraper: {scraper.summary()} -> {settings.json_output_dir}", quiet=settings.quiet)
    return 1 if sink.faults else 0


@asynccontextmanager
async def _scraper(
    sink: RowSink,
    leakage: Leakage,
    pages: PageSettings,
    network: NetworkSettings,
    tools: PageTools,
    breaker: CircuitBreaker,
    keep: PageFolder | None = None,
    aside: Path | None = None,
    documents: Mapping[str, bytes] = MappingProxyType({}),
) -> AsyncIterator[Scraper]:
    with ExitStack() as stack:
        source: PageSource
        if pages.from_pages:
            source = SavedPages(PageFolder(pages.from_pages))
        else:
            assert tools.fetcher is not None
            scratch = stack.enter_context(temporary_folder(ASIDE if aside else PREFIX, aside))
            source = Web(tools.fetcher, scratch, keep, network.via)
            source = GivenPages(documents, source, scratch) if documents else source
        frontier = Frontier(network.per_host, give_up=not network.via)
        yield Scraper(sink, source, tools.reader, leakage, frontier, breaker)


@asynccontextmanager
async def _displayed(progress: Progress) -> AsyncIterator[None]:
    """Keep the progress display up to date while no row is finished."""

    async def refresh() -> None:
        while True:
            await asyncio.sleep(REFRESH)
            progress.add(0, 0)

    refreshing = asyncio.create_task(refresh())
    try:
        yield
    finally:
        refreshing.cancel()


@asynccontextmanager
async def _this_machine(pages: PageSettings, network: NetworkSettings, files: OpenFiles) -> AsyncIterator[PageTools]:
    """Yield the tools of this machine."""
    async with AsyncExitStack() as stack:
        reader = await stack.enter_async_context(
            PageWorkers(pages.workers, pages.reading, seconds=pages.page_seconds)
        )  # fmt: skip
        if pages.from_pages:
            yield PageTools(None, reader)
            return
        from src.retrieval.web.fetcher import Fetcher

        fetcher = await stack.enter_async_context(Fetcher(network.limits(files.connections)))
        yield PageTools(fetcher, reader)


@asynccontextmanager
async def _on_cluster(settings: CollectSettings) -> AsyncIterator[PageTools]:
    """Yield the tools of a Ray cluster."""
    from src.retrieval.scraping.cluster_pages import cluster_pages

    tools = cluster_pages(settings.cluster, settings.pages, settings.network, quiet=settings.quiet)
    async with tools as pages:
        yield PageTools(None if settings.pages.from_pages else pages, pages, pages.status)


def _gaps(claims: Sequence[ClaimUrls], settings: CollectSettings) -> list[str]:
    if not settings.tsv_input_file.is_dir():
        return []
    missing = missing_claims(claims, settings.range.start, settings.range.end)
    return [f"no TSV for claims {missing}"] if missing else []


def _filters(plan: Plan, pages: PageSettings, leakage: Leakage) -> list[str]:
    """Return notes on filters and checks that do not apply to some of the claims to scrape."""
    notes = leakage.notes([claim.claim_id for claim in plan.open]) if plan.open else []
    saved = PageFolder(pages.from_pages) if pages.from_pages else None
    if saved and not all(saved.has_log(claim.claim_id) for claim in plan.open):
        notes.append(f"{saved.folder} has no log of some claims: there the page of row k is taken to be file k")
    return notes

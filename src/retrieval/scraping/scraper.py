"""Scraper: fetches the pages of all rows in one event loop, and reads them in worker processes.

A row is settled when its result is stored. The claims share one queue, so that pages of the next claim are fetched
while slow hosts of a claim have not answered yet. A URL that occurs in several rows is fetched once.
"""

import asyncio
import re
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

import msgspec

from src.errors import FatalError
from src.records import Document, UrlRow
from src.retrieval.leakage import Leakage
from src.retrieval.pages.reader import PageText
from src.retrieval.scraping.frontier import CircuitBreaker, Frontier, Place, Task
from src.retrieval.scraping.page_log import FAULT, PageLog, logged
from src.retrieval.scraping.sources import PageSource
from src.retrieval.web.download import Download
from src.runner.output import Failure
from src.store import storable

STEP = "src.retrieval.scraper_for_knowledge_store"


class PageReader(Protocol):
    """Reader of downloaded pages: `read` returns the text of a page on disk, and never raises for its content."""

    async def read(self, path: Path, *, url: str, content_type: str) -> PageText: ...


class RowSink(Protocol):
    """Storage of the results of rows: files, from which a killed run resumes (`OpenClaims`), or memory
    (`RowsInMemory`).

    `answered`: True if a server answered for one of the rows in an earlier run.
    """

    @property
    def answered(self) -> bool: ...

    def begin(self, claim_id: int, rows: Sequence[UrlRow]) -> list[int]:
        """Begin a claim with these rows; return the indexes (from 0) of the rows without a result."""

    def is_settled(self, place: Place) -> bool: ...

    def settle(self, place: Place, log: PageLog, sentences: Sequence[str], failure: Failure | None = None) -> None:
        """Store the result of a row: its log, its sentences, and the failure if this program was at fault."""

    def check_finished(self) -> None:
        """Raise RuntimeError if a row has no result. Called at the end of the run."""

    def close(self) -> None: ...


class RowsInMemory:
    """Results of rows in memory. `on_row` is called with the log of each row as soon as its result is known."""

    answered = False

    def __init__(self, on_row: Callable[[PageLog], None] = lambda _: None) -> None:
        self._on_row = on_row
        self._rows: dict[int, Sequence[UrlRow]] = {}
        self._results: dict[Place, tuple[PageLog, list[str]]] = {}

    def begin(self, claim_id: int, rows: Sequence[UrlRow]) -> list[int]:
        self._rows[claim_id] = rows
        return [row for row in range(len(rows)) if Place(claim_id, row) not in self._results]

    def is_settled(self, place: Place) -> bool:
        return place in self._results

    def settle(self, place: Place, log: PageLog, sentences: Sequence[str], failure: Failure | None = None) -> None:
        self._results[place] = (log, [] if log.reason else list(sentences))
        self._on_row(log)

    def check_finished(self) -> None:
        if missing := sum(map(len, self._rows.values())) - len(self._results):
            raise RuntimeError(f"rows without a result at the end of the run: {missing}")

    def close(self) -> None:
        """Do nothing: the results stay available."""

    def documents(self, claim_id: int) -> list[Document]:
        """Return the pages of a claim with their sentences, in the order of its rows."""
        rows = enumerate(self._rows[claim_id])
        return [document_of(row, self._results[Place(claim_id, number)][1]) for number, row in rows]

    def logs(self, claim_id: int) -> list[PageLog]:
        """Return the log of each row of a claim, in order."""
        return [self._results[Place(claim_id, number)][0] for number in range(len(self._rows[claim_id]))]


def document_of(row: UrlRow, sentences: list[str]) -> Document:
    """Return the line of the knowledge store for a row of the URL file and the sentences of its page."""
    return Document(claim_id=row.claim_id, type=row.type, query=row.query, url=row.url, url2text=sentences)


class Scraper:
    """Scraper of claims: `await Scraper(...).run(claims, shared, concurrency)` stores the result of each row in `sink`.

    `source`: source of pages, the web or saved pages.
    `reader`: reader of downloaded pages.
    `leakage`: filters that refuse pages.
    `frontier`: queue of URLs.
    `breaker`: circuit breaker.
    `pages` (attribute): number of rows with text so far.
    `without_text` (attribute): number of rows without text so far, by reason.
    """

    def __init__(
        self,
        sink: RowSink,
        source: PageSource,
        reader: PageReader,
        leakage: Leakage,
        frontier: Frontier,
        breaker: CircuitBreaker,
    ) -> None:
        self.pages = 0
        self.without_text: Counter[str] = Counter()
        self._sink = sink
        self._source = source
        self._reader = reader
        self._leakage = leakage
        self._frontier = frontier
        self._breaker = breaker
        self._shared: Mapping[str, list[Place]] = {}
        self._begun: set[str] = set()  # shared URLs that were put into the queue

    def summary(self) -> str:
        """Return the numbers of rows with and without text as one line for the user."""
        reasons = ", ".join(f"{count} {reason}" for reason, count in self.without_text.most_common())
        empty = self.without_text.total()
        return f"{self.pages} pages with text, {empty} without{f' ({reasons})' if reasons else ''}"

    async def run(
        self,
        claims: Iterable[tuple[int, Sequence[UrlRow]]],
        shared: Mapping[str, list[Place]],
        concurrency: int,
        *,
        answered_before: bool = False,
    ) -> None:
        """Get a result for every row of the claims, and store it in the sink.

        `claims`: pairs of claim_id and rows.
        `shared`: all rows of each URL that occurs more than once.
        `concurrency`: number of pages fetched and read at once.
        `answered_before`: a server answered in an earlier run.

        Raises FatalError when the run must end; results stored before are kept.
        """
        self._shared = shared
        failure: FatalError | None = None  # Python 3.11.2 wraps in a group what `except*` raises itself
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._feed(claims))
                for _ in range(concurrency):
                    group.create_task(self._work())
            self._breaker.end(answered_before=answered_before or self._sink.answered)
            self._sink.check_finished()
        except* FatalError as errors:
            failure = _first(errors)
        finally:
            self._sink.close()
        if failure is not None:
            raise failure from None

    async def _feed(self, claims: Iterable[tuple[int, Sequence[UrlRow]]]) -> None:
        for claim_id, rows in claims:
            for row in self._sink.begin(claim_id, rows):
                await self._put(rows[row].url, Place(claim_id, row))
        self._frontier.close()

    async def _put(self, url: str, place: Place) -> None:
        """Queue the URL of a row with all rows that share it, unless it is queued or refused for all of them."""
        places = self._shared.get(url, [place])
        if url in self._begun:
            return
        if len(places) > 1:
            self._begun.add(url)
        task = Task(url, self._source.host(url), places)
        if all(self._leakage.of_url(wanted.claim_id, url) for wanted in places):
            self._settle(task, Download(url=url, final_url=url), PageText())
        else:
            await self._frontier.put(task)

    async def _work(self) -> None:
        while task := await self._frontier.take():
            try:
                await self._process(task)
            except FatalError:
                raise
            except Exception as error:
                self._fail(task, error)

    async def _process(self, task: Task) -> None:
        """Fetch and read the page of a task, and store the result for all its rows."""
        began = time.monotonic()
        if self._frontier.is_given_up(task.host):
            self._frontier.finished(task, answered=False)
            settle = partial(self._settle, task, _given_up(task), PageText())
            self._breaker.record(task.host, False, began, settle, tried=False)
            return
        answered = False
        try:
            download = await self._source.get(task)
            silent = _is_silent(download)
            if silent:  # a later run may find a host that has no address today
                download = msgspec.structs.replace(download, transient=True)
            answered = not silent and not download.reason.startswith("timeout:")
        finally:
            self._frontier.finished(task, answered=answered)
        text = PageText()
        if download.path:
            text = await self._reader.read(download.path, url=download.final_url, content_type=download.content_type)
        self._source.done(task, download, text)
        settle = partial(self._settle, task, download, text)
        if silent or download.status is not None:
            self._breaker.record(task.host, not silent, began, settle)
        else:  # no request was sent
            settle()

    def _settle(self, task: Task, download: Download, text: PageText) -> None:
        """Store the result for all rows of a task; a claim that refuses the page gets the reason, not the text."""
        for place in task.places:
            if self._sink.is_settled(place):
                continue
            refused = self._leakage.of_url(place.claim_id, task.url)
            if refused:
                log = PageLog(row=place.row, url=task.url, reason=refused)
            else:
                refused = self._refusal(place, download, text)
                log = logged(place.row, download, text, refused)
            self._sink.settle(place, log, text.sentences)
            self._count(log)

    def _refusal(self, place: Place, download: Download, text: PageText) -> str:
        """Return why a downloaded page is refused for a claim, by its final URL or its date; "" if it is not."""
        moved = self._leakage.of_url(place.claim_id, download.final_url)
        return moved or self._leakage.of_date(place.claim_id, text.date)

    def _count(self, log: PageLog) -> None:
        self.pages += not log.reason
        if log.reason:
            self.without_text[_kind(log.reason)] += 1

    def _fail(self, task: Task, error: Exception) -> None:
        """Store a failure for all rows of a URL after an error of this program. The next start tries them again."""
        message, trace = storable(str(error)), storable(traceback.format_exc())
        for place in task.places:
            if not self._sink.is_settled(place):
                failure = Failure(place.claim_id, STEP, type(error).__name__, f"row {place.row}: {message}", trace)
                log = PageLog(row=place.row, url=task.url, reason=f"{FAULT}{failure.error}: {message}")
                self._sink.settle(place, log, [], failure)
                self._count(log)


def _kind(reason: str) -> str:
    """Return the kind of a reason: the reason without the parts that differ from page to page."""
    return re.sub(r":.*|, line \d+| \d{4}-\d\d-\d\d,| \(.*\)", "", reason)


def _is_silent(download: Download) -> bool:
    """Return True if requests were sent but no server answered, possibly because the network is down."""
    no_answer = download.transient or download.reason.startswith("no such host")
    return no_answer and download.status is None and download.attempts > 0


def _given_up(task: Task) -> Download:
    reason = "not tried: its host timed out or gave no answer before"
    return Download(url=task.url, final_url=task.url, reason=reason, transient=True)


def _first(errors: BaseExceptionGroup[FatalError]) -> FatalError:
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    assert isinstance(error, FatalError)
    return error

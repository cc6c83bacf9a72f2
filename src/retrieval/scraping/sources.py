"""Sources of pages: the web, or a folder of saved pages, written with `--keep_pages` and read with `--from_pages`.

PAGES/<claim_id>/<row>.html, .pdf, .txt … contains the bytes of the row's page. Rows count from 0, with at least two
digits; a row without a file has no page. PAGES/<claim_id>/log.jsonl records the server's answer and the hash of each
row's page. Hashes are not checked in a folder without a log, such as one made by hand.
"""

import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Protocol, Self

import msgspec

from src.errors import InputError, OutputError
from src.retrieval.pages.media_type import DOCX
from src.retrieval.pages.reader import PageText
from src.retrieval.scraping.frontier import Place, Task, host_of
from src.retrieval.scraping.page_log import PageLog, read_log
from src.retrieval.web.download import Download
from src.store import encode_line

ENDINGS = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/pdf": ".pdf",
    DOCX: ".docx",
    "text/plain": ".txt",
    "application/json": ".json",
    "application/ld+json": ".json",
    "application/xml": ".xml",
}
OTHER = ".bin"
NO_LOG = "no log"  # in place of a hash
PREFIX = "averitec-pages-"  # of the folder of temporary pages in the system's temporary folder
PART = ".part"  # a page that is not read yet


class PageFolder:
    """Folder of saved pages, with a subfolder for each claim."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._made: set[Path] = set()
        self._files: dict[int, dict[int, Path]] = {}
        self._logs: dict[int, dict[str, PageLog] | None] = {}

    def make(self) -> Self:
        """Create the folder. Raises OutputError when it cannot be created."""
        self._make(self.folder)
        return self

    def part(self, claim_id: int, row: int) -> Path:
        """Return the temporary path of a row's page, which is used until its media type is known."""
        self._make(self.folder / str(claim_id))
        return self._stem(claim_id, row).with_suffix(PART)

    def keep(self, part: Path, media_type: str) -> Path:
        """Rename a row's page from its temporary path to its final name, by media type; return the new path.

        An older page of the row is deleted. Raises OutputError when the page cannot be renamed.
        """
        with _as_output_errors(part):
            return _renamed(part, ENDINGS.get(media_type, OTHER))

    def link(self, page: Path, claim_id: int, row: int) -> None:
        """Store a saved page for another row, too: as a hard link where the file system allows it, else as a copy.

        Raises OutputError when the link or copy cannot be written.
        """
        part = self.part(claim_id, row)
        with _as_output_errors(part):
            for old in (part, part.with_suffix(page.suffix)):  # renaming a link onto itself would leave both names
                old.unlink(missing_ok=True)
            try:
                os.link(page, part)
            except OSError:
                shutil.copyfile(page, part)
            _renamed(part, page.suffix)

    def discard(self, claim_id: int, row: int) -> None:
        """Delete the row's page, if there is one. Raises OutputError when it cannot be deleted."""
        stem = self._stem(claim_id, row)
        with _as_output_errors(stem):
            for ending in {*ENDINGS.values(), OTHER, PART}:
                stem.with_suffix(ending).unlink(missing_ok=True)

    def note(self, claim_id: int, log: PageLog) -> None:
        """Append a line to the claim's log, which remains if the run is killed.

        Raises OutputError when it cannot be written.
        """
        path = self.log_path(claim_id)
        self._make(path.parent)
        with _as_output_errors(path), path.open("ab") as file:
            file.write(encode_line(log))

    def log_path(self, claim_id: int) -> Path:
        """Return the path of the claim's log: `FOLDER/<claim_id>/log.jsonl`."""
        return self.folder / str(claim_id) / "log.jsonl"

    def page(self, claim_id: int, row: int) -> Path | None:
        """Return the file of a row's page, or None. Raises InputError when two files belong to one row."""
        return self._pages(claim_id).get(row)

    def has_log(self, claim_id: int) -> bool:
        """Return True if the claim has a log; its pages are then found by URL instead of row number."""
        return self.log_path(claim_id).exists()

    def saved(self, claim_id: int, row: int, url: str) -> Download:
        """Return the saved page of a URL as a Download.

        The claim's log gives the row of the URL. Without a log, the page is the file of `row` (index from 0). A file
        whose hash differs from the one in the log is ignored.
        """
        log = self._line(claim_id, row, url)
        path = self.page(claim_id, log.row)
        data = path.read_bytes() if path else b""
        sha256 = hashlib.sha256(data).hexdigest()
        if log.sha256 not in (sha256, NO_LOG):
            path = None
        return Download(
            url=url,
            final_url=log.final_url or url,
            path=path,
            status=log.status,
            bytes=len(data) if path else 0,
            sha256=sha256 if path else "",
            content_type=log.content_type,
            redirects=log.redirects,
            attempts=log.attempts,
            seconds=log.seconds,
            fetched_at=log.fetched_at,
            reason="" if path else log.reason or "no saved page",
            transient=log.transient and not path,
        )

    def _line(self, claim_id: int, row: int, url: str) -> PageLog:
        """Return the log line of a URL; one is made if the claim has no log or the log lacks the URL."""
        log = self._log(claim_id)
        if log is None:
            return PageLog(row=row, url=url, sha256=NO_LOG)
        return log.get(url, PageLog(row=row, url=url))

    def _make(self, folder: Path) -> None:
        if folder not in self._made:
            with _as_output_errors(folder):
                folder.mkdir(parents=True, exist_ok=True)
            self._made.add(folder)

    def _stem(self, claim_id: int, row: int) -> Path:
        return self.folder / str(claim_id) / f"{row:02d}"

    def _pages(self, claim_id: int) -> dict[int, Path]:
        """Return the file of each row's page, by row. Only the last claim is cached."""
        if claim_id not in self._files:
            pages: dict[int, Path] = {}
            folder = self.folder / str(claim_id)
            for page in sorted(folder.iterdir()) if folder.is_dir() else ():
                if not (page.stem.isascii() and page.stem.isdecimal()) or page.suffix == PART:
                    continue
                if int(page.stem) in pages:
                    raise InputError(f"{pages[int(page.stem)].name} is of the same row", path=page)
                pages[int(page.stem)] = page
            self._files = {claim_id: pages}
        return self._files[claim_id]

    def _log(self, claim_id: int) -> dict[str, PageLog] | None:
        """Return the last log line of each row of a claim, by URL; None if the claim has no log.

        If several rows have one URL, a line with a page is preferred.
        """
        if claim_id not in self._logs:
            rows = {log.row: log for log in read_log(self.log_path(claim_id))}
            by_url = {log.url: log for log in sorted(rows.values(), key=lambda log: bool(log.sha256))}
            self._logs = {claim_id: by_url if self.has_log(claim_id) else None}
        return self._logs[claim_id]


@contextmanager
def _as_output_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from None


def _renamed(part: Path, ending: str) -> Path:
    """Rename the page `part` to end in `ending`, delete other pages of its row, and return the new path."""
    for other in {*ENDINGS.values(), OTHER} - {ending}:
        part.with_suffix(other).unlink(missing_ok=True)
    return part.replace(part.with_suffix(ending))


class PageSource(Protocol):
    """Source of pages.

    `host` returns the server that a URL is fetched from. `get` returns the page of a task, downloaded to a file. `done`
    must be called after the page was read, and deletes or renames the file.
    """

    def host(self, url: str) -> str: ...

    async def get(self, task: Task) -> Download: ...

    def done(self, task: Task, download: Download, text: PageText) -> None: ...


class PageFetcher(Protocol):
    """Downloader: `fetch` downloads the body of a URL to a file."""

    async def fetch(self, url: str, path: Path) -> Download: ...


class Web:
    """The web as a source of pages.

    `fetcher`: downloader.
    `scratch`: folder for downloaded pages, which are deleted after reading.
    `keep`: folder in which pages are kept instead, or None.
    `via`: prefix of each URL, the address of a web archive or of another server that has the pages.
    """

    def __init__(self, fetcher: PageFetcher, scratch: Path, keep: PageFolder | None, via: str = "") -> None:
        self._fetcher = fetcher
        self._scratch = scratch
        self._keep = keep
        self._via = via
        self._numbers = count()

    def host(self, url: str) -> str:
        return host_of(self._via + url)

    async def get(self, task: Task) -> Download:
        download = await self._fetcher.fetch(self._via + task.url, self._path(task.places[0]))
        if self._via and download.reason.startswith("address refused") and not download.redirects:
            raise InputError(f"--via {self._via}: {download.reason}; --allow_private fetches from there")
        return msgspec.structs.replace(download, url=task.url)

    def done(self, task: Task, download: Download, text: PageText) -> None:
        if self._keep is None:
            if download.path:
                download.path.unlink(missing_ok=True)
            return
        if download.path is None:
            for place in task.places:
                self._keep.discard(place.claim_id, place.row)
            return
        page = self._keep.keep(download.path, text.media_type)
        for place in task.places[1:]:
            self._keep.link(page, place.claim_id, place.row)

    def _path(self, place: Place) -> Path:
        return self._keep.part(place.claim_id, place.row) if self._keep else self._scratch / str(next(self._numbers))


class GivenPages:
    """Documents that are given as bytes, by name, beside another source of pages.

    `documents`: content of each document.
    `others`: source of all other URLs.
    `scratch`: folder for documents while they are read.
    """

    def __init__(self, documents: Mapping[str, bytes], others: PageSource, scratch: Path) -> None:
        self._documents, self._others, self._scratch = documents, others, scratch

    def host(self, url: str) -> str:
        return "" if url in self._documents else self._others.host(url)

    async def get(self, task: Task) -> Download:
        data = self._documents.get(task.url)
        if data is None:
            return await self._others.get(task)
        path, sha256 = self._scratch / f"document-{task.places[0].row}", hashlib.sha256(data).hexdigest()
        with _as_output_errors(path):
            path.write_bytes(data)
        return Download(task.url, task.url, path, bytes=len(data), sha256=sha256)

    def done(self, task: Task, download: Download, text: PageText) -> None:
        if task.url not in self._documents:
            self._others.done(task, download, text)
        elif download.path:
            download.path.unlink(missing_ok=True)


class SavedPages:
    """A folder of saved pages as a source of pages, without network access."""

    def __init__(self, folder: PageFolder) -> None:
        self._folder = folder

    def host(self, url: str) -> str:
        return host_of(url)

    async def get(self, task: Task) -> Download:
        downloads = [self._folder.saved(place.claim_id, place.row, task.url) for place in task.places]
        return next((download for download in downloads if download.path), downloads[0])

    def done(self, task: Task, download: Download, text: PageText) -> None:
        """Do nothing: saved pages are kept."""

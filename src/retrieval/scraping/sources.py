"""Sources of pages: the web, or a folder of kept pages."""

from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from src.errors import InputError
from src.retrieval.pages.reader import PageText
from src.retrieval.scraping.frontier import Place, Task, host_of
from src.retrieval.scraping.page_folder import PageFolder
from src.retrieval.web.download import Download

if TYPE_CHECKING:
    from src.retrieval.web.fetcher import Fetcher


class PageSource(Protocol):
    """Source of pages. `get` returns the page of a task, `host` the server to ask for a URL; call `done` once it was
    read.
    """

    def host(self, url: str) -> str: ...

    async def get(self, task: Task) -> Download: ...

    def done(self, task: Task, download: Download, text: PageText) -> None: ...


class Web:
    """The web as a source. Pages are fetched into `keep`, or into `scratch` and deleted once they are read.

    `via` is put before each URL: the address of a web archive, or of another server that has the pages.
    """

    def __init__(self, fetcher: "Fetcher", scratch: Path, keep: PageFolder | None, via: str = "") -> None:
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


class SavedPages:
    """A folder of kept pages as a source, without the network."""

    def __init__(self, folder: PageFolder) -> None:
        self._folder = folder

    def host(self, url: str) -> str:
        return host_of(url)

    async def get(self, task: Task) -> Download:
        found = [self._folder.saved(place.claim_id, place.row, task.url) for place in task.places]
        return next((download for download in found if download.path), found[0])

    def done(self, task: Task, download: Download, text: PageText) -> None:
        """Keep the page."""

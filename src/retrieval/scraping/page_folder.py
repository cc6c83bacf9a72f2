"""Pages on disk, as `--keep_pages` leaves them and `--from_pages` reads them.

PAGES/<claim_id>/<row>.html, .pdf, .txt …: the bytes of the page of that row, rows counted from 0 with two digits at
least; a row without a file gave no page. PAGES/<claim_id>/log.jsonl, where it is there, says what the servers said.
"""

import hashlib
import os
import shutil
from pathlib import Path

from src.errors import InputError
from src.retrieval.scraping.page_log import PageLog, read_log
from src.retrieval.web.download import Download

ENDINGS = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/pdf": ".pdf",
    "text/plain": ".txt",
    "application/json": ".json",
    "application/ld+json": ".json",
    "application/xml": ".xml",
}
OTHER = ".bin"
PART = ".part"  # a page that is not read yet


class PageFolder:
    """One folder of pages for all claims of a run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._found: dict[int, dict[int, Path]] = {}
        self._logs: dict[int, dict[int, PageLog]] = {}

    def part(self, claim_id: int, row: int) -> Path:
        """Where a page is put until it is known what it is."""
        path = self._stem(claim_id, row).with_suffix(PART)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def keep(self, part: Path, media_type: str) -> Path:
        """The page gets its name, in place of an older one of that row."""
        return _renamed(part, ENDINGS.get(media_type, OTHER))

    def link(self, page: Path, claim_id: int, row: int) -> None:
        """The same page for another row: a hard link where the file system has them."""
        part = self.part(claim_id, row)
        for old in (part, part.with_suffix(page.suffix)):  # renaming a link onto itself would leave both names
            old.unlink(missing_ok=True)
        try:
            os.link(page, part)
        except OSError:
            shutil.copyfile(page, part)
        _renamed(part, page.suffix)

    def log_path(self, claim_id: int) -> Path:
        return self.folder / str(claim_id) / "log.jsonl"

    def page(self, claim_id: int, row: int) -> Path | None:
        """The file of a row's page. Raises InputError when two files are of one row."""
        return self._pages(claim_id).get(row)

    def saved(self, claim_id: int, row: int, url: str) -> Download:
        """The page of a row as if it had been fetched now. Raises InputError when it is of another URL."""
        log = self._log(claim_id).get(row, PageLog(row=row, url=url, final_url=url, reason="no saved page"))
        if log.url != url:
            raise InputError(f"row {row} was saved from {log.url}, not {url}", path=self.log_path(claim_id))
        path = self.page(claim_id, row)
        data = path.read_bytes() if path else b""
        return Download(
            url=url,
            final_url=log.final_url,
            path=path,
            status=log.status,
            bytes=len(data),
            sha256=hashlib.sha256(data).hexdigest() if path else "",
            content_type=log.content_type,
            redirects=log.redirects,
            attempts=log.attempts,
            seconds=log.seconds,
            fetched_at=log.fetched_at,
            reason="" if path else log.reason or "no saved page",
            transient=log.transient and not path,
        )

    def _stem(self, claim_id: int, row: int) -> Path:
        return self.folder / str(claim_id) / f"{row:02d}"

    def _pages(self, claim_id: int) -> dict[int, Path]:
        if claim_id not in self._found:
            pages: dict[int, Path] = {}
            folder = self.folder / str(claim_id)
            for page in sorted(folder.iterdir()) if folder.is_dir() else ():
                if not page.stem.isdecimal() or page.suffix == PART:
                    continue
                if int(page.stem) in pages:
                    raise InputError(f"{pages[int(page.stem)].name} is of the same row", path=page)
                pages[int(page.stem)] = page
            self._found = {claim_id: pages}
        return self._found[claim_id]

    def _log(self, claim_id: int) -> dict[int, PageLog]:
        if claim_id not in self._logs:
            self._logs = {claim_id: {log.row: log for log in read_log(self.log_path(claim_id))}}
        return self._logs[claim_id]


def _renamed(part: Path, ending: str) -> Path:
    """The page under its name, the only one of its row."""
    for other in {*ENDINGS.values(), OTHER} - {ending}:
        part.with_suffix(other).unlink(missing_ok=True)
    return part.replace(part.with_suffix(ending))

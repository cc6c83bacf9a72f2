"""The log of a scraped claim, `<id>.log.jsonl`: one line a row, whether it gave text or not."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from src.retrieval.pages.page_text import PageText
from src.retrieval.web.download import Download
from src.store import located, read_bytes

FAULT = "fault: "  # how the reason begins when it is this program that failed


class PageLog(msgspec.Struct, frozen=True, kw_only=True):
    """What became of row `row` (from 0) of the claim's TSV.

    `reason` says why there is no text, and is empty where there is. `type` is what the content is, `content_type` what
    the server said. `seconds` covers fetching with all attempts, `date` is the page's own. `transient`: another day
    may bring the page.
    """

    row: int
    url: str
    reason: str = ""
    sentences: int = 0
    status: int | None = None
    bytes: int = 0
    type: str = ""
    content_type: str = ""
    charset: str = ""
    extractor: str = ""
    date: str | None = None
    sha256: str = ""
    final_url: str = ""
    redirects: int = 0
    attempts: int = 0
    seconds: float = 0.0
    fetched_at: str = ""
    transient: bool = False

    @property
    def is_answered(self) -> bool:
        """Whether some server answered."""
        return self.status is not None or self.sentences > 0


def is_final(log: PageLog, *, retry: bool) -> bool:
    """Whether the row need not be tried again: faults always are, what another day may bring on `--retry_failed`."""
    return not log.reason.startswith(FAULT) and not (retry and log.transient)


def log_path(output: Path) -> Path:
    """`knowledge_store/dev/0.json` -> `knowledge_store/dev/0.log.jsonl`."""
    return output.with_name(f"{output.name.removesuffix('.json')}.log.jsonl")


def read_log(path: Path) -> list[PageLog]:
    """The lines of a log, without a last one that is torn; none when there is no such file. Raises InputError."""
    if not path.exists():
        return []
    return [log for _, log in located(read_bytes(path).rpartition(b"\n")[0], PageLog, path)]


def dates_of(logs: Iterable[PageLog]) -> dict[str, str]:
    """Return the day of each page by its address, where it is known."""
    return {log.url: log.date for log in logs if log.date}


def logged(row: int, download: Download, text: PageText, refused: str = "") -> PageLog:
    """The line of one row. `refused` says why text that was found may not be used for this claim."""
    reason = download.reason or refused or text.reason
    return PageLog(
        row=row,
        url=download.url,
        reason=reason,
        sentences=0 if reason else len(text.sentences),
        status=download.status,
        bytes=download.bytes,
        type=text.media_type,
        content_type=download.content_type,
        charset=text.charset,
        extractor=text.extractor,
        date=text.date,
        sha256=download.sha256,
        final_url=download.final_url,
        redirects=download.redirects,
        attempts=download.attempts,
        seconds=round(download.seconds, 3),
        fetched_at=download.fetched_at,
        transient=download.transient,
    )

"""The log of a scraped claim, `<id>.log.jsonl`: one line per row of the URL file, with or without text."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from src.retrieval.pages.reader import PageText
from src.retrieval.web.download import Download
from src.store import located, read_bytes

FAULT = "fault: "  # prefix of the reason when this program failed


class PageLog(msgspec.Struct, frozen=True, kw_only=True):
    """Log line: the result of one row of a claim's URL file.

    `row`: index of the row (from 0).
    `url`: URL in the row.
    `reason`: why there is no text; "" if there is text.
    `sentences`: number of sentences.
    `status`: last HTTP status, or None if no server answered.
    `bytes`: size of the page in bytes.
    `type`: media type of the content.
    `content_type`: Content-Type header of the server.
    `charset`, `extractor`: encoding of the page, and the extractor that found the text.
    `date`: publication date that the page gives, `YYYY-MM-DD`, or None.
    `sha256`: hash of the page.
    `final_url`: URL after redirects.
    `redirects`, `attempts`: number of redirects of the last attempt, and of attempts.
    `seconds`: time for fetching with all attempts, in seconds.
    `fetched_at`: start of the download, in UTC.
    `transient`: True if a later run may get the page.
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
        """True if a server answered for this row."""
        return self.status is not None or self.sentences > 0


def is_final(log: PageLog, *, retry: bool) -> bool:
    """Return True if the row of a log line need not be tried again.

    Rows that failed through an error of this program are always tried again, transient failures only with `retry`
    (`--retry_failed`).
    """
    return not log.reason.startswith(FAULT) and not (retry and log.transient)


def log_path(output: Path) -> Path:
    """Return the path of an output's log: `dev/0.json` or `dev/0.json.gz` -> `dev/0.log.jsonl`."""
    return output.with_name(f"{output.name.removesuffix('.gz').removesuffix('.json')}.log.jsonl")


def read_log(path: Path) -> list[PageLog]:
    """Return the lines of a log file, without an incomplete last line; an empty list if there is no file.

    Raises InputError for a damaged line.
    """
    if not path.exists():
        return []
    return [log for _, log in located(read_bytes(path).rpartition(b"\n")[0], PageLog, path)]


def dates_of(logs: Iterable[PageLog]) -> dict[str, str]:
    """Return the publication date of each page that has one, by URL."""
    return {log.url: log.date for log in logs if log.date}


def logged(row: int, download: Download, text: PageText, refused: str = "") -> PageLog:
    """Return the log line of one row, from the download and the text of its page.

    `refused`: why the page is refused for the claim, or "".
    """
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

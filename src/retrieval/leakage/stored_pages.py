"""Filter of a knowledge store: pages are refused by their URL, the URL they redirected to, and the date in their log.

Limitations: a store without `<id>.log.jsonl` (downloaded, zipped) has no dates; `without_dates` reports this.
"""

from collections.abc import Collection, Sequence
from pathlib import Path

from src.errors import InputError, StoreError
from src.records import Document
from src.retrieval.leakage.filters import Leakage
from src.retrieval.scraping.page_log import PageLog, log_path, read_log


def refused_pages(leakage: Leakage, claim_id: int, file: Path, pages: Sequence[Document]) -> list[str]:
    """Return why each page of the claim's file is refused, "" where it is not. Raises StoreError for a damaged log."""
    try:
        logs = {log.url: log for log in read_log(log_path(file.with_name(file.name.removesuffix(".gz"))))}
    except InputError as error:
        raise StoreError(str(error)) from None
    return [_refused(leakage, claim_id, page.url, logs.get(page.url)) for page in pages]


def _refused(leakage: Leakage, claim_id: int, url: str, log: PageLog | None) -> str:
    if reason := leakage.of_url(claim_id, url):
        return reason
    return "" if log is None else leakage.of_url(claim_id, log.final_url) or leakage.of_date(claim_id, log.date)


def without_dates(store: Path, claim_ids: Collection[int]) -> list[str]:
    """Return the note that pages of these claims have no log, so that no page is refused by its date; [] when all have
    one.
    """
    lacking = sum(not log_path(store / f"{claim_id}.json").exists() for claim_id in claim_ids)
    if not lacking:
        return []
    return [
        f"{lacking} of {len(claim_ids)} claims have no scraping log in {store}: the dates of their pages are not known"
    ]

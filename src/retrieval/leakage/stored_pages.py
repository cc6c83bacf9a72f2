"""Which pages of a knowledge store may not be evidence for its claim, by their address and by the date in their log.

But: a store that comes without `<id>.log.jsonl` (downloaded, zipped) says nothing of dates.
"""

from collections.abc import Sequence
from pathlib import Path

from src.records import Document
from src.retrieval.leakage.filters import Leakage
from src.retrieval.scraping.page_log import log_path, read_log


def refused_pages(leakage: Leakage, claim_id: int, file: Path, pages: Sequence[Document]) -> list[str]:
    """Why each page of the claim's file is refused, "" where it is not. Raises InputError for a damaged log."""
    dates = {log.url: log.date for log in read_log(log_path(file))}
    return [leakage.of_url(claim_id, page.url) or leakage.of_date(claim_id, dates.get(page.url)) for page in pages]

"""HTML of the list of a run's claims."""

from collections.abc import Sequence

from src.records import VERDICTS, Level
from src.report.claim.page import Link
from src.report.listing.rows import ListedClaim
from src.report.look import page


def list_page(name: str, rows: Sequence[ListedClaim], links: Sequence[Link]) -> str:
    """Return the list's HTML, without columns that are empty for all claims."""
    return page(
        "claims.html",
        script="claims.js",
        name=name,
        rows=rows,
        links=links,
        verdicts=VERDICTS,
        types=sorted({one for row in rows for one in row.types}),
        levels=list(Level),
        has_levels=any(row.level for row in rows),
        has_gold=any(row.gold is not None for row in rows),
        has_findings=any(row.findings is not None for row in rows),
        has_failed=any(row.has_failed for row in rows),
    )

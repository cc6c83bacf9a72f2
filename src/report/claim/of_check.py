"""Contents of a claim's page from a check."""

from src.check.decisive import what_would_change
from src.check.records import CheckedClaim
from src.check.reliance import CAUTION, reliance
from src.programs.drawing import drawn
from src.report.claim.evidence import pairs_of, retrieved
from src.report.claim.justification import said
from src.report.claim.view import ClaimView, in_order
from src.retrieval.scraping.page_log import dates_of


def view_of_check(checked: CheckedClaim) -> ClaimView:
    pairs = pairs_of(checked.prediction.evidence, [one.side for one in checked.stances])
    return ClaimView(
        claim=checked.claim,
        verdict=checked.prediction.pred_label,
        probabilities=in_order(checked.prediction.probabilities),
        pairs=pairs,
        justification=said(checked.explained, checked.findings),
        findings=tuple(checked.findings),
        level=checked.prediction.level,
        reliance=tuple(reliance(checked.prediction, checked.reliance)),
        decisive=checked.decisive,
        change=what_would_change(checked.prediction, checked.decisive),
        retrieved=retrieved(checked.sentences, pairs),
        programs=drawn(checked.trace) if checked.trace else None,
        pages=tuple(checked.pages),
        checked=f"{checked.checked_at:%Y-%m-%d %H:%M} UTC, by {checked.strategy}",
        models=tuple(checked.models.items()),
        dates=dates_of(checked.pages),
        seconds=tuple(checked.seconds.items()),
        notes=tuple(note for note in checked.notes if note != CAUTION),  # it is at the foot of the page
    )

"""Rows of the list of a run's claims."""

from collections.abc import Mapping, Set

import msgspec

from src.evaluation.averitec import ClaimScore
from src.records import Level, Prediction
from src.report.run.run import Run


class ListedClaim(msgspec.Struct, frozen=True):
    """A row. `gold` and `score` (Q+A) are None without a label; `findings` is None where no explanation was checked.

    `level` is None where the verdict model has no levels. An undecided claim is scored by its most likely verdict.
    """

    claim_id: int
    claim: str
    verdict: str
    gold: str | None = None
    score: float | None = None
    types: tuple[str, ...] = ()
    findings: int | None = None
    has_failed: bool = False
    level: Level | None = None

    @property
    def is_right(self) -> bool | None:
        return None if self.gold is None else self.gold == self.verdict


def listed(run: Run, scores: Mapping[int, ClaimScore], failed: Set[int]) -> list[ListedClaim]:
    """Return the rows; `scores` are by claim_id, of the claims that have a label."""
    return [_row(run, one, scores.get(one.claim_id), one.claim_id in failed) for one in run.predictions]


def _row(run: Run, one: Prediction, score: ClaimScore | None, has_failed: bool) -> ListedClaim:
    claim = run.claims.get(one.claim_id)
    label = claim.label if claim else None
    found = run.findings.get(one.claim_id)
    return ListedClaim(
        claim_id=one.claim_id,
        claim=one.claim,
        verdict=str(one.pred_label),
        gold=None if label is None else str(label),
        score=None if score is None else score.question_answer,
        types=tuple(claim.claim_types) if claim else (),
        findings=None if found is None else len(found),
        has_failed=has_failed,
        level=one.level,
    )

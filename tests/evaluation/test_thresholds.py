"""The score at every threshold."""

from src.evaluation.averitec import ClaimScore
from src.evaluation.thresholds import THRESHOLDS, threshold_curve
from src.records import Verdict

S, R, _, _ = Verdict


def test_a_claim_counts_while_its_evidence_lies_above_and_its_verdict_is_right() -> None:
    found = threshold_curve(
        [ClaimScore(R, R, 0.0, 0.25, []), ClaimScore(R, R, 0.0, 0.6, []), ClaimScore(R, S, 0.0, 0.9, [])]
    )
    at = dict(zip(THRESHOLDS, found.values, strict=True))
    assert (at[0.2], at[0.25], at[0.55], at[0.6], at[1.0]) == (2 / 3, 1 / 3, 1 / 3, 0.0, 0.0)


def test_the_band_holds_the_line_and_is_the_same_each_time() -> None:
    claims = [ClaimScore(R, R if n % 3 else S, 0.0, n / 40, []) for n in range(40)]
    found = threshold_curve(claims)
    assert all(low <= value <= high for low, value, high in zip(found.low, found.values, found.high, strict=True))
    assert any(low < high for low, high in zip(found.low, found.high, strict=True))
    assert found == threshold_curve(claims)

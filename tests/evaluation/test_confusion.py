"""Counts by label and verdict."""

from src.evaluation.averitec import ClaimScore
from src.evaluation.confusion import confusion
from src.records import Verdict

S, R, N, C = Verdict


def test_rows_are_labels_and_columns_verdicts() -> None:
    pairs = [(S, S), (S, R), (S, R), (R, R), (C, N)]
    rows = confusion([ClaimScore(label, guessed, 0.0, 0.0, []) for label, guessed in pairs])
    assert [(row.label, row.counts) for row in rows] == [
        (S, (1, 2, 0, 0)), (R, (0, 1, 0, 0)), (N, (0, 0, 0, 0)), (C, (0, 0, 1, 0)),
    ]  # fmt: skip
    assert rows[0].shares == (1 / 3, 2 / 3, 0.0, 0.0)
    assert (rows[2].claims, rows[2].shares) == (0, (0.0, 0.0, 0.0, 0.0))


def test_a_claim_without_a_verdict_counts_nowhere() -> None:
    assert sum(row.claims for row in confusion([ClaimScore(S, None, 0.0, 0.0, [])])) == 0

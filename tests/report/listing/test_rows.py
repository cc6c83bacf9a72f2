"""What the list says of a claim."""

from pathlib import Path

from src.evaluation.averitec import ClaimScore
from src.explanation.records import ExplainedClaim, Finding
from src.explanation.typology import ErrorType
from src.records import Verdict
from src.report.listing.rows import listed
from src.report.run.run import Run
from tests.report.runs import claim, prediction

S, R, N, C = Verdict
FOUND = Finding(0, 0, ErrorType.EXTRINSIC_ENTITY, "Nils", "is not in the evidence")


def test_a_row_holds_verdict_label_score_findings_and_failure() -> None:
    told = {n: ExplainedClaim(n, "c", "Refuted", explanation="Eels swim.") for n in (0, 1)}
    run = Run("run", Path(), [prediction(n, R) for n in range(3)], {n: claim(n, S if n else R) for n in range(3)},
              explanations=told, findings={0: [FOUND], 1: []})  # fmt: skip
    rows = listed(run, {0: ClaimScore(R, R, 0.1, 0.25, [])}, {2})
    assert [(row.gold, row.is_right, row.score, row.findings, row.has_failed) for row in rows] == [
        ("Refuted", True, 0.25, 1, False), ("Supported", False, None, 0, False), ("Supported", False, None, None, True),
    ]  # fmt: skip


def test_a_claim_without_a_label_is_neither_right_nor_wrong() -> None:
    (row,) = listed(Run("run", Path(), [prediction(0)]), {}, set())
    assert (row.gold, row.is_right, row.types, row.findings) == (None, None, (), None)

"""`bench.ev2r`: its rows, the lower bound, and what is compared with another judge."""

from collections.abc import Sequence

import pytest

from bench.ev2r.__main__ import Judging, KeptJudge, likeness, moved, row_of, table
from bench.ev2r.record import Recall, Result
from src.ev2r.loading import JudgingSettings
from src.ev2r.records import ClaimJudgment, FactVerdict, Judged, JudgedFact, Status
from src.ev2r.texts import ClaimTexts
from src.evaluation.averitec import Guess
from src.llm.protocol import ModelInfo
from src.records import QAPair, Verdict
from tests.bench.numbered_claims import CLAIMS

GUESSES = [Guess(n, Verdict.REFUTED, [QAPair(f"Which one is {n}?", f"It is {n}.")]) for n in range(4)]


class WordJudge:
    """Judge by equality: a side is supported if the other one has the same text."""

    info = ModelInfo("words", "none", "words")
    prompt_sha256 = ""
    at_once = 2

    def __init__(self) -> None:
        self.asked = 0

    def judge(self, claims: Sequence[ClaimTexts], *, only_questions: bool = False) -> list[ClaimJudgment]:
        self.asked += len(claims)
        return [_judged(claim) for claim in claims]


def _judged(claim: ClaimTexts) -> ClaimJudgment:
    same = [pair.text for pair in claim.predicted] == [pair.text for pair in claim.reference]
    fact = JudgedFact("x", FactVerdict.SUPPORTED if same else FactVerdict.NOT_ENOUGH)
    return ClaimJudgment(claim.claim_id, Status.SCORED, Judged([fact], [fact]), Judged([fact], [fact]))


def judging(judge: WordJudge) -> Judging:
    return Judging(KeptJudge(judge), JudgingSettings(judge="words"), CLAIMS, None, {"ours": [Recall(0, 1.0, 1.0)]})


def test_a_row_has_both_metrics_and_the_claims_of_the_other_judge() -> None:
    row, found = row_of(judging(WordJudge()), "ours", GUESSES)
    assert (row.scored, row.means.evidence_recall, row.means.averitec_above_half) == (4, 1.0, 1.0)
    assert row.meteor.question_answer > 0.9
    assert row.with_other is not None
    assert row.with_other.claims == 1
    assert [one.claim_id for one in row.recalls] == [0, 1, 2, 3]
    result = Result(found.judge, 0, 4, "", [row])
    assert "| ours | 1.000 | 1.000 | [1.000, 1.000] |" in table(result)


def test_equal_evidence_is_judged_once() -> None:
    judge = WordJudge()
    both = judging(judge)
    row_of(both, "ours", GUESSES)
    before = judge.asked
    row_of(both, "theirs", [Guess(one.claim_id, Verdict.SUPPORTED, one.evidence) for one in GUESSES])
    assert judge.asked == before


def test_the_lower_bound_has_the_evidence_of_the_next_claim() -> None:
    assert [one.claim_id for one in moved(GUESSES)] == [0, 1, 2, 3]
    assert [one.evidence[0].answer for one in moved(GUESSES)] == ["It is 1.", "It is 2.", "It is 3.", "It is 0."]  # type: ignore[union-attr]
    row, _ = row_of(judging(WordJudge()), "lower", moved(GUESSES))
    assert row.means.evidence_recall == 0


def test_likeness_is_over_the_claims_that_both_have() -> None:
    ours = [Recall(n, None, n / 3) for n in range(4)]
    other = [Recall(n, 0.5, (n / 3) ** 2) for n in range(1, 4)]
    assert likeness(ours, other).evidence == pytest.approx(1)
    assert (likeness(ours, other).claims, likeness(ours, other).questions) == (3, None)
    assert likeness(ours, []).evidence is None

"""Scores of judged claims: means over scored claims only, thresholds, baselines and intervals."""

import pytest

from src.ev2r.records import ClaimJudgment, FactVerdict, Judged, JudgedClaim, JudgedFact, Status, WrittenCounts
from src.ev2r.scores import JudgeInfo, scores
from src.ev2r.table import sections
from src.ev2r.texts import Inputs
from src.evaluation.tables import as_text
from src.records import Verdict

INFO = JudgeInfo("scripted:FILE", "FILE", "abc", "def", Inputs.HUGGING_FACE)


def judged(predicted: tuple[int, int], reference: tuple[int, int], **more: object) -> Judged:
    """Return a judgment with the given numbers of supported and of all facts."""
    sides = (
        [JudgedFact(str(n), FactVerdict.SUPPORTED if n < some else FactVerdict.NOT_ENOUGH) for n in range(whole)]
        for some, whole in (predicted, reference)
    )
    return Judged(*sides, **more)  # type: ignore[arg-type]


def claim(number: int, evidence: Judged | None, guessed: Verdict = Verdict.SUPPORTED, **more: object) -> JudgedClaim:
    questions = None if evidence is None else judged((1, 4), (1, 2))
    status = Status.SCORED if evidence is not None else Status.UNPARSEABLE
    judgment = ClaimJudgment(number, status, questions, evidence, reason="" if evidence else "no JSON object")
    return JudgedClaim(number, Verdict.SUPPORTED, guessed, judgment, **more)  # type: ignore[arg-type]


CLAIMS = [
    claim(0, judged((1, 2), (1, 2))),
    claim(1, judged((0, 0), (3, 4))),
    claim(2, judged((1, 1), (4, 4)), Verdict.REFUTED),
    claim(3, None),
]


def test_means_are_over_scored_claims_and_thresholds_differ_at_one_half() -> None:
    found = scores(CLAIMS, INFO)
    assert (found.n, found.scored, found.unparseable, found.call_failed) == (4, 3, 1, 0)
    assert found.evidence_recall == pytest.approx((0.5 + 0.75 + 1) / 3)
    assert found.evidence_precision == pytest.approx((0.5 + 0 + 1) / 3)
    assert found.evidence_f1 == pytest.approx((0.5 + 0 + 1) / 3)
    assert (found.question_recall, found.question_precision) == (0.5, 0.25)
    assert found.averitec_above_half == pytest.approx(1 / 3)
    assert found.averitec_at_least_half == pytest.approx(2 / 3)
    assert found.accuracy == pytest.approx(2 / 3)
    assert (found.no_evidence, found.lists_differ) == (0, 0)


def test_what_was_not_predicted_and_what_the_judge_listed_wrongly_are_counted() -> None:
    empty = ClaimJudgment(0, Status.SCORED, judged((0, 0), (0, 2)), judged((0, 0), (0, 2)), no_evidence=True)
    wrong = ClaimJudgment(1, Status.SCORED, judged((1, 1), (1, 1)), judged((1, 1), (1, 1)), lists_differ=True)
    found = scores([JudgedClaim(one.claim_id, Verdict.REFUTED, None, one) for one in (empty, wrong)], INFO)
    assert (found.no_evidence, found.lists_differ, found.evidence_recall) == (1, 1, 0.5)
    text = "\n".join(as_text(sections(found)))
    assert "Without predicted evidence, recall 0: 1" in text
    assert "more or fewer questions than there are: 1" in text


def test_intervals_hold_the_means_and_depend_on_the_seed_only() -> None:
    found = scores(CLAIMS, INFO)
    assert found.intervals is not None
    low, high = found.intervals.evidence_recall or (1, 0)
    assert low <= (found.evidence_recall or 0) <= high
    assert found.intervals == scores(CLAIMS, INFO).intervals
    many = [claim(n, judged((1, 1), (n, 40))) for n in range(40)]
    assert scores(many, INFO).intervals != scores(many, INFO, seed=5).intervals
    assert scores(CLAIMS, INFO, seed=None).intervals is None


def test_baselines() -> None:
    asking = ClaimJudgment(0, Status.SCORED, judged((1, 1), (1, 1)))
    found = scores([claim(0, judged((1, 2), (2, 2)), baseline=asking), *CLAIMS[1:]], INFO).baselines
    assert found is not None
    assert found.always_refuted.accuracy == 0
    assert found.always_refuted.averitec_at_least_half == 0
    assert found.claim_as_question is not None
    assert (found.claim_as_question.question_recall, found.claim_as_question.evidence_precision) == (1, 0.5)
    assert found.claim_as_question_scored == 1
    more = scores([claim(0, judged((1, 2), (2, 2)), baseline=asking), *CLAIMS[1:]], INFO)
    assert "Claim as question: means over 1 of these claims" in "\n".join(as_text(sections(more)))
    assert scores(CLAIMS, INFO).baselines.claim_as_question is None  # type: ignore[union-attr]
    assert scores(CLAIMS, INFO, with_baselines=False).baselines is None


def test_joined_evidence_has_no_scores_of_questions() -> None:
    joined = JudgedClaim(
        0, Verdict.REFUTED, Verdict.REFUTED, ClaimJudgment(0, Status.SCORED, None, judged((1, 1), (1, 1)))
    )
    found = scores([joined, *CLAIMS], INFO)
    assert (found.question_recall, found.question_f1) == (None, None)
    assert found.evidence_recall is not None


def test_nothing_is_scored() -> None:
    found = scores([claim(0, None)], INFO)
    assert (found.scored, found.evidence_recall, found.averitec_above_half, found.accuracy) == (0, None, None, None)
    assert (found.intervals, found.baselines) == (None, None)
    assert "not applicable" in "\n".join(as_text(sections(found)))


def test_counts_that_differ_are_named() -> None:
    found = scores([claim(0, judged((1, 2), (1, 2), counts=WrittenCounts(5)))], INFO)
    assert found.counts_differ == 1
    assert "other counts" in "\n".join(as_text(sections(found)))


def test_the_table_names_the_judge_and_what_was_left_out() -> None:
    text = "\n".join(as_text(sections(scores(CLAIMS, INFO))))
    assert "judge scripted:FILE: 3 of 4 claims scored" in text
    assert "Not scored, and in no mean: 1 (unreadable after a second request 1, failed 0)" in text
    assert "Llama-3.3-70B" in text

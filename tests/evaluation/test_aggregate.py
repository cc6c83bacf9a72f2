"""The table over claims, the confusion matrix and the curve over thresholds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score

from src.evaluation.aggregate import THRESHOLDS, Tally, confusion, threshold_curve
from src.evaluation.averitec import ClaimScore
from src.records import VERDICTS, Verdict

S, R, N, C = Verdict


def claim(
    label: Verdict, guessed: Verdict | None, answer: float, *types: str, question: float | None = 0.5
) -> ClaimScore:
    return ClaimScore(label, guessed, question, answer, list(types))


def test_a_level_must_be_passed_and_the_verdict_right() -> None:
    table = Tally([claim(S, S, 0.25), claim(S, S, 0.26), claim(S, R, 0.9), claim(R, R, 0.5)]).scores()
    assert table.averitec == {"0.1": 0.75, "0.2": 0.75, "0.25": 0.5, "0.3": 0.25, "0.4": 0.25, "0.5": 0.0}


def test_by_type_the_verdict_plays_no_part() -> None:
    table = Tally([claim(S, R, 0.8, "Quote", "Number"), claim(S, S, 0.25, "Quote"), claim(S, S, 0.4)]).scores()
    assert table.by_type == {"Number": 0.8, "Quote": 0.4}


def test_means() -> None:
    table = Tally([claim(S, S, 0.2, question=0.4), claim(S, S, 0.4, question=0.8)]).scores()
    assert [table.question_only, table.question_answer] == pytest.approx([0.6, 0.3])


def test_question_only_is_none_where_one_claim_has_none() -> None:
    assert Tally([claim(S, S, 0.2, question=None), claim(S, S, 0.4)]).scores().question_only is None


def test_a_claim_that_was_not_predicted_is_wrong_and_in_no_class() -> None:
    table = Tally([claim(S, S, 0.9), claim(S, None, 0.0)]).scores()
    assert table.veracity["Supported"] == pytest.approx(2 / 3)
    assert table.veracity["acc"] == 0.5


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(VERDICTS), st.sampled_from(VERDICTS)), min_size=1, max_size=30))
def test_f1_and_accuracy_are_those_of_scikit_learn(verdicts: list[tuple[Verdict, Verdict]]) -> None:
    veracity = Tally([claim(label, guessed, 0.5) for label, guessed in verdicts]).scores().veracity
    gold, guessed = ([str(verdict) for verdict in side] for side in zip(*verdicts, strict=True))
    names = [verdict.value for verdict in VERDICTS]
    f1 = f1_score(gold, guessed, labels=names, average=None, zero_division=0)
    assert [veracity[name] for name in names] == pytest.approx(list(f1), abs=1e-15)
    assert veracity["macro"] == pytest.approx(f1_score(gold, guessed, labels=names, average="macro", zero_division=0))
    assert veracity["acc"] == pytest.approx(accuracy_score(gold, guessed))
    assert list(veracity) == [*names, "macro", "acc"]


def test_a_resample_is_the_table_of_the_claims_drawn() -> None:
    claims = [claim(S, S, 0.2, "Quote"), claim(R, S, 0.6), claim(R, R, 0.9, "Quote")]
    drawn = Tally([claims[0], claims[2], claims[2]]).scores()
    one = Tally(claims).resampled(np.array([[1.0], [0.0], [2.0]]), lambda values: float(values[0]))
    assert one.question_answer == pytest.approx(drawn.question_answer)
    assert one.averitec == pytest.approx(drawn.averitec)
    assert one.veracity == pytest.approx(drawn.veracity)
    assert one.by_type == pytest.approx(drawn.by_type)


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


def test_a_claim_counts_while_its_evidence_lies_above_and_its_verdict_is_right() -> None:
    curve = threshold_curve(
        [ClaimScore(R, R, 0.0, 0.25, []), ClaimScore(R, R, 0.0, 0.6, []), ClaimScore(R, S, 0.0, 0.9, [])]
    )
    at = dict(zip(THRESHOLDS, curve.values, strict=True))
    assert (at[0.2], at[0.25], at[0.55], at[0.6], at[1.0]) == (2 / 3, 1 / 3, 1 / 3, 0.0, 0.0)


def test_the_band_holds_the_line_and_is_the_same_each_time() -> None:
    claims = [ClaimScore(R, R if n % 3 else S, 0.0, n / 40, []) for n in range(40)]
    curve = threshold_curve(claims)
    assert all(low <= value <= high for low, value, high in zip(curve.low, curve.values, curve.high, strict=True))
    assert any(low < high for low, high in zip(curve.low, curve.high, strict=True))
    assert curve == threshold_curve(claims)

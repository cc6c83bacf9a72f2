import pytest

from src.one_call.answers import Ratings
from src.one_call.verdict import Calibration, judged
from src.records import VERDICTS, Level, OverruledBy, Verdict
from src.stance.levels import Levels, Limits

LEVELS = Levels({Verdict.REFUTED: Limits(0.9, 0.5)}, least=0.2, alpha=0.1, claims=100)


def test_probabilities_are_the_softmax_of_the_ratings() -> None:
    judgment = judged([Ratings(1, 5, 2, 1)])
    assert judgment.verdict is Verdict.REFUTED
    assert judgment.probabilities is not None
    assert judgment.probabilities[Verdict.REFUTED] == pytest.approx(0.920456, abs=1e-6)
    assert sum(judgment.probabilities.values()) == pytest.approx(1, abs=1e-5)
    assert (judgment.level, judgment.verdict_set) == (None, None)


@pytest.mark.parametrize(
    ("ratings", "verdict"),
    [
        (Ratings(5, 5, 5, 5), Verdict.REFUTED),
        (Ratings(5, 1, 5, 5), Verdict.SUPPORTED),
        (Ratings(1, 1, 4, 4), Verdict.NOT_ENOUGH_EVIDENCE),
        (Ratings(1, 1, 1, 2), Verdict.CONFLICTING),
    ],
)
def test_ties_go_to_the_more_frequent_label(ratings: Ratings, verdict: Verdict) -> None:
    assert judged([ratings]).verdict is verdict


def test_the_ratings_of_samples_are_averaged() -> None:
    assert judged([Ratings(5, 3, 1, 1), Ratings(1, 4, 1, 1), Ratings(1, 3, 2, 1)]).verdict is Verdict.REFUTED


def test_a_calibration_gives_levels_and_biases() -> None:
    plain = Calibration("m", None, "p", {}, 1.0, (0, 0, 0, 0), LEVELS)
    firm = judged([Ratings(1, 5, 2, 1)], plain)
    assert (firm.level, firm.verdict_set) == (Level.FIRM, [Verdict.REFUTED])
    cool = judged([Ratings(1, 5, 2, 1)], Calibration("m", None, "p", {}, 4.0, (0, 0, 0, 0), LEVELS))
    assert cool.probabilities is not None
    assert cool.probabilities[Verdict.REFUTED] < 0.5
    assert cool.level is Level.UNDECIDED
    biased = judged([Ratings(4, 5, 1, 1)], Calibration("m", None, "p", {}, 1.0, (2, 0, 0, 0), LEVELS))
    assert (biased.verdict, biased.overruled_by) == (Verdict.SUPPORTED, OverruledBy.BIASES)
    assert biased.level is Level.UNDECIDED  # a verdict without limits


def test_every_verdict_has_a_rating() -> None:
    assert list(Ratings(1, 2, 3, 4).by_verdict().items()) == list(zip(VERDICTS, (1, 2, 3, 4), strict=True))

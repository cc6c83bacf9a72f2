"""What the page of a run says of verdicts against labels: calibration, risk against coverage, precision by level."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from src.records import Level, Prediction, Verdict
from src.report.run import Run
from src.report.verdicts import calibration_figure, level_table, risk_figure
from tests.report.runs import claim, prediction

R, S = Verdict.REFUTED, Verdict.SUPPORTED
SURER = "surer than it is right"
BELOW = "The line lies wholly below the ideal"


def run_of(predictions: Sequence[Prediction], labels: Sequence[Verdict | None]) -> Run:
    return Run("run", Path(), predictions, {number: claim(number, label) for number, label in enumerate(labels)})


def judged(*groups: tuple[int, float, int]) -> Run:
    """Return a run of groups of claims, each a number of claims, their probability and how many of them are right."""
    each = [(chance, R if place < right else S) for count, chance, right in groups for place in range(count)]
    return run_of(
        [prediction(number, R, probability=chance) for number, (chance, _) in enumerate(each)],
        [label for _, label in each],
    )


def said_of_calibration(run: Run) -> str:
    figure = calibration_figure(run)
    assert figure is not None
    return figure.caption


def test_a_model_that_is_surer_than_it_is_right_is_called_so() -> None:
    said = said_of_calibration(judged((20, 0.9, 10), (20, 0.75, 10)))
    assert said.endswith(
        f" On these claims the model is {SURER}: its mean probability is 0.825, its share right 0.500."
    )


def test_one_claim_in_a_bin_of_its_own_hides_nothing() -> None:
    assert SURER in said_of_calibration(judged((40, 0.9, 20), (1, 0.45, 1)))


@pytest.mark.parametrize(
    "groups",
    [
        [(20, 0.9, 18), (20, 0.75, 15)],  # as right as it is sure
        [(20, 0.9, 17), (20, 0.75, 14)],  # every bin below the ideal, by less than chance may do
        [(20, 0.75, 20)],
        [(40, 0.6, 40), (4, 0.9, 0)],  # one bin far below, the mean is not
    ],
)
def test_a_model_that_is_not_is_not_called_so(groups: Sequence[tuple[int, float, int]]) -> None:
    assert SURER not in said_of_calibration(judged(*groups))


@pytest.mark.parametrize(
    ("groups", "is_said"),
    [
        ([(20, 0.9, 17), (20, 0.75, 14)], True),
        ([(3, 0.54, 1), (4, 0.62, 2), (5, 0.73, 2)], True),  # as many claims as the sample has
        ([(20, 0.9, 18), (20, 0.75, 14)], False),
        ([(20, 0.9, 17)], False),  # one bin is no line
        ([(20, 0.9, 10), (20, 0.75, 10)], False),  # surer than right: said by then
    ],
)
def test_a_line_below_the_ideal_is_told(groups: Sequence[tuple[int, float, int]], is_said: bool) -> None:
    assert (BELOW in said_of_calibration(judged(*groups))) is is_said


def test_bins_of_the_calibration_are_a_table() -> None:
    figure = calibration_figure(judged((20, 0.9, 10), (10, 0.75, 8)))
    assert figure is not None
    assert [row[:4] for row in figure.data.rows] == [
        (".7 to .8", "10", "0.750", "0.800"), (".9 to 1", "20", "0.900", "0.500"),
    ]  # fmt: skip


def test_the_risk_curve_answers_the_surest_claims_first() -> None:
    figure = risk_figure(judged((5, 0.9, 5), (5, 0.8, 4), (10, 0.6, 5)))
    assert figure is not None
    assert figure.caption.startswith(
        "Claims answered by falling probability of their verdict, 20 in all: of the surest 25% 0.000 are wrong; "
        "of the surest 50% 0.100 are wrong; of the surest 100% 0.300 are wrong."
    )
    assert [row[:2] for row in figure.data.rows if row[0] in ("0.05", "0.50", "1.00")] == [
        ("0.05", "0.000"), ("0.50", "0.100"), ("1.00", "0.300"),
    ]  # fmt: skip
    assert "Share of claims answered, the surest first" in str(figure.drawing)


def test_without_probabilities_or_labels_there_is_no_figure() -> None:
    for run in (run_of([prediction(0)], [R]), run_of([prediction(0, probability=0.9)], [None])):
        assert calibration_figure(run) is None
        assert risk_figure(run) is None


def test_precision_of_each_level_the_surest_first() -> None:
    levels = [Level.UNDECIDED, Level.FIRM, Level.FIRM, Level.FIRM, Level.UNDECIDED, None, Level.FIRM]
    run = run_of(
        [replace(prediction(number, R), level=level) for number, level in enumerate(levels)], [S, R, R, S, R, R, None]
    )
    table = level_table(run)
    assert table is not None
    assert [row[:3] for row in table.rows] == [("firm", "3", "0.667"), ("undecided", "2", "0.500")]
    assert [row[3] for row in table.rows] == ["[0.208, 0.939]", "[0.095, 0.905]"]


def test_without_levels_there_is_no_table() -> None:
    assert level_table(run_of([prediction(0)], [R])) is None

"""Scores, calibration and published figures of a run."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from bench.scoreboard.record import read_result
from src.evaluation.aggregate import Scores, main_figures
from src.evaluation.bootstrap import Interval
from src.evaluation.scoreboard import evaluate
from src.records import Level, Prediction, Verdict
from src.report.run import Run, RunFolder, read_run
from src.report.scores import PUBLISHED, golds_of, guess_of, scored, why_not_comparable
from src.report.verdicts import calibration_figure, level_table, risk_figure
from src.store import read_claims
from tests.report.runs import claim, prediction, twelve


def run_of(tmp: Path) -> Run:
    folder, labels = twelve(tmp)
    return read_run(RunFolder(folder), "run", read_claims(labels))


def test_the_board_is_that_of_the_evaluation_step(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    golds = golds_of(run.claims.values())
    result = scored(run, golds)
    assert result is not None
    assert result.board == evaluate(
        [golds[one.claim_id] for one in run.predictions], [guess_of(one) for one in run.predictions]
    )
    assert list(result.claims) == [one.claim_id for one in run.predictions]


def without(run: Sequence[int]) -> Run:
    return Run("run", Path(), [prediction(one) for one in run], {0: claim(0), 1: claim(1, None)})


def test_a_claim_without_a_label_leaves_nothing_to_score() -> None:
    run = without([0, 1])
    assert scored(run, golds_of(run.claims.values())) is None
    assert scored(without([0]), golds_of(run.claims.values())) is not None


WHOLE = Run("run", Path(), [prediction(one) for one in range(500)], {one: claim(one) for one in range(500)})


def test_all_claims_of_dev_are_comparable() -> None:
    assert why_not_comparable(WHOLE, "dev") == ""


@pytest.mark.parametrize(("run", "split", "why"), [
    (WHOLE, "test", "this run is of test"),
    (Run("run", Path(), WHOLE.predictions[:499], WHOLE.claims), "dev", "this run has 499"),
    (Run("run", Path(), WHOLE.predictions, {}), "dev", "not every claim of this run has a label"),
])  # fmt: skip
def test_another_split_or_fewer_claims_are_not(run: Run, split: str, why: str) -> None:
    assert why in why_not_comparable(run, split)


def rounded(scores: Scores[float]) -> list[float]:
    return [round(one, 3) for one in main_figures(scores).values() if one is not None]


def ends(intervals: Scores[Interval]) -> tuple[list[float], list[float]]:
    intervals_found = [one for one in main_figures(intervals).values() if one is not None]
    return [round(low, 3) for low, _ in intervals_found], [round(high, 3) for _, high in intervals_found]


def test_figures_are_those_that_the_scoreboard_measured(project_root: Path) -> None:
    rows = read_result(project_root / "bench" / "results" / "scoreboard.json").rows
    measured = [
        list(zip(rounded(row.scores), *ends(row.scores.intervals), strict=True))
        for row in rows
        if row.kind == "published" and row.claims == (0, 500) and row.scores.intervals
    ]
    assert [list(map(tuple, one[2:])) in measured for one in PUBLISHED] == [True] * len(PUBLISHED)


R, S = Verdict.REFUTED, Verdict.SUPPORTED
OVERCONFIDENT, BELOW = "overconfident", "The line is below the ideal in every bin"


def judged_run(predictions: Sequence[Prediction], labels: Sequence[Verdict | None]) -> Run:
    return Run("run", Path(), predictions, {number: claim(number, label) for number, label in enumerate(labels)})


def judged(*groups: tuple[int, float, int]) -> Run:
    """Return a run of groups of claims, each a number of claims, their probability and how many of them are right."""
    each = [(chance, R if place < right else S) for count, chance, right in groups for place in range(count)]
    return judged_run(
        [prediction(number, R, probability=chance) for number, (chance, _) in enumerate(each)],
        [label for _, label in each],
    )


@pytest.mark.parametrize(
    ("groups", "remark"),
    [
        ([(20, 0.9, 10), (20, 0.75, 10)], OVERCONFIDENT),
        ([(40, 0.9, 20), (1, 0.45, 1)], OVERCONFIDENT),  # one claim in a bin above the ideal hides nothing
        ([(20, 0.9, 18), (20, 0.75, 15)], ""),  # as often right as the probabilities say
        ([(20, 0.75, 20)], ""),
        ([(40, 0.6, 40), (4, 0.9, 0)], ""),  # one bin is far below, the mean is not
        ([(20, 0.9, 17)], ""),  # one bin is no line
        ([(20, 0.9, 18), (20, 0.75, 14)], ""),
        ([(20, 0.9, 17), (20, 0.75, 14)], BELOW),  # every bin is below, by less than chance may do
        ([(3, 0.54, 1), (4, 0.62, 2), (5, 0.73, 2)], BELOW),  # as many claims as the sample has
    ],
)
def test_a_remark_on_calibration_needs_its_evidence(groups: Sequence[tuple[int, float, int]], remark: str) -> None:
    figure = calibration_figure(judged(*groups))
    assert figure is not None
    assert [one for one in (OVERCONFIDENT, BELOW) if one in figure.caption] == [remark][: bool(remark)]


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
    for run in (judged_run([prediction(0)], [R]), judged_run([prediction(0, probability=0.9)], [None])):
        assert calibration_figure(run) is None
        assert risk_figure(run) is None


def test_precision_of_each_level_the_surest_first() -> None:
    levels = [Level.UNDECIDED, Level.FIRM, Level.FIRM, Level.FIRM, Level.UNDECIDED, None, Level.FIRM]
    run = judged_run(
        [replace(prediction(number, R), level=level) for number, level in enumerate(levels)], [S, R, R, S, R, R, None]
    )
    table = level_table(run)
    assert table is not None
    assert [row[:3] for row in table.rows] == [("firm", "3", "0.667"), ("undecided", "2", "0.500")]
    assert [row[3] for row in table.rows] == ["[0.208, 0.939]", "[0.095, 0.905]"]


def test_without_levels_there_is_no_table() -> None:
    assert level_table(judged_run([prediction(0)], [R])) is None

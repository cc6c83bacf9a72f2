"""Scores, calibration and published figures of a run."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from bench.scoreboard.record import read_result
from src.evaluation import averitec, baselines
from src.evaluation.aggregate import Scores, main_figures
from src.evaluation.bootstrap import Interval
from src.evaluation.scoreboard import evaluate
from src.records import Level, Prediction, Verdict
from src.report import scores as module
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
    found = scored(run, golds)
    assert found is not None
    assert found.board == evaluate(
        [golds[one.claim_id] for one in run.predictions], [guess_of(one) for one in run.predictions]
    )
    assert list(found.claims) == [one.claim_id for one in run.predictions]


def test_each_claim_is_scored_once_and_once_more_as_its_floor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def counted(gold: averitec.Gold, guess: averitec.Guess) -> averitec.ClaimScore:
        asked.append(gold.claim_id)
        return averitec.score(gold, guess)

    monkeypatch.setattr(module, "score", counted)
    monkeypatch.setattr(baselines, "score", counted)
    run = run_of(tmp_path)
    scored(run, golds_of(run.claims.values()))
    assert sorted(asked) == sorted([*range(12), *range(12)])


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
    found = [one for one in main_figures(intervals).values() if one is not None]
    return [round(low, 3) for low, _ in found], [round(high, 3) for _, high in found]


def test_figures_are_those_that_the_scoreboard_measured(project_root: Path) -> None:
    rows = read_result(project_root / "bench" / "results" / "scoreboard.json").rows
    measured = [
        list(zip(rounded(row.scores), *ends(row.scores.intervals), strict=True))
        for row in rows
        if row.kind == "published" and row.claims == (0, 500) and row.scores.intervals
    ]
    assert [list(map(tuple, one[2:])) in measured for one in PUBLISHED] == [True] * len(PUBLISHED)


R, S = Verdict.REFUTED, Verdict.SUPPORTED
SURER = "surer than it is right"
BELOW = "The line lies wholly below the ideal"


def judged_run(predictions: Sequence[Prediction], labels: Sequence[Verdict | None]) -> Run:
    return Run("run", Path(), predictions, {number: claim(number, label) for number, label in enumerate(labels)})


def judged(*groups: tuple[int, float, int]) -> Run:
    """Return a run of groups of claims, each a number of claims, their probability and how many of them are right."""
    each = [(chance, R if place < right else S) for count, chance, right in groups for place in range(count)]
    return judged_run(
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

"""Published figures stand beside comparable runs only, and are those of the scoreboard."""

from pathlib import Path

import pytest

from bench.scoreboard.record import read_result
from src.evaluation.aggregate import Scores
from src.evaluation.bootstrap import Interval
from src.evaluation.main_figures import main_figures
from src.report.run import Run
from src.report.scores import PUBLISHED, why_not_comparable
from tests.report.runs import claim, prediction

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

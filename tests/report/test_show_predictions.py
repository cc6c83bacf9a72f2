"""How a prediction is printed."""

import pytest
from msgspec.structs import replace

from src.records import Level
from src.report.show_predictions import describe
from tests.report.runs import prediction


@pytest.mark.parametrize(
    ("level", "probability", "line"),
    [
        (None, 0.0, "Refuted"),
        (None, 0.36, "Refuted (36%)"),
        (Level.FIRM, 0.9, "Refuted (firm, 90%)"),
        (Level.LEANING, 0.6, "Leaning to Refuted (60%)"),
        (Level.UNDECIDED, 0.36, "Undecided (likeliest: Refuted, 36%)"),
    ],
)
def test_a_verdict_is_printed_with_its_level(level: Level | None, probability: float, line: str) -> None:
    shown = describe(replace(prediction(3, probability=probability), level=level))
    assert f"    verdict   {line}" in shown.splitlines()

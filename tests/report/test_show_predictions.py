"""How a prediction is printed."""

from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from src.programs.predictions import prediction as of_programs
from src.programs.records import ClaimTrace
from src.records import Level, Value, Verdict
from src.report.show_predictions import describe, main
from tests.report.runs import prediction


@pytest.mark.parametrize(
    ("level", "probability", "line"),
    [
        (None, 0.0, "Refuted (no level)"),
        (None, 0.36, "Refuted (36%, no level)"),
        (Level.FIRM, 0.9, "Refuted (firm, 90%)"),
        (Level.LEANING, 0.6, "Leaning to Refuted (60%)"),
        (Level.UNDECIDED, 0.36, "Undecided (likeliest: Refuted, 36%)"),
    ],
)
def test_a_verdict_is_printed_with_its_level(level: Level | None, probability: float, line: str) -> None:
    shown = describe(replace(prediction(3, probability=probability), level=level))
    assert f"    verdict   {line}" in shown.splitlines()


def test_the_verdicts_that_are_not_ruled_out_are_printed() -> None:
    both = [Verdict.REFUTED, Verdict.CONFLICTING]
    shown = describe(replace(prediction(3, probability=0.6), level=Level.LEANING, verdict_set=both))
    assert (
        f"    verdict   Leaning to Refuted (60%); not ruled out: Refuted or {Verdict.CONFLICTING}" in shown.splitlines()
    )


def test_a_verdict_by_programs_is_printed_as_undecided() -> None:
    shown = describe(of_programs(ClaimTrace(3, "Eels swim.", Value.TRUE, 1.0, 1, []), []))
    assert "    verdict   Undecided (likeliest: Supported)" in shown.splitlines()


def test_probabilities_without_the_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "predictions.json"
    line = {"claim_id": 3, "claim": "c", "evidence": [], "pred_label": "Refuted", "probabilities": {"Supported": 1}}
    path.write_bytes(msgspec.json.encode([line]))
    assert main([str(path)]) == 2
    message = "line 1: probabilities has no Refuted, the pred_label; give one to each verdict"
    assert capsys.readouterr().err == f"error: {path}, {message}\n"

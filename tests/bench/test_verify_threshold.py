"""`bench.verify_threshold`: the threshold comes from the claims for tuning alone, and is held against programs."""

import json
from pathlib import Path

import numpy as np
import pytest

from bench import verify_threshold
from bench.verify_threshold import Tried, chosen, cut_at, main, probabilities
from src.errors import InputError
from src.programs.records import ClaimTrace
from src.programs.whole_claim import trace_of
from src.records import Value
from src.store import encode_lines, read_json
from tests.programs.scoring.traces import questioned, traced, verified

TRUE_AT = {0: 0.9, 1: 0.8, 2: 0.7, 3: 0.6, 4: 0.95, 5: 0.9, 6: 0.72, 7: 0.71}  # even places are true
GOLD = [
    {"claim": f"Claim {at}.", "label": "REFUTED" if at in (2, 3, 6, 7) else "SUPPORTED", "num_hops": 2 + at % 2}
    for at in TRUE_AT
]


def whole(claim_id: int, true: float) -> ClaimTrace:
    value, sure = (Value.TRUE, true) if true >= 0.5 else (Value.FALSE, 1 - true)
    return trace_of(claim_id, f"Claim {claim_id}.", value, sure, [], 1)


def files(folder: Path, *programs: ClaimTrace) -> list[str]:
    """The flags: the first four claims for tuning, the others to report."""
    (folder / "gold.jsonl").write_text("\n".join(map(json.dumps, GOLD)), "utf-8")
    (folder / "tune.json").write_bytes(encode_lines(whole(at, TRUE_AT[at]) for at in range(4)))
    (folder / "report.json").write_bytes(encode_lines(whole(at, TRUE_AT[at]) for at in range(4, 8)))
    (folder / "programs.json").write_bytes(encode_lines(programs))
    report = ["report", *(["programs"] if programs else [])]
    return ["--tune", f"{folder}/tune.json", "--gold", f"{folder}/gold.jsonl",
            "--report", *(f"{folder}/{name}.json" for name in report)]  # fmt: skip


@pytest.fixture(autouse=True)
def _own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify_threshold, "RESULTS", tmp_path / "results.json")


def written(folder: Path) -> Tried:
    return read_json(folder / "results.json", dict[str, Tried])["report"]


def test_the_best_threshold_and_of_equals_the_nearest_to_one_half() -> None:
    gold = np.array([0.0, 0.0, 1.0, 1.0])
    assert chosen(gold, np.array([0.6, 0.7, 0.8, 0.9])) == pytest.approx(0.75)
    assert chosen(gold, np.array([0.1, 0.2, 0.3, 0.4])) == pytest.approx(0.25)
    assert chosen(np.array([0.0, 1.0, 0.0, 1.0]), np.array([0.2, 0.4, 0.7, 0.9])) == pytest.approx(0.3)
    with pytest.raises(InputError, match="one probability"):
        chosen(gold, np.full(4, 0.8))


def test_probabilities_of_true_are_read_from_either_value(tmp_path: Path) -> None:
    unknown = trace_of(2, "Claim 2.", Value.UNKNOWN, 0.0, [], 1)
    values = probabilities([whole(0, 0.8), whole(1, 0.3), unknown], tmp_path)
    assert values.tolist() == pytest.approx([0.8, 0.3, 0.0])
    assert cut_at(values, 0.0).tolist() == [1, 1, 0], "what is unknown is never true"
    steps = traced(3, Value.TRUE, questioned("Who?", "Ann"), verified("Ann lives.", Value.TRUE))
    with pytest.raises(InputError, match="claim 3 was not verified as a whole"):
        probabilities([steps], tmp_path)


def test_thresholds_and_programs_stand_beside_each_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    values = (Value.TRUE, Value.TRUE, Value.FALSE, Value.TRUE)
    assert main(files(tmp_path, *(traced(at, value) for at, value in enumerate(values, start=4)))) == 0
    result = written(tmp_path)
    assert (result.tune_claims, result.tune_macro_f1, result.traces) == (4, 1.0, ["report", "programs"])
    every = {score.cut: score for score in result.scores if score.group == "all"}
    assert [every[cut].threshold for cut in ("usual", "chosen", "median")] == pytest.approx([0.5, 0.75, 0.81])
    assert every["usual"].macro_f1.value == pytest.approx(1 / 3), "all true"
    assert (every["chosen"].macro_f1.value, every["median"].accuracy.value) == (1.0, 1.0)
    programs = every["chosen"].programs_accuracy
    assert programs is not None
    assert programs.to_first is not None
    assert (programs.value, programs.to_first.value) == (0.75, -0.25)
    assert [score.claims for score in result.scores] == [2, 2, 2, 2, 2, 2, 4, 4, 4]
    rows = capsys.readouterr().out.splitlines()
    assert rows[-2].startswith("| 4, all | chosen, 0.7500 | 100.0 (")


def test_programs_may_be_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(files(tmp_path)) == 0
    assert {score.programs_macro_f1 for score in written(tmp_path).scores} == {None}
    assert capsys.readouterr().out.splitlines()[-1].endswith("|  |  |")


def test_claims_tuned_on_are_not_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = files(tmp_path)
    (tmp_path / "report.json").write_bytes(encode_lines(whole(at, TRUE_AT[at]) for at in (3, 4)))
    assert main(flags) == 2
    assert "1 of its claims, such as 3, stand in" in capsys.readouterr().err
    assert not (tmp_path / "results.json").exists()

"""Which side claims are on at a threshold."""

from pathlib import Path

import pytest

from bench.reason_thresholds import THRESHOLDS, main, side_at
from src.models.entailment import Entailment
from src.records import Side
from src.stance.reader import StanceReader
from src.stance.records import Stance
from tests.bench.yes_or_no import write_averitec
from tests.stance.scripted import scripted_reading

YES = 0.896  # probability that the scripted classifier gives an answer which decides
FOR, AGAINST = Stance(Side.FOR, 0.8, 0.1), Stance(Side.AGAINST, 0.05, 0.9)
REPEATED, NEITHER = Stance(Side.REPEATS, 0.99, 0.0), Stance(Side.NEITHER, 0.3, 0.2)


@pytest.mark.parametrize(
    ("stances", "threshold", "side"),
    [
        ([FOR, NEITHER], 0.7, Side.FOR),
        ([AGAINST, REPEATED], 0.7, Side.AGAINST),
        ([FOR, AGAINST], 0.7, None),
        ([FOR, AGAINST], 0.85, Side.AGAINST),
        ([REPEATED, NEITHER], 0.5, None),
        ([], 0.5, None),
    ],
)
def test_only_one_side_decides(stances: list[Stance], threshold: float, side: Side | None) -> None:
    assert side_at(stances, threshold) is side


def test_claims_with_an_answer_are_decided_up_to_its_probability(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_averitec(tmp_path, "bench.reason_thresholds", monkeypatch)
    for name in ("RETRIEVED", "PACK", "SCENARIOS"):
        monkeypatch.setattr(f"bench.reason_thresholds.{name}", None)
    reader = StanceReader(Entailment(scripted_reading()))
    monkeypatch.setattr("bench.reason_thresholds.load_stance_reader", lambda folder: reader)
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    heads, rows = lines[:: len(THRESHOLDS) + 1], [line.split() for line in lines if line.startswith(" ")]
    assert [head.partition(",")[0] for head in heads] == ["all", "AVeriTeC"]
    own, again = rows[: len(THRESHOLDS)], rows[len(THRESHOLDS) :]
    assert own == again
    claims = int(heads[0].split()[1])
    for threshold, (_, decided, *right) in zip(THRESHOLDS, own, strict=True):
        assert right == (["1.000", "enough"] if threshold < YES else ["0.000"])
        assert 0 < int(decided) < claims if threshold < YES else decided == "0"  # some have no answer in reach

"""Verdicts with and without the evidence, and means over judgments with and without probabilities."""

from collections import Counter
from pathlib import Path

import msgspec
import pytest

from bench.check.gold_stores import measured_claims
from bench.evidence_left_out import Row, Shown, main, shown
from src.errors import InputError
from src.models.veracity import Judgment
from src.records import VERDICTS, Verdict
from src.stance.stacker import load_stacked_verdict
from tests.bench.yes_or_no import claims, write_averitec
from tests.stance.scripted import scripted_reading
from tests.stance.test_stacker import saved

BY_RULE = Judgment(Verdict.NOT_ENOUGH_EVIDENCE)


def test_judgments_by_rule_have_no_probability() -> None:
    model = Judgment(Verdict.SUPPORTED, dict(zip(VERDICTS, (0.6, 0.2, 0.1, 0.1), strict=True)))
    assert shown(Verdict.SUPPORTED, [model, model, BY_RULE]) == Shown(0.6, 2, round(1 / 3, 4))


def test_a_model_without_probabilities_is_refused() -> None:
    with pytest.raises(InputError, match="gives no probabilities"):
        shown(Verdict.SUPPORTED, [BY_RULE])


def test_a_verdict_falls_to_not_enough_evidence_without_its_gold_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_averitec(tmp_path, "bench.evidence_left_out", monkeypatch)
    model = load_stacked_verdict(saved(tmp_path), lambda _: scripted_reading())
    monkeypatch.setattr("bench.evidence_left_out.load_verdict_model", lambda source: model)
    assert main(["--json", str(tmp_path / "rows.json")]) == 0
    rows = msgspec.json.decode((tmp_path / "rows.json").read_bytes(), type=list[Row])
    labels = Counter(one.label for one in measured_claims(claims(), []))
    assert [(row.label, row.claims) for row in rows] == labels.most_common()
    assert set(labels) == {Verdict.SUPPORTED, Verdict.REFUTED}
    assert sum(row.share for row in rows) == pytest.approx(1, abs=1e-3)
    for row in rows:
        assert (row.with_gold.measured, row.without.measured) == (row.claims, row.claims)
        assert row.with_gold.probability > 0.9 > 0.1 > row.without.probability
        assert (row.with_gold.not_enough, row.without.not_enough) == (0, 1)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0] for line in lines[2:]] == [f"| {row.label}" for row in rows]
    assert [line.split(" | ")[-1] for line in lines[2:]] == ["0.000, 1.000 |"] * 2

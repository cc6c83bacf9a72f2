"""The step: one line for each finding, its sums for people."""

import json
from pathlib import Path

import pytest

from src.explanation import check_explanations


def test_findings_are_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [
        {
            "claim_id": 2,
            "claim": "Eels fly.",
            "label": "false",
            "source": "Eels swim.",
            "explanation": "Eels swam in 1913.",
        },
        {"claim_id": 5, "claim": "Eels fly.", "label": "false", "source": "Eels swim.", "explanation": "Eels swim."},
    ]
    Path("e.json").write_text("\n".join(map(json.dumps, lines)))
    assert check_explanations.main(["-i", "e.json", "-o", "f.jsonl", "--tagger", "none"]) == 0
    assert [json.loads(line) for line in Path("f.jsonl").read_text().splitlines()] == [
        {"claim_id": 2, "sentence": 0, "type": "EE", "span": "1913", "evidence_id": None,
         "reason": "neither the claim nor its evidence has this number"},
    ]  # fmt: skip
    said = capsys.readouterr().out
    assert "1 of 2 explanations flagged" in said
    assert "extrinsic entity 1" in said
    Path("mine.txt").write_text("mine")
    assert check_explanations.main(["-i", "e.json", "-o", "mine.txt", "--tagger", "none"]) == 2
    assert Path("mine.txt").read_text() == "mine"

"""The published methods side by side by a scripted model: one command, from drafts to G-Eval."""

import json
from pathlib import Path

import pytest

from bench import explanations
from bench.scoreboard.published import AVERITEC
from src.explanation.scoring.records import Protocol, Report
from src.store import read_json

FOUND = '{"errors": [{"quote": "anywhere", "type": "EE", "reason": "r", "fix": "f"}]}'
SAID = {
    "explanation_zero_shot": "The draft says this.", "explanation_cot": "So.\nExplanation: The thought says this.",
    "self_refine_feedback": FOUND, "self_refine": "Refined says this.",
    "debater_1": FOUND, "debater_2": FOUND, "judge": "True", "refiner": "Ada Moor has 1913 frogs.",
}  # fmt: skip
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not explanations.POLITIHOP.is_file() or not AVERITEC.is_dir(), reason="no data pack"),
]


def script(folder: Path) -> str:
    texts = {**SAID, **{f"geval_{protocol}": "5" for protocol in Protocol}}
    lines = [json.dumps({"role": role, "output": text}) for role, text in texts.items() for _ in range(50)]
    (folder / "s.jsonl").write_text("\n".join(lines))
    return f"scripted:{folder / 's.jsonl'}"


def test_published_methods_are_scored_by_g_eval_as_they_were_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(explanations, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(explanations, "WORK", tmp_path / "work")
    monkeypatch.setattr(explanations, "kept_answers", list)
    (tmp_path / "results").mkdir()
    flags = ["--llm", script(tmp_path), "--claims", "1"]
    assert explanations.main(flags) == 0
    (path,) = (tmp_path / "results").glob("explanations_published_*s.jsonl.json")
    report = read_json(path, Report)
    assert [one.name for one in report.methods] == ["madr", "zero_shot", "cot", "self_refine", "debate"]
    assert report.claims == [0, explanations.OF_POLITIHOP]
    assert report.geval is not None
    assert [one.protocol for one in report.geval.protocols] == list(Protocol)
    assert report.geval.source_words is None
    (madr,) = (tmp_path / "work").glob("*/madr.end.jsonl")
    assert {json.loads(line)["explanation"] for line in madr.read_text().splitlines()} == {"Ada Moor has 1913 frogs."}
    first = capsys.readouterr().out
    assert "madr: 2 revisions of 2 drafts" in first
    assert explanations.main([*flags, "--show"]) == 0
    assert capsys.readouterr().out in first

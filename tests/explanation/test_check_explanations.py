"""The step: one line for each finding, and the printed counts."""

import json
from pathlib import Path

import pytest

from src.explanation import check_explanations
from src.runner import merge


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
    printed = capsys.readouterr().out
    assert "1 of 2 explanations flagged" in printed
    assert "extrinsic entity 1" in printed
    assert "without an explanation" not in printed
    Path("mine.txt").write_text("mine")
    assert check_explanations.main(["-i", "e.json", "-o", "mine.txt", "--tagger", "none"]) == 2
    assert Path("mine.txt").read_text() == "mine"


EELS: dict[str, str | None] = {"claim": "Eels fly.", "label": "false", "source": "Eels swim."}


def test_claims_without_an_explanation_are_reported_and_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [EELS | {"explanation": text} for text in ("Eels swim.", None, " \n")]
    Path("e.json").write_text("\n".join(map(json.dumps, lines)))
    assert check_explanations.main(["-i", "e.json", "-o", "f.jsonl", "--tagger", "none"]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "check_explanations: 2 claims without an explanation",
        "check_explanations: 0 of 1 explanation flagged",
    ]


def test_merged_shards_are_the_undivided_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    texts = ["Eels swim.", "In 1913 and 1914 eels swam.", None, "Eels swam in 1915.", "Eels swim.", "Eels swim."]
    Path("e.json").write_text("\n".join(json.dumps(EELS | {"explanation": text}) for text in texts))
    command = ["-i", "e.json", "--tagger", "none", "-o"]
    assert check_explanations.main([*command, "whole.json"]) == 0
    assert len(Path("whole.json").read_text().splitlines()) == 3
    assert [check_explanations.main([*command, "flags.json", "--shard", f"{part}/3"]) for part in (0, 1, 2)] == [0] * 3
    assert Path("flags.4-6.json").read_bytes() == b""
    assert merge.main(["flags.json"]) == 0
    assert Path("flags.json").read_bytes() == Path("whole.json").read_bytes()
    capsys.readouterr()
    assert check_explanations.main([*command, "flags.json"]) == 0
    assert "already there, made by the same run" in (printed := capsys.readouterr().out)
    assert "2 of 5 explanations flagged" in printed


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["-i", "e.json"], "error: e.json: holds no explanation to check\n"),
        (["-i", "none.json"], "src.explanation.generate_explanations or src.explanation.refine_explanations\n"),
    ],
)
def test_nothing_to_check_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argv: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("e.json").write_text(json.dumps(EELS))
    assert check_explanations.main([*argv, "-o", "f.jsonl", "--tagger", "none"]) == 2
    printed = capsys.readouterr().err
    assert printed.endswith(message)
    assert printed.count("\n") == 1
    assert not Path("f.jsonl").exists()


def test_gold_evidence_of_averitec_is_what_its_justification_is_checked_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    questions = [{"question": "How many eels swim?", "answers": [{"answer": "40 eels swim."}]}]
    gold = {"claim": "Eels fly.", "label": "Refuted", "justification": "40 eels swim.", "questions": questions}
    Path("dev.json").write_text(json.dumps([gold, gold | {"questions": []}]))
    assert check_explanations.main(["-i", "dev.json", "-o", "f.jsonl", "--tagger", "none"]) == 0
    findings = [json.loads(line) for line in Path("f.jsonl").read_text().splitlines()]
    assert {(one["claim_id"], one["span"]) for one in findings} == {(1, "40")}

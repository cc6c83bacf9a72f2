"""The step on three claims: what it prints, writes and refuses."""

import json
from pathlib import Path

import pytest

from src.prediction.evaluate_veracity import main

GOLDEN = Path(__file__).parents[1] / "evaluation" / "golden"
CLAIMS = [
    ("Cats bark.", "Refuted", "Event/Property Claim", "Do cats bark at night?", "No, dogs bark and cats meow."),
    ("Two thirds of dogs bark.", "Supported", "Numerical Claim", "How many dogs bark?", "About two thirds of them."),
    ("Fish sing.", "Not Enough Evidence", "Event/Property Claim", "Do fish sing?", "No answer could be found."),
]
PREDICTIONS = [
    (2, "Fish sing.", [], "Not Enough Evidence"),
    (0, "Cats bark.", [("Do cats make a noise at night?", "Dogs bark while a cat meows.")], "Refuted"),
    (1, "Two thirds of dogs bark.", [("Do many dogs bark?", "Most do."), ("How many dogs?", "Two thirds.")], "Refuted"),
]


@pytest.fixture
def label_file(tmp_path: Path) -> Path:
    records = [
        {
            "claim": claim,
            "label": label,
            "claim_types": [kind],
            "questions": [{"question": question, "answers": [{"answer": answer, "answer_type": "Extractive"}]}],
        }
        for claim, label, kind, question, answer in CLAIMS
    ]
    path = tmp_path / "dev.json"
    path.write_text(json.dumps(records))
    return path


def write_predictions(folder: Path, *places: int) -> Path:
    rows = [
        {
            "claim_id": claim_id,
            "claim": claim,
            "evidence": [{"question": question, "answer": answer, "url": ""} for question, answer in pairs],
            "pred_label": label,
        }
        for claim_id, claim, pairs, label in (PREDICTIONS[place] for place in places)
    ]
    path = folder / "predictions.json"
    path.write_text(json.dumps(rows, indent=4))
    return path


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    return write_predictions(tmp_path, 0, 1, 2)


def test_the_printed_table(label_file: Path, predictions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-i", str(predictions), "--label_file", str(label_file)]) == 0
    assert capsys.readouterr().out == (GOLDEN / "tiny.txt").read_text("utf-8")


def test_lists_of_urls_are_scored_with_a_note(
    label_file: Path, predictions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    predictions.write_text(predictions.read_text().replace('"url": ""', '"url": ["u1", "u2"]'))
    assert main(["-i", str(predictions), "--label_file", str(label_file)]) == 0
    printed = capsys.readouterr()
    assert printed.out == (GOLDEN / "tiny.txt").read_text("utf-8")
    assert printed.err.splitlines()[1:] == [
        "note: 2 claims with a list as url (the first is claim 0, line 8): scored, but not valid as a submission"
    ]


def test_scores_overwrite_no_input(label_file: Path, predictions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = label_file.read_bytes()
    argv = ["-i", str(predictions), "--label_file", str(label_file), "--json"]
    assert main([*argv, str(label_file)]) == 2
    assert "the file of scores would overwrite --label_file" in capsys.readouterr().err
    assert main([*argv, str(predictions)]) == 2
    assert label_file.read_bytes() == before


def test_the_published_lines_alone(label_file: Path, predictions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["-i", str(predictions), "--label_file", str(label_file), "--no_floors", "--no_intervals"]
    assert main(argv) == 0
    lines = capsys.readouterr().out.splitlines()
    golden = (GOLDEN / "tiny.txt").read_text("utf-8").splitlines()
    assert [line[:67].rstrip() for line in golden] == lines


def test_json_holds_what_is_printed(label_file: Path, predictions: Path, tmp_path: Path) -> None:
    file = tmp_path / "scores.json"
    assert main(["-i", str(predictions), "--label_file", str(label_file), "--json", str(file)]) == 0
    scores = json.loads(file.read_text("utf-8"))
    assert scores["n"] == 3
    assert list(scores["averitec"]) == ["0.1", "0.2", "0.25", "0.3", "0.4", "0.5"]
    assert scores["veracity"]["acc"] == pytest.approx(2 / 3)
    assert set(scores["by_type"]) == {"Event/Property Claim", "Numerical Claim"}
    for part in ("averitec", "veracity", "by_type"):
        assert scores["intervals"][part].keys() == scores[part].keys()
    low, high = scores["intervals"]["question_answer"]
    assert low <= scores["question_answer"] <= high
    assert set(scores["floors"]) == {"always_refuted", "claim_as_question"}
    assert scores["floors"]["always_refuted"]["question_answer"] == scores["question_answer"]


def test_the_same_seed_writes_the_same_bytes(label_file: Path, predictions: Path, tmp_path: Path) -> None:
    written = []
    for name in ("a", "b"):
        main(["-i", str(predictions), "--label_file", str(label_file), "--json", str(tmp_path / name), "--seed", "7"])
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]


def test_joined_strings_have_no_question_only_score(
    label_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        {"id": place, "label": label, "evidence": [f"{question} {answer}"]}
        for place, (_, label, _, question, answer) in enumerate(CLAIMS)
    ]
    path = tmp_path / "submission.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines))
    assert main(["-i", str(path), "--label_file", str(label_file), "--json", str(tmp_path / "s.json")]) == 0
    scores = json.loads((tmp_path / "s.json").read_text("utf-8"))
    assert scores["question_only"] is None
    assert scores["floors"]["claim_as_question"] is None
    assert 0.99 < scores["question_answer"] < 1
    assert capsys.readouterr().out.splitlines()[1].split() == [
        *("Question-only", "score", "(HU-meteor):"),
        *("not", "applicable") * 3,
    ]


def test_a_range_takes_those_claims_only(label_file: Path, predictions: Path, tmp_path: Path) -> None:
    file = tmp_path / "scores.json"
    assert (
        main(["-i", str(predictions), "--label_file", str(label_file), "-s", "1", "-e", "2", "--json", str(file)]) == 0
    )
    scores = json.loads(file.read_text("utf-8"))
    assert (scores["n"], scores["veracity"]["acc"], list(scores["by_type"])) == (1, 0.0, ["Numerical Claim"])


def test_a_missing_claim_is_refused_or_scored_as_wrong(
    label_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["-i", str(write_predictions(tmp_path, 0, 1)), "--label_file", str(label_file)]
    assert main(argv) == 2
    assert "1 claim(s) not predicted (--allow_missing scores them as wrong): 1" in capsys.readouterr().err
    assert main([*argv, "--allow_missing", "--json", str(tmp_path / "scores.json")]) == 0
    scores = json.loads((tmp_path / "scores.json").read_text("utf-8"))
    assert (scores["n"], scores["veracity"]["acc"]) == (3, pytest.approx(2 / 3))
    assert scores["by_type"]["Numerical Claim"] == 0


def test_bad_input_ends_with_one_line_and_code_2(
    label_file: Path, predictions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = str(tmp_path / "nowhere.json")
    test_split = tmp_path / "test.json"
    test_split.write_text(
        '[{"claim_id": 0, "claim": "a"}, {"claim_id": 1, "claim": "b"}, {"claim_id": 2, "claim": "c"}]'
    )
    cases = {
        "not found; it is written by": ["-i", nowhere, "--label_file", str(label_file)],
        "not found; give a file of claims": ["-i", str(predictions), "--label_file", nowhere],
        "3 claim(s) without label": ["-i", str(predictions), "--label_file", str(test_split)],
        "--start 5: the claims are 0 to 2": ["-i", str(predictions), "--label_file", str(label_file), "-s", "5"],
        "is a file of claims; predictions have": ["-i", str(label_file), "--label_file", str(label_file)],
        "cannot write": ["-i", str(predictions), "--label_file", str(label_file), "--json", str(label_file / "x")],
    }
    for message, argv in cases.items():
        assert main(argv) == 2
        assert message in capsys.readouterr().err


def test_a_seed_below_0_is_refused_in_one_line(predictions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["-i", str(predictions), "--seed", "-1"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("error: argument --seed: -1 is not at least 0")

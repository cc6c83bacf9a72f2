import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from src.prediction import evaluate_veracity, fever8_submission
from src.prediction.prediction_files import read_guesses
from src.records import Prediction, QAPair, Verdict
from src.store import encode_list

PAIRS = [
    ('Who said "woof",\nand when?', 'A dog,\n\n"yesterday"'),
    ("\tDo tabs\t\t\nend it?\t", "\nNo,\t\t\n\nnever.\t\t\n"),
    ("And then?", ""),
]
CLEAN = [
    PAIRS[0],
    ("Do tabs  \nend it?", "No,  \n\nnever."),
    PAIRS[2],
]


def pairs(texts: Sequence[tuple[str, str]]) -> list[QAPair]:
    return [QAPair(question, answer) for question, answer in texts]


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    path = tmp_path / "predictions.json"
    made = [
        Prediction(0, "Cats, they say, bark.", pairs(PAIRS), Verdict.CONFLICTING),
        Prediction(1, "Eels\r\nswim.", [], Verdict.NOT_ENOUGH_EVIDENCE),
    ]
    path.write_bytes(encode_list(made))
    return path


def test_the_table_is_read_as_it_was_written(predictions: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    assert fever8_submission.main(["-i", str(predictions), "-o", str(out), "--split", "test"]) == 0
    with out.open(newline="") as file:
        header, first, second = csv.reader(file)
    assert header == ["id", "claim", "evi", "label", "split"]
    assert (first[0], first[3], first[4]) == ("0", "Conflicting Evidence/Cherrypicking", "test")
    assert first[2].endswith("And then?\t\t\n\t\t\n\n")
    assert second == ["1", "Eels\nswim.", "", "Not Enough Evidence", "test"]
    one, other = read_guesses(out)
    assert [(pair.question, pair.answer) for pair in one.pairs] == CLEAN
    assert (other.claim_id, other.pairs) == (1, [])


def test_a_carriage_return_is_a_line_break(tmp_path: Path) -> None:
    source, out = tmp_path / "predictions.json", tmp_path / "out.csv"
    source.write_bytes(
        encode_list([Prediction(0, "Eels\rswim", [QAPair("Where?\r", "In\r\nseas")], Verdict.SUPPORTED)])
    )
    assert fever8_submission.main(["-i", str(source), "-o", str(out)]) == 0
    (guess,) = read_guesses(out)
    assert guess.claim == "Eels\nswim"
    assert [(pair.question, pair.answer) for pair in guess.pairs] == [("Where?", "In\nseas")]


def test_the_scores_are_those_of_the_predictions(sample: Path, tmp_path: Path) -> None:
    claims = json.loads((sample / "claims.json").read_bytes())
    labels = list(Verdict)
    made = [
        Prediction(
            number, claim["claim"],
            [QAPair(question["question"], f"It was\t{answer['answer']}\n\nindeed")
             for question in claim["questions"] for answer in question["answers"]],
            labels[number % len(labels)],
        )
        for number, claim in enumerate(claims)
    ]  # fmt: skip
    plain, table = tmp_path / "plain.json", tmp_path / "table.csv"
    plain.write_bytes(encode_list(made))
    assert fever8_submission.main(["-i", str(plain), "-o", str(table)]) == 0
    scores = []
    for path in (plain, table):
        found = path.with_suffix(".scores.json")
        flags = ["--label_file", str(sample / "claims.json"), "--no_intervals", "--no_floors", "--json", str(found)]
        assert evaluate_veracity.main(["-i", str(path), *flags]) == 0
        scores.append(json.loads(found.read_bytes()))
    assert scores[0] == scores[1]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["-i", "nothing.json"], "nothing.json: not found"),
        (["-o", "predictions.json"], "would overwrite --prediction_file"),
        (["-o", "notes.csv"], "is no earlier submission"),
        (["--end", "9"], "--end 9"),
    ],
)
def test_bad_input_is_one_line(
    predictions: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], flags: list[str],
    message: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(predictions.parent)
    Path("notes.csv").write_text("mine")
    assert fever8_submission.main(["-i", "predictions.json", "-o", "out.csv", *flags]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
    assert not Path("out.csv").exists()
    assert Path("notes.csv").read_text() == "mine"


def test_an_earlier_table_is_replaced(predictions: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    for split in ("dev", "test"):
        assert fever8_submission.main(["-i", str(predictions), "-o", str(out), "--split", split]) == 0
    assert out.read_text().count(",test\n") == 2


def test_another_split_is_refused(predictions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        fever8_submission.main(["-i", str(predictions), "--split", "foo"])
    assert "--split" in capsys.readouterr().err

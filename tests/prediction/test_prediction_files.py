"""Prediction files of every layout, and every way in which one can be wrong."""

import csv
import gzip
import io
import json
from pathlib import Path

import pytest

from src.errors import InputError
from src.evaluation.averitec import Guess
from src.prediction.prediction_files import join, labelled, read_guesses, url_lists
from src.records import Claim, QAPair, Verdict

PAIR = {"question": "Do cats bark?", "answer": "No.", "url": "https://a.example/"}
ROW = {"claim_id": 4, "claim": "Cats bark.", "evidence": [PAIR], "pred_label": "Refuted", "llm_output": "…"}
GUESS = Guess(4, Verdict.REFUTED, [QAPair("Do cats bark?", "No.")], "Cats bark.")


def write(folder: Path, content: str | bytes) -> Path:
    path = folder / "predictions.json"  # the name says nothing: content decides
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def table(rows: list[tuple[str, str, str]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(["id", "claim", "evi", "label", "split"])
    writer.writerows((number, "Cats, they say, bark.", evidence, label, "dev") for number, evidence, label in rows)
    return text.getvalue()


@pytest.mark.parametrize("content", [json.dumps([ROW], indent=4), json.dumps(ROW), f"\ufeff\n{json.dumps(ROW)}\n\n"])
@pytest.mark.parametrize("zipped", [False, True])
def test_list_or_lines_zipped_or_not(content: str, zipped: bool, tmp_path: Path) -> None:
    data = content.encode()
    assert read_guesses(write(tmp_path, gzip.compress(data) if zipped else data)) == [GUESS]


def test_a_label_file_of_other_claims_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, json.dumps([ROW]))
    assert join([Claim("Cats  bark.", claim_id=4)], read_guesses(path), path) == [GUESS]
    with pytest.raises(InputError, match=r"1 claim\(s\) with another text than in the label file; .*: 4"):
        join([Claim("Dogs bark.", claim_id=4)], read_guesses(path), path)


@pytest.mark.parametrize("url", [["https://a.example/"], None, 7])
def test_urls_are_not_looked_at(url: object, tmp_path: Path) -> None:
    row = {**ROW, "evidence": [{**PAIR, "url": url, "scraped_text": None}]}
    assert read_guesses(write(tmp_path, json.dumps(row))) == [GUESS]


def test_claims_with_lists_of_urls_are_found(tmp_path: Path) -> None:
    pieces = [{**PAIR, "url": ["https://a.example/", "https://b.example/"]}, {**PAIR, "answer": '"url": ["x"]'}]
    rows = [{**ROW, "claim_id": place, "evidence": [piece]} for place, piece in enumerate([PAIR, *pieces])]
    assert url_lists(write(tmp_path, json.dumps(rows, indent=4))) == [(1, 15)]
    assert url_lists(write(tmp_path, json.dumps([rows[0], rows[2]]))) == []
    assert url_lists(write(tmp_path, json.dumps({"id": 4, "label": "Refuted", "evidence": [], "url": ["x"]}))) == []


def test_joined_strings(tmp_path: Path) -> None:
    text = 'Who said "pred_label"? Nobody.'
    line = {"id": 4, "label": "Supported", "evidence": [text]}
    assert read_guesses(write(tmp_path, json.dumps(line))) == [Guess(4, Verdict.SUPPORTED, [text])]


def test_csv_with_quotes_commas_and_newlines(tmp_path: Path) -> None:
    evidence = 'Who said "woof",\nand when?\t\t\nA dog,\n\n"yesterday"\t\t\n\nAnd then?\t\t\n\t\t\n\n'
    guesses = read_guesses(write(tmp_path, table([("4", evidence, "Refuted"), ("5", "", "Not Enough Evidence")])))
    assert guesses == [
        Guess(
            4,
            Verdict.REFUTED,
            [QAPair('Who said "woof",\nand when?', 'A dog,\n\n"yesterday"'), QAPair("And then?", "")],
            "Cats, they say, bark.",
        ),
        Guess(5, Verdict.NOT_ENOUGH_EVIDENCE, [], "Cats, they say, bark."),
    ]


def test_a_csv_cell_may_be_long(tmp_path: Path) -> None:
    (guess,) = read_guesses(write(tmp_path, table([("4", f"Q?\t\t\n{'long ' * 40_000}\t\t\n\n", "Refuted")])))
    assert len(guess.pairs[0].answer) == 200_000


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        (" \n", "the file is empty"),
        (b"\x1f\x8bbroken", "cannot be read"),
        ("[1, 2", "line 1"),
        (json.dumps({**ROW, "pred_label": "Maybe"}), "line 1, field pred_label: 'Maybe' is none of Supported, "),
        (f"{json.dumps(ROW)}\n{json.dumps({**ROW, 'claim_id': 'x'})}", "line 2, field claim_id: Expected `int`"),
        (json.dumps({"claim_id": 4, "evidence": []}), "field pred_label: missing"),
        (json.dumps({"pred_label": "Refuted", "evidence": []}), "field claim_id: missing"),
        (json.dumps({**ROW, "evidence": [{"question": "Q?"}]}), r"field evidence\[0\].answer: missing"),
        (json.dumps({"id": 4, "label": "Maybe", "evidence": []}), "field label: 'Maybe' is none of Supported, "),
        ("id,claim\n4,Cats bark.\n", r"line 1: neither JSON nor a CSV table .*no evi, label"),
        (table([("4", "", "Refuted"), ("5", "", "Maybe")]), "line 3, field label: unknown verdict 'Maybe'"),
        (table([("4", "a\nb\t\t\nc\t\t\n\n", "Refuted"), ("5", "", "")]), "line 7, field label: unknown verdict ''"),
        (table([("four", "", "Refuted")]), "line 2, field id: not a number: 'four'"),
        (table([("4", "Q without answer", "Refuted")]), "line 2, field evi: a question without an answer"),
        (b"id,evi,label\n4,\xff,Refuted\n", "not a CSV table"),
        ('id,evi,label\n4,"no end', "not a CSV table"),
    ],
)
def test_bad_files_are_refused(content: str | bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read_guesses(write(tmp_path, content))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not found"):
        read_guesses(tmp_path / "nothing.json")


def claims(*claim_ids: int) -> list[Claim]:
    return [Claim(claim="Cats bark.", claim_id=claim_id, label=Verdict.REFUTED) for claim_id in claim_ids]


def guesses(*claim_ids: int) -> list[Guess]:
    return [Guess(claim_id, Verdict.REFUTED, []) for claim_id in claim_ids]


def test_joined_by_claim_id_whatever_the_order() -> None:
    joined = join(claims(7, 8, 9), guesses(9, 7, 8), Path("p.json"))
    assert [guess.claim_id for guess in joined] == [7, 8, 9]


def test_guesses_on_other_known_claims_are_left_out() -> None:
    assert [guess.claim_id for guess in join(claims(8), guesses(7, 8), Path("p.json"), known=[7, 8, 9])] == [8]


def test_missing_claims_may_be_allowed() -> None:
    assert join(claims(7, 8), guesses(8), Path("p.json"), allow_missing=True)[0] == Guess(7, None, [])


def test_missing_doubled_and_unknown_claims_are_listed() -> None:
    with pytest.raises(InputError, match=r"p\.json, field claim_id: 2 claim\(s\) not predicted .*: 7, 9$"):
        join(claims(7, 8, 9), guesses(8), Path("p.json"))
    with pytest.raises(InputError, match=r"1 claim\(s\) predicted more than once: 8$"):
        join(claims(7, 8), guesses(7, 8, 8), Path("p.json"))
    with pytest.raises(InputError, match=r"2 claim\(s\) not in the label file: 1, 2$"):
        join(claims(7), guesses(7, 2, 1), Path("p.json"))


def test_only_the_first_ten_are_listed() -> None:
    with pytest.raises(InputError, match=r"25 claim\(s\) not predicted .*: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, …$"):
        join(claims(*range(25)), [], Path("p.json"))


def test_claims_without_label_are_refused() -> None:
    with pytest.raises(InputError, match=r"test\.json, field label: 1 claim\(s\) without label .*: 8$"):
        labelled([*claims(7), Claim(claim="?", claim_id=8)], Path("test.json"))

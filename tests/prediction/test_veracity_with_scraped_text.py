"""The submission step: each piece of evidence gets the text of its page."""

import json
from pathlib import Path

import msgspec
import pytest

from src.prediction import veracity_with_scraped_text
from src.prediction.submission_checks import check_items, read_items
from src.programs.predictions import VERDICT, prediction
from src.programs.records import ClaimTrace
from src.records import Document, Prediction, QAPair, Verdict
from src.store import encode_lines, encode_list, read_by_claim

OUTPUT = "data_store/dev_veracity_prediction_for_submission.json"


def page(url: str, *lines: str) -> Document:
    return Document(url=url, url2text=list(lines))


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write four claims: pages scraped twice, no file in the store, no evidence, an answer from three pages."""
    monkeypatch.chdir(tmp_path)
    store = tmp_path / "data_store" / "knowledge_store" / "dev"
    store.mkdir(parents=True)
    pages = [page("u1", "old"), page("u2", "One.", "Two."), page("u1", "new", "text"), page("u1"), page("u3")]
    (store / "0.json").write_bytes(encode_lines(pages))
    (store / "3.json").write_bytes(encode_lines([page("u1", "A."), page("u2"), page("u3", "C.")]))
    claims = [
        Prediction(0, "zero", [QAPair("q1", "a1", url) for url in ("u1", "u2", "u3", "u4")], Verdict.REFUTED),
        Prediction(1, "one", [QAPair("q", "a", "u1")], Verdict.SUPPORTED, {Verdict.SUPPORTED: 1.0}, "because"),
        Prediction(2, "two", [], Verdict.NOT_ENOUGH_EVIDENCE),
        Prediction(3, "three", [QAPair("q", "a", url) for url in ("u1", "u2", "u3")], Verdict.CONFLICTING),
    ]
    (tmp_path / "data_store" / "dev_veracity_prediction.json").write_bytes(encode_list(claims))
    return tmp_path


def texts(world: Path, name: str = OUTPUT) -> list[list[object]]:
    return [[pair.scraped_text for pair in claim.evidence] for claim in read_by_claim(world / name, Prediction)]


EXPECTED = [["new text", "One. Two.", "", ""], [""], [], ["A.", "", "C."]]


def test_texts_by_url(world: Path) -> None:
    assert veracity_with_scraped_text.main([]) == 0
    assert texts(world) == EXPECTED
    submission = json.loads((world / OUTPUT).read_text(encoding="utf-8"))
    assert list(submission[0]) == ["claim_id", "claim", "evidence", "pred_label"]
    assert list(submission[0]["evidence"][0]) == ["question", "answer", "url", "scraped_text"]
    assert submission[1]["justification"] == "because"
    assert submission[2] == {"claim_id": 2, "claim": "two", "evidence": [], "pred_label": "Not Enough Evidence"}


def test_undecided_verdicts_of_programs_are_a_valid_submission(world: Path) -> None:
    pairs = [QAPair("q1", "a1", "u1")]
    made = [prediction(ClaimTrace(number, "one", value, 1.0, 1, []), pairs) for number, value in enumerate(VERDICT)]
    (world / "data_store" / "dev_veracity_prediction.json").write_bytes(encode_list(made))
    assert veracity_with_scraped_text.main([]) == 0
    data = (world / OUTPUT).read_bytes()
    assert [one["pred_label"] for one in json.loads(data)] == [
        "Supported", "Refuted", "Not Enough Evidence", "Conflicting Evidence/Cherrypicking",
    ]  # fmt: skip
    problems = check_items(read_items(data, world / OUTPUT), dict.fromkeys(range(4), "one"))
    assert not [str(one) for one in problems if one.error]


def test_the_manifest_counts_what_was_not_found(world: Path) -> None:
    assert veracity_with_scraped_text.main([]) == 0
    path = world / OUTPUT.replace(".json", ".manifest.json")
    counts = msgspec.json.decode(path.read_bytes())["counts"]
    assert counts == {"evidence": 8, "without_text": 4, "no_store_file": 2}


def test_json_lines(world: Path) -> None:
    assert veracity_with_scraped_text.main(["--jsonl", "-o", "lines.json"]) == 0
    lines = (world / "lines.json").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["claim_id"] for line in lines] == [0, 1, 2, 3]
    assert veracity_with_scraped_text.main(["-i", "lines.json", "-o", "again.json"]) == 0
    assert texts(world, "lines.json") == texts(world, "again.json") == EXPECTED


def test_a_damaged_store_file_fails_that_claim_alone(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (world / "data_store" / "knowledge_store" / "dev" / "3.json").write_text('{"url": "u1"}\n', encoding="utf-8")
    assert veracity_with_scraped_text.main([]) == 1
    assert "3.json, line 1, field url2text: missing" in capsys.readouterr().err
    assert texts(world) == [*EXPECTED[:3], ["", "", ""]]


def test_bad_input_is_one_line_and_code_2(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (world / "wrong.json").write_text('[{"claim_id": 0, "claim": "c", "evidence": [], "pred_label": "True"}]')
    listed = {"question": "q", "answer": "a", "url": ["u1", "u2"]}
    claim = {"claim_id": 0, "claim": "c", "evidence": [listed], "pred_label": "Refuted"}
    (world / "lists.json").write_text(json.dumps([claim]))
    for flags, message in (
        (["-i", "absent.json"], "written by: src.prediction.veracity_prediction"),
        (["-i", "wrong.json"], "wrong.json, line 1, field pred_label: 'True' is none of Supported, "),
        (["-i", "lists.json"], "lists.json, line 1, field evidence[0].url: is a list, where one text is wanted\n"),
        (["--knowledge_store_dir", "nowhere"], "no knowledge store there"),
    ):
        assert veracity_with_scraped_text.main(flags) == 2
        assert message in capsys.readouterr().err

"""The validator: every kind of problem is reported, with its line and field."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from src.prediction import validate_submission
from src.prediction.submission_checks import check_items, read_items

CLAIMS = {0: "zero", 1: "one", 2: "two"}
Change = Callable[[list[Any]], object]


def good() -> list[Any]:
    return [
        {
            "claim_id": claim_id,
            "claim": text,
            "evidence": [{"question": "q", "answer": "a", "url": "u", "scraped_text": "t"} for _ in range(claim_id)],
            "pred_label": "Conflicting Evidence/Cherrypicking",
        }
        for claim_id, text in CLAIMS.items()
    ]


def problems(predictions: object, *, lines: bool = False) -> list[str]:
    if lines and isinstance(predictions, list):
        data = b"".join(json.dumps(item).encode() + b"\n" for item in predictions)
    else:
        data = json.dumps(predictions, indent=4).encode()
    return [str(problem) for problem in check_items(read_items(data, Path("x.json")), CLAIMS)]


ONE_PAGE = "a pair has one page, give each page a pair of its own"
NO_EVIDENCE = "warning: line 1, claim 0, evidence: empty: scores 0"


def test_a_good_file_has_no_errors() -> None:
    assert problems(good(), lines=True) == [NO_EVIDENCE]
    assert problems(good()) == ["warning: line 2, claim 0, evidence: empty: scores 0"]


def drop(key: str) -> Change:
    return lambda file: file[2].pop(key)


def put(key: str, value: object) -> Change:
    return lambda file: file[2].update({key: value})


def piece(key: str, value: object) -> Change:
    return lambda file: file[2]["evidence"][1].update({key: value})


def lose(key: str) -> Change:
    return lambda file: file[2]["evidence"][1].pop(key)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (drop("claim"), "error: line 3, claim 2, claim: missing"),
        (put("claim", None), "error: line 3, claim 2, claim: not a text"),
        (put("claim", "Two"), "error: line 3, claim 2, claim: another text than in the label file"),
        (drop("pred_label"), "error: line 3, claim 2, pred_label: missing"),
        (put("pred_label", 1), "error: line 3, claim 2, pred_label: not a text"),
        (
            put("pred_label", "refuted"),
            "error: line 3, claim 2, pred_label: 'refuted' is none of Supported, Refuted, Not Enough Evidence, "
            "Conflicting Evidence/Cherrypicking",
        ),
        (drop("evidence"), "error: line 3, claim 2, evidence: missing"),
        (put("evidence", {}), "error: line 3, claim 2, evidence: not a list"),
        (put("evidence", []), "warning: line 3, claim 2, evidence: empty: scores 0"),
        (
            lambda file: file[2].update(evidence=[file[2]["evidence"][0]] * 11),
            "warning: line 3, claim 2, evidence: 11 pieces: those after the first 10 are not scored",
        ),
        (lambda file: file[2]["evidence"].insert(1, "text"), "error: line 3, claim 2, evidence[1]: not an object"),
        (lose("question"), "error: line 3, claim 2, evidence[1].question: missing"),
        (piece("answer", 3), "error: line 3, claim 2, evidence[1].answer: not a text"),
        (piece("answer", " \n"), "error: line 3, claim 2, evidence[1].answer: empty"),
        (lose("url"), "error: line 3, claim 2, evidence[1].url: missing"),
        (piece("url", 1), "error: line 3, claim 2, evidence[1].url: not a text"),
        (piece("url", ["u1", "u2"]), f"error: line 3, claim 2, evidence[1].url: a list; {ONE_PAGE}"),
        (piece("url", []), f"error: line 3, claim 2, evidence[1].url: a list; {ONE_PAGE}"),
        (piece("urls", ["u1"]), f"error: line 3, claim 2, evidence[1].urls: no field of a submission; {ONE_PAGE}"),
        (piece("url", ""), "warning: line 3, claim 2, evidence[1].url: empty"),
        (lose("scraped_text"), "error: line 3, claim 2, evidence[1].scraped_text: missing"),
        (piece("scraped_text", ["t"]), "error: line 3, claim 2, evidence[1].scraped_text: not a text"),
        (piece("scraped_text", ""), "warning: line 3, claim 2, evidence[1].scraped_text: empty"),
        (put("claim_id", 7), "error: line 3, claim 7, claim_id: no such claim in the label file and range"),
        (put("claim_id", True), "error: line 3, claim_id: not a whole number"),
        (put("claim_id", "2"), "error: line 3, claim_id: not a whole number"),
        (drop("claim_id"), "error: line 3, claim_id: missing"),
        (put("claim_id", 1), "error: line 3, claim 1, claim_id: is already on line 2"),
        (lambda file: file.append([1]), "error: line 4: not a JSON object"),
        (lambda file: file.reverse(), "warning: not in the order of the label file: scorers that join by position "
         "misread it"),
    ],
)  # fmt: skip
def test_one_thing_wrong(change: Change, problem: str) -> None:
    file = good()
    change(file)
    assert problem in problems(file, lines=True)


def test_missing_claims_are_named() -> None:
    assert problems(good()[1:2], lines=True) == ["error: claim_id: 2 claims missing: 0, 2 (-s and -e check a part)"]


@pytest.fixture
def labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "data" / "dev.json"
    path.parent.mkdir()
    path.write_text(json.dumps([{"claim": text} for text in CLAIMS.values()]))
    return path


def test_exit_codes_and_closing_line(labels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("good.json").write_text(json.dumps(good()))
    assert validate_submission.main(["good.json"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "valid: 3 claims, 0 errors, 1 warning in good.json"
    Path("part.json").write_text(json.dumps(good()[1:]))
    assert validate_submission.main(["part.json", "-s", "1"]) == 0
    assert validate_submission.main(["part.json"]) == 1
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "error: claim_id: 1 claim missing: 0 (-s and -e check a part)",
        "not valid: 2 claims, 1 error, 0 warnings in part.json",
    ]


def test_a_broken_line_does_not_hide_the_others(labels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [json.dumps(item) for item in good()]
    Path("x.json").write_text("\n".join([lines[0], lines[1][:-3], lines[2].replace("Conflicting", "Confused")]))
    assert validate_submission.main(["x.json", "--quiet"]) == 1
    assert capsys.readouterr().out == "not valid: 3 claims, 3 errors, 1 warning in x.json\n"


@pytest.mark.parametrize(
    "content", [b"", b"claim_id,claim\n0,zero\n", b"[1, 2]", b'[{"claim_id": 0},', b"\xff\xfe", b"{}x"]
)
def test_what_cannot_be_read_at_all_is_code_2(labels: Path, content: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    Path("x.json").write_bytes(content)
    assert validate_submission.main(["x.json"]) == 2
    assert capsys.readouterr().err.startswith("error: x.json")


def test_a_missing_file_is_code_2(labels: Path) -> None:
    assert validate_submission.main(["absent.json"]) == 2
    labels.unlink()
    assert validate_submission.main(["absent.json"]) == 2

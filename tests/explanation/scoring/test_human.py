"""People's ratings: raters who are missing, ticked errors, lines that say too little."""

import json
from pathlib import Path
from typing import Any

import pytest

from src.errors import InputError
from src.explanation.annotation.ratings import Rating, Text
from src.explanation.scoring.human import agreement, read_ratings
from src.store import encode_line


def written(folder: Path, *lines: dict[str, Any]) -> Path:
    path = folder / "h.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    return path


def test_an_explanations_rating_is_the_mean_of_those_who_rated(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {"claim_id": 0, "ratings": [5, None, 4]},
        {"claim_id": 1, "ratings": [None, None, None]},
        {"claim_id": 2, "rating": 3},
        {"claim_id": 3, "rating": None},
    )
    found = read_ratings(path, ["madr"], {})
    assert found.of == {("madr", 0): 4.5, ("madr", 2): 3.0}
    assert found.missing == 5


def ticked(claim_id: int, annotator: str, *errors: list[str]) -> dict[str, Any]:
    named = {"claim_id": claim_id, "annotator": annotator, "method": "cot", "explanation": f"hash {claim_id}"}
    return named | {"errors": list(errors)}


def test_ticked_errors_are_counted_by_annotator_and_negated(tmp_path: Path) -> None:
    again = ticked(0, "b", ["RC"], []), ticked(0, "b", [], [])  # the last one counts
    path = written(tmp_path, ticked(0, "a", ["EE", "IR"], ["EE"]), *again, ticked(1, "a", []))
    texts = {("cot", 0): Text("hash 0", 2), ("cot", 7): Text("hash 7", 1)}
    found = read_ratings(path, ["madr", "cot"], texts)
    assert found.of == {("cot", 0): -1.5, ("cot", 1): 0.0}
    assert found.missing == 1  # b's of claim 1


def test_half_a_line_that_a_kill_left_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = encode_line(Rating("ann", 0, "cot", "hash 0", [[]]))
    path = tmp_path / "h.jsonl"
    path.write_bytes(line + line[:30])
    assert read_ratings(path, ["cot"], {}) == ({("cot", 0): 0.0}, 0)
    assert capsys.readouterr().err == f"{path}: its last line is half a line, left out\n"


@pytest.mark.parametrize("text", [Text("another", 2), Text("hash 0", 3)])
def test_ticked_errors_of_another_text_are_refused(tmp_path: Path, text: Text) -> None:
    path = written(tmp_path, ticked(1, "a", []), ticked(0, "a", ["EE"], []))
    with pytest.raises(InputError, match="line 2, field explanation: claim 0 of cot was another text"):
        read_ratings(path, ["cot"], {("cot", 0): text})


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "holds no ratings"),
        ([ticked(0, "a", ["XX"])], "line 1, field errors[0][0]: 'XX' is none of IE, EE, IV"),
        ([ticked(0, " ")], "line 1, field annotator: is empty"),
        ([{"claim_id": 0, "method": "a"}], "line 1, field ratings: missing; a line has ratings or a rating, or else"),
        ([{"claim_id": 0, "rating": 1}], "line 1, field method: missing; it is one of a, b"),
        ([{"claim_id": 0, "method": "a", "rating": "good"}], "line 1, field rating: Expected"),
        (
            [{"claim_id": 0, "method": "a", "rating": 1}, {"claim_id": 0, "method": "a", "rating": None}],
            "line 2, field claim_id: is rated on an earlier line, too",
        ),
        (
            [{"claim_id": 0, "method": "a", "rating": 1}, {"claim_id": 1, "method": "a", "errors": []}],
            "line 2, field ratings: missing",
        ),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, lines: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(InputError) as refused:
        read_ratings(written(tmp_path, *lines), ["a", "b"], {})
    assert message in str(refused.value)


def test_constant_ratings_are_undefined_and_unknown_explanations_are_told(tmp_path: Path) -> None:
    lines = [{"claim_id": n, "method": "a" if n < 3 else "b", "rating": 5 if n < 3 else n} for n in range(6)]
    ratings = read_ratings(written(tmp_path, *lines), ["a", "b"], {})
    scores = {("a" if n < 3 else "b", n): float(n) for n in range(5)}
    found = agreement(tmp_path, ratings, ["a", "b"], {"m": scores, "same": dict.fromkeys(scores, 1.0)}, 0)
    assert (found.ratings, found.elsewhere) == (6, 1)
    first, same = found.taus
    assert (first.items, first.by_method) == (5, [None, 1.0])
    assert first.value is not None
    assert (same.value, same.interval, same.by_method) == (None, None, [None, None])

"""People's ratings: raters who are missing, ticked errors, lines that say too little."""

import json
from pathlib import Path
from typing import Any

import pytest

from src.errors import InputError
from src.explanation.scoring.human import agreement, read_ratings


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
    found = read_ratings(path, ["madr"])
    assert found.of == {("madr", 0): 4.5, ("madr", 2): 3.0}
    assert found.missing == 5


def test_ticked_errors_are_counted_by_annotator_and_negated(tmp_path: Path) -> None:
    def ticked(claim_id: int, annotator: str, sentence: int, *types: str) -> dict[str, Any]:
        named = {"claim_id": claim_id, "annotator": annotator, "sentence": sentence}
        return named | {"method": "cot", "types": list(types)}

    path = written(
        tmp_path, ticked(0, "a", 0, "EE", "IR"), ticked(0, "a", 1, "EE"), ticked(0, "b", 0), ticked(1, "a", 0)
    )
    assert read_ratings(path, ["madr", "cot"]).of == {("cot", 0): -1.5, ("cot", 1): 0.0}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "holds no ratings"),
        ([{"claim_id": 0, "method": "a"}], "line 1, field ratings: missing; a line has ratings or a rating, or else"),
        ([{"claim_id": 0, "rating": 1}], "line 1, field method: missing; it is one of a, b"),
        ([{"claim_id": 0, "method": "a", "rating": "good"}], "line 1, field rating: Expected"),
        (
            [{"claim_id": 0, "method": "a", "rating": 1}, {"claim_id": 0, "method": "a", "rating": None}],
            "line 2, field claim_id: is rated on an earlier line, too",
        ),
        (
            [{"claim_id": 0, "method": "a", "rating": 1}, {"claim_id": 1, "method": "a", "types": []}],
            "line 2, field ratings: missing",
        ),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, lines: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(InputError) as refused:
        read_ratings(written(tmp_path, *lines), ["a", "b"])
    assert message in str(refused.value)


def test_constant_ratings_are_undefined_and_unknown_explanations_are_told(tmp_path: Path) -> None:
    lines = [{"claim_id": n, "method": "a" if n < 3 else "b", "rating": 5 if n < 3 else n} for n in range(6)]
    ratings = read_ratings(written(tmp_path, *lines), ["a", "b"])
    scores = {("a" if n < 3 else "b", n): float(n) for n in range(5)}
    found = agreement(tmp_path, ratings, ["a", "b"], {"m": scores, "same": dict.fromkeys(scores, 1.0)}, 0)
    assert (found.ratings, found.elsewhere) == (6, 1)
    first, same = found.taus
    assert (first.items, first.by_method) == (5, [None, 1.0])
    assert first.value is not None
    assert (same.value, same.interval, same.by_method) == (None, None, [None, None])

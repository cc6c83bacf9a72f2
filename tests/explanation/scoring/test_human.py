"""People's ratings, and their agreement with the metrics by Kendall's tau-c."""

import json
from pathlib import Path
from typing import Any

import pytest

from src.errors import InputError
from src.explanation.annotation.ratings import Text
from src.explanation.scoring.human import agreement, read_ratings, tau_c, tau_interval


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
    result = read_ratings(path, ["madr"], {})
    assert result.of == {("madr", 0): 4.5, ("madr", 2): 3.0}
    assert result.missing == 5


def ticked(claim_id: int, annotator: str, *errors: list[str]) -> dict[str, Any]:
    named = {"claim_id": claim_id, "annotator": annotator, "method": "cot", "explanation": f"hash {claim_id}"}
    return named | {"errors": list(errors)}


def test_ticked_errors_are_counted_by_annotator_and_negated(tmp_path: Path) -> None:
    again = ticked(0, "b", ["RC"], []), ticked(0, "b", [], [])  # the last one counts
    path = written(tmp_path, ticked(0, "a", ["EE", "IR"], ["EE"]), *again, ticked(1, "a", []))
    texts = {("cot", 0): Text("hash 0", 2), ("cot", 7): Text("hash 7", 1)}
    result = read_ratings(path, ["madr", "cot"], texts)
    assert result.of == {("cot", 0): -1.5, ("cot", 1): 0.0}
    assert result.missing == 1  # b's of claim 1


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


def test_constant_ratings_are_undefined_and_unknown_explanations_are_counted(tmp_path: Path) -> None:
    lines = [{"claim_id": n, "method": "a" if n < 3 else "b", "rating": 5 if n < 3 else n} for n in range(6)]
    ratings = read_ratings(written(tmp_path, *lines), ["a", "b"], {})
    scores = {("a" if n < 3 else "b", n): float(n) for n in range(5)}
    result = agreement(tmp_path, ratings, ["a", "b"], {"m": scores, "same": dict.fromkeys(scores, 1.0)}, 0)
    assert (result.ratings, result.elsewhere) == (6, 1)
    first, same = result.taus
    assert (first.items, first.by_method) == (5, [None, 1.0])
    assert first.value is not None
    assert (same.value, same.interval, same.by_method) == (None, None, [None, None])


@pytest.mark.parametrize(
    ("scores", "ratings", "value"),
    [([5, 5, 4, 3], [3, 2, 2, 0], 0.75), ([4.5, 4, 3, 5, 2], [1, 0, 0, 1, 0], 0.96), ([1, 2, 3], [3, 2, 1], -1.0)],
)
def test_values(scores: list[float], ratings: list[float], value: float) -> None:
    assert tau_c(scores, ratings) == pytest.approx(value)


@pytest.mark.parametrize(("scores", "ratings"), [([], []), ([1], [2]), ([5, 5, 5], [1, 2, 3]), ([1, 2], [3, 3])])
def test_too_few_or_constant_has_no_value(scores: list[float], ratings: list[float]) -> None:
    assert tau_c(scores, ratings) is None
    assert tau_interval(scores, ratings, list(range(len(scores))), 0) is None


def test_the_interval_holds_the_value_and_is_repeatable() -> None:
    scores, ratings = [5.0, 4, 3, 5, 2, 1, 4, 2], [3.0, 2, 2, 3, 0, 1, 1, 2]
    interval = tau_interval(scores, ratings, [0, 0, 1, 1, 2, 2, 3, 3], 7)
    assert interval == tau_interval(scores, ratings, [0, 0, 1, 1, 2, 2, 3, 3], 7)
    value = tau_c(scores, ratings)
    assert interval is not None
    assert value is not None
    assert interval[0] <= value <= interval[1]
    assert interval != tau_interval(scores, ratings, list(range(8)), 7)  # pairs of a claim are drawn together

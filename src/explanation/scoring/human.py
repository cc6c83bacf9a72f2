"""People's ratings of explanations (JSON lines or a list; higher is more faithful), and their agreement with the
metrics: Kendall's tau-c (Stuart 1953), which suits people's few grades and a judge's many scores.

    {"claim_id": 4, "method": "madr", "ratings": [5, null, 4]}     a rating per rater; null: not answered
    {"claim_id": 4, "method": "madr", "rating": 4.5}               the rating of a single rater

`method` may be missing if only one file is evaluated. An explanation's rating is the mean over its raters. Files of
`src.explanation.annotate` are read, too (`src/explanation/annotation/ratings.py`). Their rating is the number of ticked
errors over all sentences, negated.

Limitations: a file has ratings or ticked errors, not both.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from src.annotating.answers_file import read_whole
from src.errors import InputError
from src.evaluation.bootstrap import RESAMPLES, Interval, draws, percentiles
from src.explanation.annotation.ratings import Rating, Text, read_ticked
from src.explanation.records import Item
from src.explanation.scoring.records import Human, Tau
from src.records import ClaimId
from src.store import located


def tau_c(scores: Sequence[float], ratings: Sequence[float]) -> float | None:
    """Return Kendall's tau-c of scores and ratings; None if there are fewer than two pairs, or either side is
    constant.
    """
    if len(scores) < 2 or len(set(scores)) < 2 or len(set(ratings)) < 2:
        return None
    from scipy.stats import kendalltau

    value = float(kendalltau(scores, ratings, variant="c").statistic)
    return value if np.isfinite(value) else None


def tau_interval(
    scores: Sequence[float], ratings: Sequence[float], claims: Sequence[int], seed: int
) -> Interval | None:
    """Return the 95 % bootstrap interval of tau-c; None if tau-c is undefined.

    Claims are resampled: all pairs of score and rating of a claim are drawn together. `claims` has the claim_id of each
    pair.
    """
    ids = sorted(set(claims))
    if tau_c(scores, ratings) is None:
        return None
    places = [ids.index(one) for one in claims]
    pairs = np.array([scores, ratings])
    values = []
    for drawn in draws(len(ids), seed, RESAMPLES).astype(int).T:
        chosen = np.repeat(pairs, drawn[places], axis=1)
        values.append(tau_c(*chosen.tolist()))
    known = [value for value in values if value is not None]
    return percentiles(np.array(known)) if known else None


class _Line(msgspec.Struct):
    claim_id: ClaimId
    method: str | None = None
    rating: float | UnsetType | None = UNSET
    ratings: list[float | None] | UnsetType = UNSET
    errors: msgspec.Raw | UnsetType = UNSET


class Ratings(NamedTuple):
    """Ratings of explanations.

    `of`: mean rating of each explanation, by method and claim_id.
    `missing`: number of null ratings; in files of ticked errors, number of pairs of an annotator and a rated
        explanation for which this annotator has no rating.
    """

    of: dict[Item, float]
    missing: int


def read_ratings(path: Path, methods: Sequence[str], texts: Mapping[Item, Text]) -> Ratings:
    """Return the ratings in a file.

    If annotators ticked errors, each explanation must have had the same text when it was rated as it has now. `texts`
    has the current text of each explanation.
    Raises InputError with file, line and field if the file is invalid, or an explanation had another text.
    """
    data = read_whole(path)
    lines = located(data, _Line, path)
    if not lines:
        raise InputError("holds no ratings", path=path)
    if all(one.errors is not UNSET for _, one in lines):
        return ticked_ratings(read_ticked(data, path, texts))
    rows = [(line, one, _method(one, methods, path, line)) for line, one in lines]
    ratings: dict[Item, float] = {}
    seen: set[Item] = set()
    missing = 0
    for line, one, method in rows:
        given = _given(one, path, line)
        known = [rating for rating in given if rating is not None]
        item = method, one.claim_id
        if item in seen:
            raise InputError("is rated on an earlier line, too", path=path, line=line, field="claim_id")
        seen.add(item)
        missing += len(given) - len(known)
        if known:
            ratings[item] = sum(known) / len(known)
    return Ratings(ratings, missing)


def agreement(
    path: Path, ratings: Ratings, methods: Sequence[str], metrics: Mapping[str, Mapping[Item, float]], seed: int
) -> Human:
    """Return Kendall's tau-c of each metric with people's ratings, over the explanations that have both.

    `metrics` has the scores of each metric, by its name. `path` is the file of the ratings. The field `elsewhere` of
    the result counts the rated explanations that no metric scores.
    """
    known = {item for scores in metrics.values() for item in scores}
    taus = []
    for name, scores in metrics.items():
        items = sorted(ratings.of.keys() & scores.keys())
        by_method = [[item for item in items if item[0] == method] for method in methods]
        whole = _pairs(items, scores, ratings)
        interval = tau_interval(*whole, [claim_id for _, claim_id in items], seed)
        values = [tau_c(*_pairs(some, scores, ratings)) for some in by_method]
        taus.append(Tau(name, len(items), tau_c(*whole), interval, values))
    return Human(str(path), len(ratings.of), ratings.missing, len(ratings.of.keys() - known), taus)


def _pairs(items: Sequence[Item], scores: Mapping[Item, float], ratings: Ratings) -> tuple[list[float], list[float]]:
    return [scores[item] for item in items], [ratings.of[item] for item in items]


def ticked_ratings(ratings: Sequence[Rating]) -> Ratings:
    """Return the rating of each explanation: the mean number of errors that annotators ticked in it, negated."""
    errors: dict[Item, list[int]] = defaultdict(list)
    for one in ratings:
        errors[one.item].append(one.ticked)
    annotators = {one.annotator for one in ratings}
    means = {item: -sum(counts) / len(counts) for item, counts in errors.items()}
    return Ratings(means, len(annotators) * len(means) - len(ratings))


def _given(one: _Line, path: Path, line: int) -> list[float | None]:
    if one.ratings is not UNSET:
        return one.ratings
    if one.rating is UNSET:
        message = "missing; a line has ratings or a rating, or else all lines have errors"
        raise InputError(message, path=path, line=line, field="ratings")
    return [one.rating]


def _method(one: _Line, methods: Sequence[str], path: Path, line: int) -> str:
    if one.method is not None:
        return one.method
    if len(methods) > 1:
        raise InputError(f"missing; it is one of {', '.join(methods)}", path=path, line=line, field="method")
    return methods[0]

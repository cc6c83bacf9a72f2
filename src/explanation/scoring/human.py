"""People's ratings of explanations, JSON lines or a list, higher is more faithful, and how the metrics agree with them.

    {"claim_id": 4, "method": "madr", "ratings": [5, null, 4]}     of each rater, null where one has not answered
    {"claim_id": 4, "method": "madr", "rating": 4.5}               the same, of one
    {"claim_id": 4, "method": "madr", "annotator": "a", "sentence": 0, "types": ["EE"]}   errors ticked in a sentence

`method` may be missing where one file is evaluated. An explanation's rating is the mean of its raters'; one who ticks
errors rates it by their number over all its sentences, negated.

But: a file has ratings or ticked errors, not both.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from src.errors import InputError
from src.explanation.scoring.records import Human, Tau
from src.explanation.scoring.tau import tau_c, tau_interval
from src.explanation.typology import ErrorType
from src.records import ClaimId
from src.store import located, read_bytes

Item = tuple[str, int]  # method, claim_id


class _Line(msgspec.Struct):
    claim_id: ClaimId
    method: str | None = None
    rating: float | UnsetType | None = UNSET
    ratings: list[float | None] | UnsetType = UNSET
    annotator: str = ""
    sentence: int | None = None
    types: list[ErrorType] | None = None


class Ratings(NamedTuple):
    """`missing` counts the places of raters who have not answered."""

    of: dict[Item, float]
    missing: int


def read_ratings(path: Path, methods: Sequence[str]) -> Ratings:
    """Raises InputError (file, line, field)."""
    found = [(line, one, _method(one, methods, path, line)) for line, one in located(read_bytes(path), _Line, path)]
    if not found:
        raise InputError("holds no ratings", path=path)
    if all(one.types is not None for _, one, _ in found):
        return Ratings(_ticked([(method, one) for _, one, method in found]), 0)
    ratings: dict[Item, float] = {}
    seen: set[Item] = set()
    missing = 0
    for line, one, method in found:
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
    """Of each metric, by its name, over the explanations that have both; one that stands in no metric is elsewhere."""
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


def _ticked(lines: Sequence[tuple[str, _Line]]) -> dict[Item, float]:
    errors: dict[Item, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for method, one in lines:
        errors[method, one.claim_id][one.annotator] += len(one.types or ())
    return {item: -sum(by.values()) / len(by) for item, by in errors.items()}


def _given(one: _Line, path: Path, line: int) -> list[float | None]:
    if one.ratings is not UNSET:
        return one.ratings
    if one.rating is UNSET:
        message = "missing; a line has ratings or a rating, or else all lines have types"
        raise InputError(message, path=path, line=line, field="ratings")
    return [one.rating]


def _method(one: _Line, methods: Sequence[str], path: Path, line: int) -> str:
    if one.method is not None:
        return one.method
    if len(methods) > 1:
        raise InputError(f"missing; it is one of {', '.join(methods)}", path=path, line=line, field="method")
    return methods[0]

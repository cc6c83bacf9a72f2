"""Deterministic choice of a claim's evidence among its scored candidates.

The best score comes first; of equal scores, the earlier candidate. An answer that repeats an earlier choice is skipped,
whatever its question, white space or letter case. A sentence thus stays with its best question. Answers without text
are skipped too.

Limitations: near-duplicates that differ in one word are kept.
"""

import math
from collections.abc import Sequence

from src.errors import ModelError
from src.records import CandidateQA
from src.text import folded


def best_pairs(
    pairs: Sequence[CandidateQA], scores: Sequence[float], top_n: int, *, keep_duplicates: bool = False
) -> list[CandidateQA]:
    """Return at most `top_n` pairs, best first; with `keep_duplicates`, repeated and empty answers are not skipped.

    Raises ModelError when a score is not a finite number.
    """
    if not all(map(math.isfinite, scores)):
        raise ModelError("the reranker gave a score that is not a number")
    order = sorted(range(len(pairs)), key=lambda place: (-scores[place], place))
    if not keep_duplicates:
        order = _first_of_each([folded(pair.answer) for pair in pairs], order)
    return [pairs[place] for place in order[:top_n]]


def _first_of_each(answers: Sequence[str], order: Sequence[int]) -> list[int]:
    first: dict[str, int] = {}
    for place in order:
        first.setdefault(answers[place], place)
    return [place for answer, place in first.items() if answer]

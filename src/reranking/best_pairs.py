"""Chooses the evidence for a claim among its scored candidates, the same way every time.

Best score first; of equal scores the earlier candidate. An answer that repeats one chosen before (whatever its
question, white space or letter case) is passed over, so that a sentence stays with its best question; so is an answer
without text.

But: near-duplicates that differ in a word are kept.
"""

import math
from collections.abc import Sequence

from src.errors import ModelError
from src.records import CandidateQA
from src.text import folded


def best_pairs(
    pairs: Sequence[CandidateQA], scores: Sequence[float], top_n: int, *, keep_duplicates: bool = False
) -> list[CandidateQA]:
    """At most `top_n` pairs, best first; with `keep_duplicates` repeated and empty answers count as any other.

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

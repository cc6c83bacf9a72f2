"""The choice among scored pairs: order, ties, repeated answers."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.errors import ModelError
from src.records import CandidateQA
from src.reranking.ranked_evidence import best_pairs


def pairs(*answers: str) -> list[CandidateQA]:
    return [CandidateQA(f"question {place}?", answer, f"url{place}") for place, answer in enumerate(answers)]


def chosen(pairs: Sequence[CandidateQA]) -> list[str]:
    return [pair.url.removeprefix("url") for pair in pairs]


def test_best_score_first() -> None:
    assert chosen(best_pairs(pairs(*"abcd"), [0.1, 0.9, 0.4, 0.7], 3)) == ["1", "3", "2"]


def test_equal_scores_keep_their_order() -> None:
    assert chosen(best_pairs(pairs(*"abcde"), [0.5, 0.7, 0.5, 0.7, 0.5], 4)) == ["1", "3", "0", "2"]


def test_an_answer_stays_with_its_best_question() -> None:
    repeated = pairs("The  same\nanswer.", "other", "the SAME answer.", "third", "fourth")
    assert chosen(best_pairs(repeated, [0.8, 0.7, 0.9, 0.2, 0.1], 3)) == ["2", "1", "3"]
    assert chosen(best_pairs(repeated, [0.8, 0.7, 0.9, 0.2, 0.1], 3, keep_duplicates=True)) == ["2", "0", "1"]


def test_fewer_where_there_are_fewer_distinct_answers() -> None:
    assert chosen(best_pairs(pairs("a", "a", "A"), [0.1, 0.2, 0.3], 3)) == ["2"]
    assert best_pairs([], [], 3) == []


def test_an_answer_without_text_is_no_evidence() -> None:
    assert chosen(best_pairs(pairs(" ", "a", ""), [0.9, 0.1, 0.8], 3)) == ["1"]
    assert chosen(best_pairs(pairs(" ", "a", ""), [0.9, 0.1, 0.8], 3, keep_duplicates=True)) == ["0", "2", "1"]


def test_a_score_that_is_no_number_is_an_error() -> None:
    with pytest.raises(ModelError, match="not a number"):
        best_pairs(pairs("a", "b"), [0.5, float("nan")], 1)


scored = st.lists(st.tuples(st.sampled_from(["a", "A ", "b", "c c", "c  c", ""]), st.sampled_from([0.0, 0.5, 1.0])))


@given(scored, st.integers(1, 4))
def test_every_choice_is_the_best_left(candidates: list[tuple[str, float]], top_n: int) -> None:
    some = pairs(*(answer for answer, _ in candidates))
    scores = [score for _, score in candidates]
    left = [(-score, place) for place, score in enumerate(scores)]
    expected: list[str] = []
    seen: set[str] = set()
    for _, place in sorted(left):
        key = " ".join(some[place].answer.lower().split())
        if key and key not in seen:
            expected.append(str(place))
            seen.add(key)
    assert chosen(best_pairs(some, scores, top_n)) == expected[:top_n]

"""One question a sentence: typical ones, that together ask much, and name what the claim is about."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from src.reranking.questions.choice import USUAL, Scores, Weighing, choose_questions, ordered_questions

CLAIM = "the ferry sank in may"


def shared(expected: Sequence[str], candidates: Sequence[str]) -> Scores:
    """The share of the words of the expected question that stand in the candidate."""
    return np.array([[_share(one, other) for one in expected] for other in candidates])


def _share(one: str, other: str) -> float:
    wanted = set(one.split())
    return len(wanted & set(other.split())) / len(wanted)


def test_an_odd_draw_is_left() -> None:
    candidates = [
        ["did the ferry sink", "is green a colour"],
        ["did the ferry sink in may"],
        ["when did the ferry sink"],
    ]
    assert choose_questions(CLAIM, candidates, shared)[0] == "did the ferry sink"


def test_a_higher_typicality_weight_gives_more_similar_questions() -> None:
    candidates = [["who sank"], ["who sank"], ["who sank", "why it"], ["who sank", "why it"]]
    different = [len(set(choose_questions("x", candidates, shared, Weighing(weight, 0.0)))) for weight in (0.0, 9.0)]
    assert different == [2, 1]


def test_a_bare_question_mark_is_chosen_only_without_alternatives() -> None:
    def all_alike(expected: Sequence[str], candidates: Sequence[str]) -> Scores:
        return np.array([[1.0 if other == "?" else 0.1 for _ in expected] for other in candidates])

    assert choose_questions(CLAIM, [["?", "what"], ["?"]], all_alike) == ["what", "?"]


def test_sentences_do_not_all_ask_the_same() -> None:
    both = ["did the ferry sink", "who steered it that day"]
    assert set(choose_questions("x", [both] * 3, shared)) == set(both)


def test_of_equals_the_one_that_names_the_claim() -> None:
    assert choose_questions(CLAIM, [["why was it so", "why sank the ferry"]], shared) == ["why sank the ferry"]


def test_nothing_to_choose() -> None:
    assert choose_questions(CLAIM, [], shared) == []
    assert choose_questions(CLAIM, [["a"], ["b"]], shared) == ["a", "b"]


@settings(deadline=None)
@given(st.lists(st.lists(st.text("abc ", min_size=1).filter(str.strip), min_size=1, max_size=5), max_size=40))
def test_each_sentence_gets_one_of_its_own(candidates: list[list[str]]) -> None:
    chosen = choose_questions(CLAIM, candidates, shared)
    assert len(chosen) == len(candidates)
    assert all(question in own for question, own in zip(chosen, candidates, strict=True))
    assert chosen == choose_questions(CLAIM, candidates, shared)


@settings(deadline=None)
@given(st.lists(st.lists(st.text("abc ", min_size=1).filter(str.strip), min_size=1, max_size=5), max_size=20))
def test_the_chosen_question_comes_first_and_no_other_is_lost(candidates: list[list[str]]) -> None:
    orders = ordered_questions(CLAIM, candidates, shared)
    assert [own[0] for own in orders] == choose_questions(CLAIM, candidates, shared)
    assert [sorted(own) for own in orders] == [sorted(own) for own in candidates]


def test_the_others_follow_by_what_they_add() -> None:
    candidates = [["why was it so", "why sank the ferry", "who sank the ferry in may"]]
    assert ordered_questions(CLAIM, candidates, shared)[0] == [
        "who sank the ferry in may",
        "why sank the ferry",
        "why was it so",
    ]


def test_no_more_questions_are_compared_with_than_that() -> None:
    sizes = []

    def counting(expected: Sequence[str], candidates: Sequence[str]) -> Scores:
        sizes.append((len(expected), len(candidates)))
        return shared(expected, candidates)

    choose_questions(CLAIM, [[f"question {number} {other}" for other in range(4)] for number in range(50)], counting)
    assert sizes == [(USUAL.expected + 1, 200)]

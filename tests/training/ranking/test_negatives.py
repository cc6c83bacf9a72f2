"""What a reranker learns from: gold pairs, random negatives as published, hard ones that are like the claim."""

from collections import Counter

import pytest

from src.records import Answer, AnswerType, Claim, Question
from src.training.evidence_pool import EvidencePool, Triple, candidates, hard_negatives, random_negatives, unlike
from src.training.ranking import ranking_scores
from tests.training.small_claims import claims

POOL = EvidencePool(claims(12))


def test_gold_pairs_as_published() -> None:
    oster = "The town of Oster closed 3 schools in 1990."
    many, tax = "How many schools did Oster close in 1990", "Was a tax raised in Oster?"
    assert POOL.own[0] == [
        Triple(oster, many, "In 1990 the town closed 3 of its schools", True),
        Triple(oster, many, "Oster sold trams.", True),
        Triple(oster, tax, "Yes. The council of Oster raised the tax on 2 bridges.", True),
    ]


def test_random_negatives_change_one_thing_each() -> None:
    found = random_negatives(POOL, 3, seed=5)
    assert len(found) == 9 * len(POOL.pairs)
    assert found == random_negatives(POOL, 3, seed=5)
    assert found != random_negatives(POOL, 3, seed=6)
    gold = {pair[:3] for pair in POOL.pairs}
    changed: Counter[str] = Counter()
    for place, triple in enumerate(found):
        own = POOL.pairs[place // 9]
        changed["claim"] += triple.claim != own.claim
        changed["question"] += triple.question != own.question
        changed["answer"] += triple.answer != own.answer
        assert not triple.gold
        assert triple[:3] not in gold or triple[:3] == own[:3]
    assert set(changed) == {"claim", "question", "answer"}
    assert max(changed.values()) <= 3 * len(POOL.pairs)
    assert min(changed.values()) > 2.9 * len(POOL.pairs)


def test_neighbours_are_pairs_of_the_most_similar_claims() -> None:
    first = next(iter(POOL.neighbours(0, 5)))
    assert first.claim == "The town of Oster closed 11 schools in 1998."
    assert all(pair.claim != POOL.claims[0].claim for pair in POOL.neighbours(0, 12))
    assert all(pair.claim != POOL.claims[0].claim for pair in POOL.found(0, 12))


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ("In 1990 the town closed three of its schools.", False),
        ("Schools closed.", False),
        ("A bridge was built by the army.", True),
        ("The school that was built in Marn has a garden, a pool and a library.", True),
    ],
)
def test_what_is_like_a_gold_answer_is_no_negative(answer: str, kept: bool) -> None:
    found = unlike([Triple("c", "q?", answer), Triple("c", "other?", answer.upper())], POOL.own[0][:1])
    assert len(found) == kept


def test_hard_negatives_come_from_all_kinds_in_turn() -> None:
    web = {0: [("Who built it?", "A bridge was built by the army."), ("Closed?", "In 1990 it closed 3 schools.")]}
    found = hard_negatives(POOL, web, each=2)
    own = [triple for triple in found if triple.claim == POOL.claims[0].claim]
    assert len(own) == 2 * len(POOL.own[0])
    assert own[0] == Triple(POOL.claims[0].claim, "Who built it?", "A bridge was built by the army.")
    assert "In 1990 it closed 3 schools." not in {triple.answer for triple in own}
    assert not any(triple.gold for triple in found)
    assert not {triple[:3] for triple in found} & {pair[:3] for pair in POOL.pairs}


def test_candidates_end_in_the_gold_pairs() -> None:
    found = candidates(POOL, {}, 0, most=8)
    assert len(found) == 8
    assert found[-3:] == POOL.own[0]
    assert {triple.claim for triple in found} == {POOL.claims[0].claim}
    assert [triple.gold for triple in found] == [False] * 5 + [True] * 3


def test_no_question_and_no_answer_give_no_pair() -> None:
    blank = Claim("Nothing here.", questions=[Question(" ", [Answer("Some")]), Question("Who?", [Answer(" ")])])
    nobody = Claim("Nobody knows.", questions=[Question("Who?", [Answer("None", AnswerType.UNANSWERABLE)])])
    pool = EvidencePool([blank, nobody, *claims(2)])
    assert pool.own[:2] == [[], []]
    assert hard_negatives(pool, {}, 2)[0].claim == claims(1)[0].claim


def test_ranking_scores_by_hand() -> None:
    """Gold in places 1 and 4 of the first claim, 2 of the second: ties count against gold."""
    gold, other = Triple("c", "q", "a", True), Triple("c", "q", "b")
    first, second = [other, other, gold, other, gold], [other, gold, other]
    found = ranking_scores([first, second], [[0.1, 0.8, 0.9, 0.7, 0.7], [0.5, 0.5, 0.1]])
    assert found == {"MRR": pytest.approx((1 + 1 / 2) / 2), "recall@3": pytest.approx((1 / 2 + 1) / 2)}
